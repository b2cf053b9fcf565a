"""`scilaws-bench mechanism list | convert | solve | graph | consistency`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scilaws_bench.cli.common import as_json, emit, failing

if TYPE_CHECKING:
    from scilaws_bench.qualitative import CompositeState, Mechanism, Restrictions, Scenario
    from scilaws_bench.qualitative.episodes import ReachableGraph

_SHOWN = 20

mechanism_argument = click.argument("mechanism")
scenario_option = click.option("--scenario", help="Scenario of the mechanism; its first one by default.")
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="QUANTITY=CELL[|CELL]",
    help="Restrict a quantity to cells; may be repeated.",
)


@click.group("mechanism")
def group() -> None:
    """Qualitative mechanisms: convert Modelica text, find interpretations, walk the episode graph.

    MECHANISM is an id of the catalogue (see `mechanism list`), a mechanism document (.json) or Modelica text (.mo).
    """


@group.command("list")
@as_json
@failing
def list_mechanisms(json_output: bool) -> None:
    """List the catalogue."""
    from scilaws_builders.mechreasoner import catalogue

    rows = []
    for name in catalogue.ids():
        mechanism = catalogue.load(name).mechanism
        rows.append(
            {
                "id": name,
                "title": mechanism.title,
                "components": len(mechanism.components),
                "variables": len(mechanism.variables),
                "laws": len(mechanism.confluences),
                "scenarios": [scenario.id for scenario in mechanism.scenarios],
            }
        )
    lines = [
        f"{row['id']:45} {row['components']:2} components {row['variables']:3} quantities {row['laws']:3} laws"
        for row in rows
    ]
    emit(rows, lines, json_output)


@group.command("convert")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "name", help="Id of the mechanism; the model's name in lower case by default.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the mechanism document here.")
@as_json
@failing
def convert(file: Path, name: str | None, output: Path | None, json_output: bool) -> None:
    """Convert Modelica text (FILE.mo) into a typed instance and a qualitative mechanism."""
    from scilaws_bench import strict_json
    from scilaws_bench.qualitative import document_of_mechanism
    from scilaws_builders.mechreasoner.modelica import convert_file
    from scilaws_builders.mechreasoner.profile import mechanism_of

    instance = convert_file(file, instance_id=name)
    profiled = mechanism_of(instance)
    mechanism = profiled.mechanism
    document = document_of_mechanism(mechanism)
    if output is not None:
        strict_json.write(output, document)
    lines = [
        f"{instance.model}: {len(mechanism.components)} components, {len(mechanism.variables)} quantities, "
        f"{len(mechanism.confluences)} laws, {len(mechanism.declarations)} declared transitions",
        *(f"  {law.id}: {law.text()}" for law in mechanism.confluences),
        *([f"written: {output}"] if output else []),
    ]
    whole = {"instance": instance.to_document(), "mechanism": document, "observables": profiled.observables_document()}
    emit(whole, lines, json_output)


@group.command("solve")
@mechanism_argument
@scenario_option
@set_option
@click.option(
    "--state",
    "states",
    multiple=True,
    metavar="COMPONENT=STATE",
    help="Fix a component's state; without any, all composite states are solved together.",
)
@click.option("--limit", type=click.IntRange(0), default=_SHOWN, show_default=True, help="Interpretations to print.")
@as_json
@failing
def solve(
    mechanism: str,
    scenario: str | None,
    settings: tuple[str, ...],
    states: tuple[str, ...],
    limit: int,
    json_output: bool,
) -> None:
    """Interpretations of a mechanism: how many, which, what is forced, and why there is none."""
    from scilaws_bench.qualitative import combined
    from scilaws_bench.qualitative.solver import FactoredSolver, WorkLimits, joint_relation, why_empty

    known = _mechanism(mechanism)
    chosen = _scenario(known, scenario)
    restrictions = combined(chosen.context, _restrictions(known, settings))
    state = _composite_state(known, states)
    relation = (
        FactoredSolver().solve(known, state, restrictions) if state is not None else joint_relation(known, restrictions)
    )
    rows = list(relation.rows()[:limit]) if relation.count <= WorkLimits().rows else []
    shown = [
        {name: _value(known, name, int(position)) for name, position in zip(relation.variables, row, strict=True)}
        for row in rows
    ]
    reason = why_empty(known, state, restrictions) if relation.is_empty and state is not None else None
    document: dict[str, Any] = {
        "mechanism": known.id,
        "scenario": chosen.id,
        "state": None if state is None else known.states_by_component(state),
        "count": relation.count,
        "forced": relation.forced,
        "interpretations": shown,
        "why_empty": None if reason is None else reason.text().splitlines(),
    }
    what = "interpretations" if state is not None else "episodes"
    lines = [f"{known.id}, scenario {chosen.id}: {relation.count:,} {what}"]
    if relation.forced:
        lines.append("forced: " + " ".join(f"{name}={cell}" for name, cell in relation.forced.items()))
    lines += [" ".join(f"{name}={cell}" for name, cell in row.items()) for row in shown]
    if relation.count > len(shown):
        lines.append(f"… {relation.count - len(shown):,} more; see --limit")
    if reason is not None:
        lines += [
            "no interpretation, because of all of these together:",
            *(f"  {line}" for line in document["why_empty"]),
        ]
    emit(document, lines, json_output)


@group.command("graph")
@mechanism_argument
@scenario_option
@set_option
@click.option(
    "--from",
    "start",
    multiple=True,
    metavar="QUANTITY=CELL[|CELL]",
    help="Facts of the initial episodes; the scenario's initial restrictions by default.",
)
@click.option("--horizon", type=click.IntRange(0, 50), default=2, show_default=True, help="Number of steps.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the graph as .svg, .graphml or .json, by the ending.",
)
@click.option(
    "--explain",
    nargs=2,
    type=int,
    metavar="SOURCE TARGET",
    help="Say what every clause thinks of a step between two episodes, by number.",
)
@as_json
@failing
def graph(
    mechanism: str,
    scenario: str | None,
    settings: tuple[str, ...],
    start: tuple[str, ...],
    horizon: int,
    output: Path | None,
    explain: tuple[int, int] | None,
    json_output: bool,
) -> None:
    """The episode graph from the initial episodes through a horizon; export, picture, reasons for refusal."""
    from scilaws_bench.qualitative import combined
    from scilaws_bench.qualitative.episodes import EpisodeGraph
    from scilaws_bench.qualitative.episodes.export import change_text, node_link
    from scilaws_bench.qualitative.solver import episode_table

    known = _mechanism(mechanism)
    chosen = _scenario(known, scenario)
    table = episode_table(known, combined(chosen.context, _restrictions(known, settings)))
    episodes = EpisodeGraph(table)
    if explain is not None:
        explanation = episodes.explain(*explain)
        document = {
            "source": explain[0],
            "target": explain[1],
            "is_edge": explanation.is_edge,
            "text": explanation.text().splitlines(),
        }
        emit(document, explanation.text().splitlines(), json_output)
        return
    initial = _restrictions(known, start) if start else chosen.initial
    reached = episodes.reachable(table.matching(initial).nonzero()[0].tolist(), horizon)
    if output is not None:
        _write(output, reached)
    changes = [change_text(change) for change in episodes.component_changes(reached.edges)]
    summary: dict[str, Any] = {
        "mechanism": known.id,
        "scenario": chosen.id,
        "horizon": horizon,
        "episodes": len(table),
        "initial": list(reached.layers[0]),
        "layers": [len(layer) for layer in reached.layers],
        "edges": len(reached.edges),
        "component_changes": changes,
    }
    lines = [
        f"{known.id}, scenario {chosen.id}: {len(table):,} episodes, {len(reached.layers[0])} initial",
        "episodes by depth: " + " ".join(f"{count:,}" for count in summary["layers"]),
        f"edges through depth {horizon}: {len(reached.edges):,}",
        *(f"  {change}" for change in changes),
        *([f"written: {output}"] if output else []),
    ]
    emit(summary | {"graph": node_link(reached)} if json_output else summary, lines, json_output)


@group.command("consistency")
@click.option(
    "--extract", "extracting", is_flag=True, help="Simulate the run suite again (rumoca) and freeze it first."
)
@click.option(
    "--library",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the Modelica Standard Library 4.1.0; $SCILAWS_MODELICA_LIBRARY by default.",
)
@click.option(
    "--observations",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of frozen observations; those of the package by default.",
)
@as_json
@failing
def consistency(extracting: bool, library: Path | None, observations: Path | None, json_output: bool) -> None:
    """Compare frozen simulations with the qualitative simulator; without --extract no simulator is needed."""
    from scilaws_bench.errors import SourceUnavailableError
    from scilaws_builders.mechreasoner.catalogue.texts import LIBRARY_VARIABLE, library_folder
    from scilaws_builders.mechreasoner.consistency import consistency_report, extract

    if extracting:
        known = library or library_folder()
        if known is None:
            raise SourceUnavailableError(
                "--extract",
                "the Modelica Standard Library 4.1.0",
                "no folder",
                f"Give --library or {LIBRARY_VARIABLE}.",
            )
        extract(known, observations)
    report = consistency_report(observations)
    lines = [f"{'':24} {'observed':>8} {'direct':>7} {'boundary':>8} {'contradictions':>14} {'inconclusive':>12}"]
    lines += [
        f"{name.replace('_', ' '):24} {row['observed']:8} {row['direct']:7} {row['boundary']:8} "
        f"{row['contradictions']:14} {row['inconclusive']:12}"
        for name, row in report["table"].items()
    ]
    lines.append(f"{report['mechanisms']} mechanisms, {report['runs']} runs")
    for share, what in (("states", "composite states"), ("pairs", "ordered pairs of component states")):
        names = [name for name, rate in report["acceptance"].items() if share in rate["flagged"]]
        lines.append(f"more than half of all {what} would be accepted in {len(names)}: {', '.join(names) or 'none'}")
    for case in report["boundary_cases"]:
        lines.append(f"boundary: {case['id']} at {case['time']:g} s in {case['run']}: {case['raw']}")
    for case in report["contradiction_cases"]:
        lines.append(f"contradiction: {case['id']} at {case['time']:g} s in {case['run']}")
    emit(report, lines, json_output)
    if report["contradictions"] or report["inconclusive"]:
        raise SystemExit(1)


def _mechanism(name: str) -> Mechanism:
    from scilaws_bench import strict_json
    from scilaws_bench.qualitative import mechanism_from_document
    from scilaws_builders.mechreasoner import catalogue
    from scilaws_builders.mechreasoner.modelica import convert_file
    from scilaws_builders.mechreasoner.profile import mechanism_of

    if name.endswith(".json"):
        document = strict_json.read(Path(name))
        inner = document.get("mechanism") if isinstance(document, dict) else None
        return mechanism_from_document(inner if isinstance(inner, dict) else document, where=name)
    if name.endswith(".mo"):
        return mechanism_of(convert_file(Path(name))).mechanism
    return catalogue.load(name).mechanism


def _scenario(mechanism: Mechanism, name: str | None) -> Scenario:
    from scilaws_bench.errors import MechanismError

    if name is None:
        return mechanism.scenarios[0]
    if name not in mechanism.scenario_by_id:
        known = ", ".join(mechanism.scenario_by_id)
        raise MechanismError(f"scenario {name}", f"a scenario of {mechanism.id}", "none of that id", f"Known: {known}.")
    return mechanism.scenario_by_id[name]


def _restrictions(mechanism: Mechanism, settings: tuple[str, ...]) -> Restrictions:
    """Facts as given on the command line, checked against the mechanism."""
    from scilaws_bench.errors import MechanismError

    found: dict[str, tuple[str, ...]] = {}
    for text in settings:
        name, equals, cells = text.partition("=")
        if not equals or not cells:
            raise click.UsageError(f"expected QUANTITY=CELL or QUANTITY=CELL|CELL, found {text!r}")
        if name not in mechanism.variable_by_id:
            raise MechanismError(f"quantity {name}", f"a quantity of {mechanism.id}", "none of that id", "See `solve`.")
        names = mechanism.space(name).names
        chosen = tuple(cells.split("|"))
        for cell in chosen:
            if cell not in names:
                raise MechanismError(
                    f"cell {cell}", f"a cell of {name}", "none of that name", f"Known: {', '.join(names)}."
                )
        found[name] = chosen
    return found


def _composite_state(mechanism: Mechanism, given: tuple[str, ...]) -> CompositeState | None:
    """The composite state named on the command line; components of one state need not be named."""
    from scilaws_bench.errors import MechanismError

    if not given:
        return None
    chosen = dict(text.partition("=")[::2] for text in given)
    for name in chosen:
        if name not in mechanism.component_by_id:
            known = ", ".join(mechanism.component_by_id)
            raise MechanismError(
                f"component {name}", f"a component of {mechanism.id}", "none of that id", f"Known: {known}."
            )
    state = []
    for component in mechanism.components:
        name = chosen.get(component.id, component.states[0] if len(component.states) == 1 else "")
        if name not in component.states:
            raise MechanismError(
                f"component {component.id}", "one of " + ", ".join(component.states), name or "no state",
                "Give every component of several states one --state.",
            )  # fmt: skip
        state.append(name)
    return tuple(state)


def _value(mechanism: Mechanism, column: str, position: int) -> str:
    """Name of a value in a column of a relation: a component's state or a variable's cell."""
    component = mechanism.component_by_id.get(column.removeprefix("component "))
    if column.startswith("component ") and component is not None:
        return component.states[position]
    return mechanism.space(column).cells[position].id


def _write(output: Path, graph: ReachableGraph) -> None:
    """Write a graph whole or not at all, in the form its file name asks for."""
    from scilaws_bench import strict_json
    from scilaws_bench.qualitative.episodes.drawing import svg
    from scilaws_bench.qualitative.episodes.export import graphml, node_link

    forms: dict[str, Callable[[ReachableGraph], str]] = {
        ".svg": svg,
        ".graphml": graphml,
        ".json": lambda reached: strict_json.dumps(node_link(reached), indent=2) + "\n",
    }
    if output.suffix not in forms:
        raise click.UsageError(f"--output: expected a name ending in {', '.join(forms)}, found {output.name}")
    strict_json.write_bytes(output, forms[output.suffix](graph).encode("utf-8"))
