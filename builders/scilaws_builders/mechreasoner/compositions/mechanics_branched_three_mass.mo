within ScilawsBench.Compositions;
model BranchedThreeMass "A driven hub with two leaves on springs, each braked by a damper"
  Modelica.Mechanics.Translational.Components.Mass hub(m=2, s(start=0, fixed=true), v(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Mass leaf1(m=1, s(start=1, fixed=true), v(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Mass leaf2(
    m=1.5,
    s(start=1, fixed=true),
    v(start=0, fixed=true));
  Modelica.Mechanics.Translational.Components.Spring spring1(c=40, s_rel0=1);
  Modelica.Mechanics.Translational.Components.Spring spring2(c=90, s_rel0=1);
  Modelica.Mechanics.Translational.Components.Damper damper1(d=5);
  Modelica.Mechanics.Translational.Components.Damper damper2(d=8);
  Modelica.Mechanics.Translational.Components.Fixed ground;
  Modelica.Mechanics.Translational.Sources.Force force;
  Modelica.Blocks.Sources.Sine sine(amplitude=10, f=0.7);
equation
  connect(sine.y, force.f) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));
  connect(force.flange, hub.flange_a);
  connect(hub.flange_b, spring1.flange_a);
  connect(hub.flange_b, spring2.flange_a);
  connect(spring1.flange_b, leaf1.flange_a);
  connect(spring2.flange_b, leaf2.flange_a);
  connect(leaf1.flange_b, damper1.flange_a);
  connect(leaf2.flange_b, damper2.flange_a);
  connect(damper1.flange_b, ground.flange);
  connect(damper2.flange_b, ground.flange);
  annotation (experiment(StopTime=10, Interval=0.005));
end BranchedThreeMass;
