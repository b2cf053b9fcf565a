within ScilawsBench.Compositions;
model ElectrothermalResistorParallel "Two resistors in parallel that warm up and cool down"
  Modelica.Electrical.Analog.Sources.SineVoltage source(V=20, f=0.05);
  Modelica.Electrical.Analog.Basic.Ground ground;
  Modelica.Thermal.HeatTransfer.Celsius.FixedTemperature ambient(T=20);
  Modelica.Electrical.Analog.Basic.Resistor resistor1(R=10, alpha=0.004, T_ref=293.15, useHeatPort=true);
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor heat1(C=3, T(start=293.15, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor cooling1(G=0.2);
  Modelica.Electrical.Analog.Basic.Resistor resistor2(R=20, alpha=0.004, T_ref=293.15, useHeatPort=true);
  Modelica.Thermal.HeatTransfer.Components.HeatCapacitor heat2(C=4, T(start=293.15, fixed=true));
  Modelica.Thermal.HeatTransfer.Components.ThermalConductor cooling2(G=0.4);
equation
  connect(source.n, ground.p) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));
  connect(resistor1.heatPort, heat1.port);
  connect(heat1.port, cooling1.port_a);
  connect(cooling1.port_b, ambient.port);
  connect(resistor2.heatPort, heat2.port);
  connect(heat2.port, cooling2.port_a);
  connect(cooling2.port_b, ambient.port);
  connect(source.p, resistor1.p);
  connect(source.p, resistor2.p);
  connect(resistor1.n, ground.p);
  connect(resistor2.n, ground.p);
  annotation (experiment(StopTime=40, Interval=0.02));
end ElectrothermalResistorParallel;
