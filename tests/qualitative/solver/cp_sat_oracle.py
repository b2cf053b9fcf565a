"""A third opinion: all episodes of a mechanism by OR-Tools CP-SAT, from its own arithmetic reading of laws.

A law is modelled by integer products of signs and by "a positive term needs a negative one and the
other way round"; nothing of the package's rule of satisfaction or of its domains is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from ortools.sat.python import cp_model

from scilaws_bench.qualitative import Mechanism

Episode = tuple[int, ...]


def enumerate_episodes(
    mechanism: Mechanism, restrictions: Mapping[str, tuple[str, ...]], seconds: float = 60.0
) -> tuple[set[Episode], bool]:
    """Episodes found (state positions, then cell positions), and whether these are all."""
    model = cp_model.CpModel()
    states = {item.id: model.new_int_var(0, len(item.states) - 1, "") for item in mechanism.components}
    cells = {}
    signs = {}
    for variable in mechanism.variables:
        space = mechanism.space(variable.id)
        allowed = restrictions.get(variable.id, space.names)
        places = [place for place, name in enumerate(space.names) if name in allowed]
        cell = model.new_int_var_from_domain(cp_model.Domain.from_values(places), "")
        cells[variable.id] = cell
        signs[variable.id] = model.new_int_var(-1, 1, "")
        model.add_element(cell, list(space.signs), signs[variable.id])

    def state_is_among(component: str, names: tuple[str, ...]) -> cp_model.IntVar:
        known = next(item.states for item in mechanism.components if item.id == component)
        inside = cp_model.Domain.from_values([place for place, name in enumerate(known) if name in names])
        literal = model.new_bool_var("")
        model.add_linear_expression_in_domain(states[component], inside).only_enforce_if(literal)
        model.add_linear_expression_in_domain(states[component], inside.complement()).only_enforce_if(~literal)
        return literal

    for item in mechanism.restrictions:
        names = mechanism.space(item.variable).names
        inside = cp_model.Domain.from_values([place for place, name in enumerate(names) if name in item.cells])
        chosen = state_is_among(item.component, (item.state,))
        model.add_linear_expression_in_domain(cells[item.variable], inside).only_enforce_if(chosen)

    for law in mechanism.confluences:
        active = [state_is_among(component, names) for component, names in law.active]
        positive, negative = [], []
        for term in law.terms:
            factors = [signs[factor.variable] for factor in term.factors for _ in range(factor.exponent)]
            product = model.new_int_var(-1, 1, "")
            model.add_multiplication_equality(product, factors)
            for side, kind in ((term.sign, positive), (-term.sign, negative)):
                literal = model.new_bool_var("")
                model.add(side * product >= 1).only_enforce_if(literal)
                model.add(side * product <= 0).only_enforce_if(~literal)
                kind.append(literal)
        for one, other in ((positive, negative), (negative, positive)):
            for literal in one:
                model.add_bool_or([*other, *(~switch for switch in active)]).only_enforce_if(literal)

    found: set[Episode] = set()
    columns = [*states.values(), *cells.values()]

    class Collector(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.add(tuple(self.value(column) for column in columns))

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model, Collector())
    return found, status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
