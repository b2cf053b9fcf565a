within ScilawsBench.Compositions;
model ThreeNodeChain "Three heat capacities in a row"
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor node1(C=10, T(start=350, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor node2(C=5, T(start=290, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor node3(C=20, T(start=320, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor conductor12(G=5);
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor conductor23(G=3);
equation
  connect(node1.port, conductor12.port_a) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));
  connect(conductor12.port_b, node2.port);
  connect(node2.port, conductor23.port_a);
  connect(conductor23.port_b, node3.port);
  annotation (experiment(StopTime=20, Interval=0.01));
end ThreeNodeChain;
