"""The frozen catalogue is what conversion gives today, and its mechanisms do what their physics does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scilaws_bench.errors import SourceIntegrityError, SourceUnavailableError
from scilaws_bench.qualitative import EpisodeTable
from scilaws_bench.qualitative.episodes import EpisodeGraph
from scilaws_bench.qualitative.solver import episode_table
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.catalogue.freezing import file_bytes
from scilaws_builders.mechreasoner.catalogue.texts import LIBRARY_VARIABLE
from scilaws_builders.mechreasoner.modelica import Instance, convert_file, convert_text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "modelica"
LIBRARY = [name for name, text in catalogue.texts().by_id.items() if text.library_sha256]
MOST_EPISODES = 100_000


def instance_of(name: str) -> Instance:
    text = catalogue.texts().by_id[name]
    if text.library_sha256:
        return convert_file(FIXTURES / f"{name}.mo", instance_id=name)
    return convert_text(text.read(), file=text.file, instance_id=name)


def table_of(name: str, scenario: str = "nominal") -> EpisodeTable:
    mechanism = catalogue.load(name).mechanism
    return episode_table(mechanism, mechanism.scenario_by_id[scenario].context)


def initial_rows(table: EpisodeTable, scenario: str = "nominal") -> list[int]:
    initial = table.mechanism.scenario_by_id[scenario].initial
    return [int(row) for row in table.matching(initial).nonzero()[0]]


def test_the_catalogue_has_the_eighteen_ids_of_the_paper() -> None:
    """Table 11 of the paper."""
    assert len(catalogue.ids()) == 18
    assert len(LIBRARY) == 12
    assert sorted(path.stem for path in catalogue.frozen_folder().glob("*.json")) == list(catalogue.ids())


@pytest.mark.parametrize("name", catalogue.ids())
def test_conversion_gives_the_frozen_document_byte_for_byte(name: str) -> None:
    document = catalogue.document_of(instance_of(name))
    assert file_bytes(document) == (catalogue.frozen_folder() / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_file_converts_to_the_same_document(name: str) -> None:
    """Unmodified files of the Modelica Standard Library, where it is reachable."""
    folder = os.environ.get(LIBRARY_VARIABLE)
    if not folder:
        pytest.skip(f"not run: set {LIBRARY_VARIABLE} to a folder with the Modelica Standard Library 4.1.0")
    text = catalogue.texts().by_id[name]
    instance = convert_text(text.read(Path(folder)), file=text.file, instance_id=name)
    assert file_bytes(catalogue.document_of(instance)) == (catalogue.frozen_folder() / f"{name}.json").read_bytes()


def test_a_library_that_is_missing_or_altered_is_named(tmp_path: Path) -> None:
    text = catalogue.texts().by_id["mechanics_damper"]
    with pytest.raises(SourceUnavailableError, match=LIBRARY_VARIABLE):
        text.read(tmp_path)
    (tmp_path / text.file).parent.mkdir(parents=True)
    (tmp_path / text.file).write_text("model Damper end Damper;", encoding="utf-8")
    with pytest.raises(SourceIntegrityError, match="expected sha256"):
        text.read(tmp_path)


@pytest.mark.parametrize("name", catalogue.ids())
def test_every_scenario_has_episodes_and_every_start_goes_on(name: str) -> None:
    mechanism = catalogue.load(name).mechanism
    assert len(mechanism.scenarios) >= 2
    for scenario in mechanism.scenarios:
        table = table_of(name, scenario.id)
        assert 0 < len(table) <= MOST_EPISODES
        rows = initial_rows(table, scenario.id)
        assert rows
        if scenario.id == "nominal":
            graph = EpisodeGraph(table)
            assert any(graph.edges(row) for row in rows), "a nominal history that ends where it begins"


def story(name: str, horizon: int) -> set[tuple[str, str, str]]:
    """Component changes within a horizon of the nominal start."""
    table = table_of(name)
    graph = EpisodeGraph(table)
    edges = graph.reachable(initial_rows(table), horizon).edges
    return {(change.component, change.source, change.target) for change in graph.component_changes(edges)}


def test_a_source_that_crosses_zero_takes_its_circuit_along() -> None:
    """A circuit without dynamic state: source, resistor and conductor change together."""
    found = story("electrical_resistor", 5)
    assert ("resistor", "FORWARD", "OFF") in found
    assert ("resistor", "OFF", "REVERSE") in found
    assert ("SineVoltage1", "POSITIVE", "ZERO") in found


def test_two_masses_reach_their_common_temperature() -> None:
    found = story("thermal_two_masses", 4)
    assert ("conduction", "FORWARD", "BALANCED") in found
    assert not {change for change in found if change[2] == "REVERSE"}


@pytest.mark.parametrize(("name", "brake"), [("force", "signForce"), ("torque", "signTorque")])
def test_brakes_switch_regime_at_their_limit_speed(name: str, brake: str) -> None:
    found = story(f"mechanics_compare_braking_{name}", 6)
    assert (brake, "POS_SATURATED", "POS_REGULARISED") in found
    assert (brake, "POS_REGULARISED", "ZERO") in found
    inverse = brake.replace("sign", "inverseSpeedDependent")
    assert (inverse, "POS_SATURATED", "POS_REGULARISED") in found


def test_the_load_of_the_inverse_brake_jumps() -> None:
    mechanism = catalogue.load("mechanics_compare_braking_force").mechanism
    jumping = {variable.id for variable in mechanism.variables if not variable.continuous}
    assert "inverseSpeedDependentForce.f" in jumping
    assert "linearSpeedDependentForce.f" not in jumping


def test_an_oscillator_passes_through_both_turning_points() -> None:
    found = story("mechanics_why_arrows", 10)
    assert {("mass1", "REST", "MOVING_NEGATIVE"), ("mass1", "MOVING_NEGATIVE", "REST")} <= found
    assert {("mass1", "REST", "MOVING_POSITIVE"), ("mass1", "MOVING_POSITIVE", "REST")} <= found
