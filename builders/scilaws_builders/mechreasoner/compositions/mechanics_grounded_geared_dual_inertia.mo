within ScilawsBench.Compositions;
model GroundedGearedDualInertia "A motor inertia and a load inertia joined by a gear"
  Modelica.Blocks.Sources.Sine sine(amplitude=2, f=0.5);
  Modelica.Mechanics.Rotational.Sources.Torque torque;
  Modelica.Mechanics.Rotational.Components.Inertia inertia1(J=0.1);
  Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio=4);
  Modelica.Mechanics.Rotational.Components.Inertia inertia2(
    J=2,
    phi(start=0, fixed=true),
    w(start=0, fixed=true));
  Modelica.Mechanics.Rotational.Components.Damper damper(d=1);
  Modelica.Mechanics.Rotational.Components.Spring spring(c=10);
  Modelica.Mechanics.Rotational.Components.Fixed fixed;
equation
  connect(sine.y, torque.tau) annotation (Line(points={{0,0},{1,1}}, color={0,0,255}));
  connect(torque.flange, inertia1.flange_a);
  connect(inertia1.flange_b, gear.flange_a);
  connect(gear.flange_b, inertia2.flange_a);
  connect(inertia2.flange_b, damper.flange_a);
  connect(inertia2.flange_b, spring.flange_a);
  connect(damper.flange_b, fixed.flange);
  connect(spring.flange_b, fixed.flange);
  annotation (experiment(StopTime=10, Interval=0.005));
end GroundedGearedDualInertia;
