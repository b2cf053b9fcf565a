within ScilawsBench.Compositions;
model BranchedStar "A hub and three leaves that exchange heat"
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor hub(C=40, T(start=330, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor leaf1(C=20, T(start=300, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor leaf2(C=15, T(start=340, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor leaf3(C=10, T(start=270, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor conductor1(G=5);
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor conductor2(G=8);
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor conductor3(G=3);
equation
  connect(hub.port, conductor1.port_a) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));
  connect(hub.port, conductor2.port_a);
  connect(hub.port, conductor3.port_a);
  connect(conductor1.port_b, leaf1.port);
  connect(conductor2.port_b, leaf2.port);
  connect(conductor3.port_b, leaf3.port);
  annotation (experiment(StopTime=20, Interval=0.01));
end BranchedStar;
