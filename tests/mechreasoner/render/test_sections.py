"""What prompts show is what the symbolic baseline reads back, for mechanisms of every shape."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "qualitative"))

from random_mechanisms import random_mechanism

from scilaws_bench.errors import PromptError
from scilaws_bench.qualitative import Mechanism
from scilaws_bench.qualitative.solver import episode_table
from scilaws_bench.symbolic import sections as reader
from scilaws_builders.mechreasoner.render import sections as writer

SEEDS = range(60)


def mechanism_text(mechanism: Mechanism) -> str:
    parts = [
        writer.components(mechanism),
        writer.spaces(mechanism),
        writer.quantities(mechanism),
        writer.laws(mechanism.confluences),
        writer.state_restrictions(mechanism),
    ]
    return "\n\n".join(parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mechanism_reads_back(seed: int) -> None:
    mechanism = random_mechanism(seed)
    read = reader.read_mechanism(reader.sections_of(mechanism_text(mechanism)))
    assert [(item.id, item.states) for item in read.components] == [
        (item.id, item.states) for item in mechanism.components
    ]
    assert [item.id for item in read.variables] == [item.id for item in mechanism.variables]
    for variable in mechanism.variables:
        assert read.space(variable.id).names == mechanism.space(variable.id).names
        assert read.space(variable.id).signs == mechanism.space(variable.id).signs
    assert [(law.terms, law.active) for law in read.confluences] == [
        (law.terms, law.active) for law in mechanism.confluences
    ]
    assert set(read.restrictions) == set(mechanism.restrictions)


@pytest.mark.parametrize("seed", [seed for seed in range(20) if seed != 9])
def test_episodes_and_facts_read_back(seed: int) -> None:
    table = episode_table(random_mechanism(seed), {})
    rows = list(range(min(len(table), 25)))
    names = {row: f"E{row + 1}" for row in rows}
    assert rows, "choose another seed: this mechanism has no episodes"
    read = reader.read_rows(reader.sections_of(writer.episodes(table, rows, names))["Episodes"])
    assert list(read) == list(names.values())
    for row in rows:
        states = table.mechanism.states_by_component(table.state(row))
        assert read[names[row]] == states | table.interpretation(row)
        facts = {name: (cell,) for name, cell in table.interpretation(row).items()}
        assert reader.read_facts(1, writer.facts(facts)) == facts
        assert [other for other in rows if reader.holds(facts, read[names[other]])] == [
            other for other in rows if table.interpretation(other) == table.interpretation(row)
        ]
    assert reader.read_facts(1, writer.facts({})) == {}
    assert reader.read_facts(1, writer.facts({"a.b": ("(-inf,-v0)", "0")})) == {"a.b": ("(-inf,-v0)", "0")}


def test_edges_read_back() -> None:
    pairs = [(3, 1), (1, 3), (1, 2), (3, 1)]
    names = {1: "E1", 2: "E2", 3: "E3"}
    assert writer.edges(pairs, names) == "## Edges\nE1 -> E2 E3\nE3 -> E1"
    read = reader.read_edges(reader.sections_of(writer.edges(pairs, names))["Edges"])
    assert read == {"E1": ("E2", "E3"), "E3": ("E1",)}
    assert reader.read_edges(reader.sections_of(writer.edges([], {}))["Edges"]) == {}


OUT_OF_FORM = {
    "a law without its zero": ("## Laws\nL1: a - b", "a law such as"),
    "a law with a stray sign": ("## Laws\nL1: a - - b = 0", "expected a variable"),
    "a condition out of form": ("## Laws\nL1: a = 0  [only when x]", "a condition such as"),
    "a space without signs": ("## Quantity spaces\ns: - < 0 < +", "a space such as"),
    "a quantity without space": ("## Quantities\nv: velocity", "a quantity such as"),
    "a component without states": ("## Components and their states\nmass (Mass)", "a component such as"),
    "an episode of another width": ("## Episodes\nin every row: nothing\ncolumns: a b\nE1: +", "2 values"),
    "an episode twice": ("## Episodes\nin every row: nothing\ncolumns: a\nE1: +\nE1: -", "a new row"),
    "a source twice": ("## Edges\nE1 -> E2\nE1 -> E3", "each source once"),
    "a title twice": ("## Laws\n## Laws", "used once"),
}


@pytest.mark.parametrize("fault", OUT_OF_FORM)
def test_text_out_of_form_is_refused_with_its_line(fault: str) -> None:
    text, expected = OUT_OF_FORM[fault]
    with pytest.raises(PromptError, match=f"prompt line \\d+; .*{re.escape(expected)}"):
        _read_all(text)


def _read_all(text: str) -> None:
    readers = {
        "Laws": reader.read_laws,
        "Episodes": reader.read_rows,
        "Edges": reader.read_edges,
        "Quantity spaces": reader._spaces,
        "Quantities": reader._variables,
        "Components and their states": reader._components,
    }
    for title, part in reader.sections_of(text).items():
        list(readers[title](part))


def test_a_missing_section_is_named() -> None:
    with pytest.raises(PromptError, match="section Laws; expected to be in the prompt; found Quantities"):
        reader.section(reader.sections_of("## Quantities\nv (s): x"), "Laws")
