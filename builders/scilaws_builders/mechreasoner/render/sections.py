"""The parts prompts of all families are made of: a mechanism, facts, episodes and edges as compact text.

`scilaws_bench.symbolic.sections` reads the same text back; a test holds the two against each other.
Names hold no blank and none of `| { } < > ; =`, which the schema guarantees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from scilaws_bench.qualitative import Confluence, Declaration, EpisodeTable, Mechanism, QuantitySpace, Restrictions

_SIGNS = {-1: "-", 0: "0", 1: "+"}


def components(mechanism: Mechanism) -> str:
    """One line for each component: id, type and component states."""
    lines = [f"{item.id} ({_short(item.type)}): {' | '.join(item.states)}" for item in mechanism.components]
    return listed_section("Components and their states", lines)


def spaces(mechanism: Mechanism) -> str:
    """One line for each quantity space in use: its cells in rising order and their signs."""
    used = {variable.space for variable in mechanism.variables}
    return listed_section("Quantity spaces", [_space(space) for space in mechanism.spaces if space.id in used])


def quantities(mechanism: Mechanism) -> str:
    """One line for each quantity: id, space and meaning; parameters are told apart."""
    lines = []
    for variable in mechanism.variables:
        kind = "parameter, " if variable.role == "parameter" else ""
        lines.append(f"{variable.id} ({kind}{variable.space}): {variable.meaning or variable.id}")
    return listed_section("Quantities", lines)


def laws(confluences: Iterable[Confluence]) -> str:
    """One line for each law, numbered L1, L2, …, with the component states in which it holds."""
    return listed_section("Laws", [f"L{number}: {law_text(law)}" for number, law in enumerate(confluences, start=1)])


def law_text(law: Confluence) -> str:
    """A law as text, with its condition."""
    conditions = [f"{component} is {' | '.join(states)}" for component, states in law.active]
    return law.text() + (f"  [only when {' and '.join(conditions)}]" if conditions else "")


def state_restrictions(mechanism: Mechanism) -> str:
    """One line for each restriction a component state puts on a quantity."""
    lines = [f"{item.component} is {item.state}: {_fact(item.variable, item.cells)}" for item in mechanism.restrictions]
    return listed_section("What a component state means", lines)


def declarations(items: Iterable[Declaration]) -> str:
    """One line for each declared transition: component, states, guards and event."""
    lines = []
    for item in items:
        conditions = [f"before {facts(item.source_guards)}"] if item.source_guards else []
        conditions += [f"after {facts(item.target_guards)}"] if item.target_guards else []
        conditions += [f"event of {item.event}"] if item.event else []
        lines.append(f"{item.component}: {item.source} -> {item.target}  [{'; '.join(conditions) or 'always'}]")
    return listed_section("Declared transitions", lines)


def facts(restrictions: Restrictions) -> str:
    """A conjunction, e.g. `mass.v = + and mass.a in {- | 0}`; `nothing` if it is empty."""
    return " and ".join(_fact(variable, cells) for variable, cells in restrictions.items()) or "nothing"


def composite_state(mechanism: Mechanism, state: Sequence[str]) -> str:
    """A composite state as `component=STATE` pairs."""
    return pairs({item.id: name for item, name in zip(mechanism.components, state, strict=True)})


def cell_set(cells: Iterable[str]) -> str:
    """Cells as `{- | 0}`."""
    return "{" + " | ".join(cells) + "}"


def episodes(table: EpisodeTable, rows: Sequence[int], names: Mapping[int, str]) -> str:
    """A table of episodes: component states, then cells, in the order of `rows`."""
    mechanism = table.mechanism
    listed = {names[row]: mechanism.states_by_component(table.state(row)) | table.interpretation(row) for row in rows}
    return rows_section("Episodes", listed)


def rows_section(title: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    """Named rows with the same columns: what is alike in all of them once, the rest one row each under a head."""
    columns = {column: [row[column] for row in rows.values()] for column in next(iter(rows.values()), {})}
    alike = {name: values[0] for name, values in columns.items() if len(set(values)) == 1}
    shown = [name for name in columns if name not in alike]
    lines = ["in every row: " + (pairs(alike) or "nothing"), "columns: " + " ".join(shown)]
    lines += [f"{name}: " + " ".join(row[column] for column in shown) for name, row in rows.items()]
    return listed_section(title, lines)


def pairs(values: Mapping[str, str]) -> str:
    """`a=X b=Y`."""
    return " ".join(f"{name}={value}" for name, value in values.items())


def edges(steps: Iterable[tuple[int, int]], names: Mapping[int, str], *, title: str = "Edges") -> str:
    """Edges grouped by source: `E1 -> E2 E5`; sources and targets in the order of the names' rows."""
    targets: dict[int, list[int]] = {}
    for source, target in sorted(set(steps)):
        targets.setdefault(source, []).append(target)
    lines = [f"{names[source]} -> {' '.join(names[row] for row in rows)}" for source, rows in targets.items()]
    return listed_section(title, lines or ["none"])


def listed_section(title: str, lines: Iterable[str]) -> str:
    """A section with its title line."""
    return "\n".join([f"## {title}", *lines])


def _fact(variable: str, cells: Sequence[str]) -> str:
    return f"{variable} = {cells[0]}" if len(cells) == 1 else f"{variable} in {cell_set(cells)}"


def _space(space: QuantitySpace) -> str:
    return f"{space.id}: {' < '.join(space.names)} ; signs {' '.join(_SIGNS[sign] for sign in space.signs)}"


def _short(type_name: str) -> str:
    return type_name.rpartition(".")[2]
