"""Read the sections of a MechReasoner prompt back into typed objects.

The symbolic baseline sees nothing but prompt text. Text that does not follow the form is refused
with its line, never guessed at: the baseline's use is to prove that prompts are complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scilaws_bench.errors import PromptError
from scilaws_bench.qualitative import (
    Cell,
    Component,
    Confluence,
    Mechanism,
    QuantitySpace,
    Restrictions,
    Scenario,
    StateRestriction,
    Variable,
    parse_confluence,
)

_SIGNS = {"-": -1, "0": 0, "+": 1}
_FACT = re.compile(r"(\S+) (?:= (\S+)|in \{([^{}]+)\})")
_CONDITION = re.compile(r"(\S+) is (\S+(?: \| \S+)*)")


@dataclass(frozen=True)
class Section:
    """A section: its title and its non-empty lines with their numbers in the prompt."""

    title: str
    lines: tuple[tuple[int, str], ...]


def sections_of(prompt: str) -> dict[str, Section]:
    """Sections by title, in order; a section starts with `## ` and ends where the next one starts.

    Raises:
        PromptError: a title used twice.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    title: str | None = None
    for number, line in enumerate(prompt.splitlines(), start=1):
        if line.startswith("## "):
            title = line[3:].strip()
            if title in found:
                raise PromptError(f"prompt line {number}", "a section title used once", title)
            found[title] = []
        elif title is not None and line.strip():
            found[title].append((number, line.rstrip()))
    return {name: Section(name, tuple(lines)) for name, lines in found.items()}


def section(sections: Mapping[str, Section], title: str) -> Section:
    """A section by title (PromptError if the prompt has none of that title)."""
    if title not in sections:
        raise PromptError(f"section {title}", "to be in the prompt", ", ".join(sections) or "no section")
    return sections[title]


def read_mechanism(sections: Mapping[str, Section]) -> Mechanism:
    """The mechanism of a prompt: components, spaces, quantities, laws and what component states mean.

    What prompts do not need (titles, rates of change, declarations) is absent. Law ids are L1, L2, ….

    Raises:
        PromptError: a line that does not follow the form, or a missing section.
    """
    return Mechanism(
        id="prompt",
        title="",
        components=tuple(_components(section(sections, "Components and their states"))),
        spaces=tuple(_spaces(section(sections, "Quantity spaces"))),
        variables=tuple(_variables(section(sections, "Quantities"))),
        confluences=tuple(read_laws(section(sections, "Laws"))),
        restrictions=tuple(_restrictions(section(sections, "What a component state means"))),
        declarations=(),
        scenarios=(Scenario("prompt"),),
    )


def read_quantities(sections: Mapping[str, Section]) -> dict[str, QuantitySpace]:
    """Quantity → its quantity space."""
    spaces = {space.id: space for space in _spaces(section(sections, "Quantity spaces"))}
    found = {}
    for variable in _variables(section(sections, "Quantities")):
        if variable.space not in spaces:
            raise PromptError(f"quantity {variable.id}", "a quantity space of the prompt", variable.space)
        found[variable.id] = spaces[variable.space]
    return found


def read_laws(laws: Section) -> Iterator[Confluence]:
    """Laws `L1: a - b = 0  [only when c is X | Y and d is Z]`."""
    for number, line in laws.lines:
        name, _, rest = line.partition(": ")
        body, _, condition = rest.partition("  [only when ")
        if not body.endswith(" = 0") or (condition and not condition.endswith("]")):
            raise refused(number, "a law such as `L1: a - b = 0`", line)
        try:
            law = parse_confluence(name, re.sub(r"^-(?=\S)", "- ", body.removesuffix(" = 0")))
        except ValueError as error:
            raise refused(number, str(error), line) from None
        active = tuple(_conditions(number, condition.removesuffix("]"))) if condition else ()
        yield Confluence(name, law.terms, None, active)


def read_facts(number: int, text: str) -> dict[str, tuple[str, ...]]:
    """A conjunction `a = + and b in {- | 0}`, or `nothing`, as variable → cells."""
    found: dict[str, tuple[str, ...]] = {}
    for part in [] if text == "nothing" else text.split(" and "):
        match = _FACT.fullmatch(part)
        if match is None or match[1] in found:
            raise refused(number, "facts such as `a = + and b in {- | 0}`, each quantity once", part)
        found[match[1]] = (match[2],) if match[2] is not None else tuple(match[3].split(" | "))
    return found


def read_cells(number: int, text: str) -> tuple[str, ...]:
    """A non-empty set of cells `{- | 0}`."""
    if not (text.startswith("{") and text.endswith("}")) or not all(cells := text[1:-1].split(" | ")):
        raise refused(number, "cells such as `{- | 0}`", text)
    return tuple(cells)


def read_pairs(number: int, text: str) -> dict[str, str]:
    """`a=X b=Y` as a dictionary."""
    found: dict[str, str] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not (name and equals and value) or name in found:
            raise refused(number, "pairs such as `a=X`, each name once", part)
        found[name] = value
    return found


def read_rows(table: Section) -> dict[str, dict[str, str]]:
    """Row name → values by column, from a compact table of episodes or candidates."""
    if len(table.lines) < 2:
        raise PromptError(f"section {table.title}", "two head lines", f"{len(table.lines)} lines")
    (first, alike_line), (second, head), *rows = table.lines
    alike_text = _after(first, alike_line, "in every row: ")
    alike = {} if alike_text == "nothing" else read_pairs(first, alike_text)
    columns = _after(second, head, "columns:").split()
    found: dict[str, dict[str, str]] = {}
    for number, line in rows:
        name, _, text = line.partition(":")
        values = text.split()
        if len(values) != len(columns) or name in found:
            raise refused(number, f"a new row with {len(columns)} values", line[:120])
        found[name] = alike | dict(zip(columns, values, strict=True))
    return found


def read_edges(edges: Section) -> dict[str, tuple[str, ...]]:
    """Source episode → target episodes."""
    found: dict[str, tuple[str, ...]] = {}
    for number, line in edges.lines:
        if line == "none" and len(edges.lines) == 1:
            break
        source, arrow, targets = line.partition(" -> ")
        if not arrow or source in found or not targets.split():
            raise refused(number, "edges such as `E1 -> E2 E5`, each source once", line[:120])
        found[source] = tuple(targets.split())
    return found


def holds(facts: Restrictions, episode: Mapping[str, str]) -> bool:
    """Whether an episode (component states and cells by name) satisfies all facts."""
    return all(episode[name] in allowed for name, allowed in facts.items())


def _components(part: Section) -> Iterator[Component]:
    for number, line in part.lines:
        match = re.fullmatch(r"(\S+) \((\S+)\): (.+)", line)
        if match is None:
            raise refused(number, "a component such as `mass (Mass): REST | MOVING`", line)
        yield Component(match[1], match[2], tuple(match[3].split(" | ")))


def _spaces(part: Section) -> Iterator[QuantitySpace]:
    for number, line in part.lines:
        name, _, rest = line.partition(": ")
        cells, found, signs = rest.partition(" ; signs ")
        names, marks = cells.split(" < "), signs.split()
        if not found or len(names) != len(marks) or not set(marks) <= set(_SIGNS):
            raise refused(number, "a space such as `signs: - < 0 < + ; signs - 0 +`", line)
        yield QuantitySpace(name, tuple(_cells(names, marks)))


def _cells(names: list[str], marks: list[str]) -> Iterator[Cell]:
    """Points and intervals take turns; zero is a point, and an outermost cell of a nonzero sign is an interval."""
    zero = marks.index("0") if "0" in marks else None
    for place, (name, mark) in enumerate(zip(names, marks, strict=True)):
        is_point = (place - zero) % 2 == 0 if zero is not None else name[:1] != "(" and place % 2 == 1
        yield Cell(name, "point" if is_point else "interval", _SIGNS[mark])  # type: ignore[arg-type]


def _variables(part: Section) -> Iterator[Variable]:
    for number, line in part.lines:
        match = re.fullmatch(r"(\S+) \((parameter, )?(\S+)\): (.+)", line)
        if match is None:
            raise refused(number, "a quantity such as `mass.v (signs): velocity`", line)
        yield Variable(match[1], None, match[3], "parameter" if match[2] else "quantity")


def _restrictions(part: Section) -> Iterator[StateRestriction]:
    for number, line in part.lines:
        match = re.fullmatch(r"(\S+) is (\S+): (.+)", line)
        if match is None:
            raise refused(number, "a restriction such as `mass is REST: mass.v = 0`", line)
        for variable, cells in read_facts(number, match[3]).items():
            yield StateRestriction(match[1], match[2], variable, cells)


def _conditions(number: int, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for part in text.split(" and "):
        match = _CONDITION.fullmatch(part)
        if match is None:
            raise refused(number, "a condition such as `brake is FAST | SLOW`", part)
        yield match[1], tuple(match[2].split(" | "))


def _after(number: int, line: str, start: str) -> str:
    if not line.startswith(start):
        raise refused(number, f"a line that starts `{start}`", line[:120])
    return line[len(start) :].strip()


def refused(number: int, expected: str, found: str) -> PromptError:
    """The error for a line out of form."""
    return PromptError(f"prompt line {number}", expected, found)
