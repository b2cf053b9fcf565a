"""Checks of a mechanism document that a JSON schema can't express, each fault with its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative.spaces import Cell, QuantitySpace
from scilaws_bench.schemas import Issue

Document = Mapping[str, Any]


def mechanism_issues(document: Document) -> list[Issue]:
    """All faults of a document that follows `mechanism.schema.json`, in document order."""
    names = _Names(document)
    return [
        *_duplicates(document),
        *_space_issues(document),
        *_variable_issues(document, names),
        *_confluence_issues(document, names),
        *_restriction_issues(document, names),
        *_declaration_issues(document, names),
        *_scenario_issues(document, names),
    ]


class _Names:
    """What the document declares, for looking names up."""

    def __init__(self, document: Document) -> None:
        self.states = {item["id"]: tuple(item["states"]) for item in document["components"]}
        self.spaces = {item["id"]: tuple(cell["id"] for cell in item["cells"]) for item in document["spaces"]}
        self.cells = {item["id"]: self.spaces.get(item["space"], ()) for item in document["variables"]}
        self.coordinates = {item["id"] for item in document["variables"] if item["derivative"] is not None}

    def component(self, path: str, name: str | None) -> Iterator[Issue]:
        if name is not None and name not in self.states:
            yield _unknown(path, "a declared component", name, self.states)

    def state(self, path: str, component: str, name: str) -> Iterator[Issue]:
        if component in self.states and name not in self.states[component]:
            yield _unknown(path, f"a state of {component}", name, self.states[component])

    def variable(self, path: str, name: str) -> Iterator[Issue]:
        if name not in self.cells:
            yield _unknown(path, "a declared variable", name, self.cells)

    def restricted(self, path: str, restrictions: Mapping[str, list[str]]) -> Iterator[Issue]:
        for variable, cells in restrictions.items():
            place = f"{path}.{variable}"
            yield from self.variable(place, variable)
            yield from self.known_cells(place, variable, cells)

    def known_cells(self, path: str, variable: str, cells: list[str]) -> Iterator[Issue]:
        for cell in cells:
            if self.cells.get(variable) and cell not in self.cells[variable]:
                yield _unknown(path, f"a cell of {variable}", cell, self.cells[variable])


def _unknown(path: str, expected: str, found: str, known: Any) -> Issue:
    close = difflib.get_close_matches(found, list(known), n=1)
    listed = ", ".join(list(known)[:8]) or "none is declared"
    return Issue(path, expected, repr(found), f"Did you mean {close[0]!r}?" if close else f"Known: {listed}.")


def _duplicates(document: Document) -> Iterator[Issue]:
    for kind in ("components", "spaces", "variables", "confluences", "declarations", "scenarios"):
        seen: set[str] = set()
        for place, item in enumerate(document[kind]):
            if item["id"] in seen:
                yield Issue(f"$.{kind}[{place}].id", "an id used once", repr(item["id"]), "Rename one of them.")
            seen.add(item["id"])
    for place, item in enumerate(document["components"]):
        if len(set(item["states"])) < len(item["states"]):
            yield Issue(f"$.components[{place}].states", "different states", str(item["states"]), "Remove repeats.")


def _space_issues(document: Document) -> Iterator[Issue]:
    for place, item in enumerate(document["spaces"]):
        try:
            QuantitySpace(item["id"], tuple(Cell(**cell) for cell in item["cells"]))
        except MechanismError as error:
            yield Issue(f"$.spaces[{place}].cells", error.expected, error.found, error.remedy)


def _variable_issues(document: Document, names: _Names) -> Iterator[Issue]:
    parent: dict[str, str] = {}
    for place, item in enumerate(document["variables"]):
        path = f"$.variables[{place}]"
        yield from names.component(f"{path}.component", item["component"])
        if item["space"] not in names.spaces:
            yield _unknown(f"{path}.space", "a declared quantity space", item["space"], names.spaces)
        rate = item["derivative"]
        if rate is not None:
            yield from names.variable(f"{path}.derivative", rate)
            if rate == item["id"] or rate in parent:
                owner = parent.get(rate, item["id"])
                yield Issue(f"{path}.derivative", "one variable for each derivative", f"{rate}, also of {owner}", "")
            parent[rate] = item["id"]
            if item["role"] in ("parameter", "derivative"):
                remedy = "Use the role quantity, or drop the derivative."
                yield Issue(f"{path}.role", "quantity or input beside a derivative", repr(item["role"]), remedy)
        if item["role"] == "parameter" and len(names.spaces.get(item["space"], ("one",))) != 1:
            yield Issue(f"{path}.space", "one cell for a parameter", item["space"], "Use a space of one cell.")


def _confluence_issues(document: Document, names: _Names) -> Iterator[Issue]:
    for place, law in enumerate(document["confluences"]):
        path = f"$.confluences[{place}]"
        yield from names.component(f"{path}.component", law["component"])
        for entry_place, entry in enumerate(law["active"]):
            entry_path = f"{path}.active[{entry_place}]"
            yield from names.component(f"{entry_path}.component", entry["component"])
            for state in entry["states"]:
                yield from names.state(f"{entry_path}.states", entry["component"], state)
        for term_place, term in enumerate(law["terms"]):
            for factor_place, factor in enumerate(term["factors"]):
                factor_path = f"{path}.terms[{term_place}].factors[{factor_place}].variable"
                yield from names.variable(factor_path, factor["variable"])


def _restriction_issues(document: Document, names: _Names) -> Iterator[Issue]:
    left: dict[tuple[str, str, str], set[str]] = {}
    for place, item in enumerate(document["restrictions"]):
        path = f"$.restrictions[{place}]"
        yield from names.component(f"{path}.component", item["component"])
        yield from names.state(f"{path}.state", item["component"], item["state"])
        yield from names.restricted(path, {item["variable"]: item["cells"]})
        key = (item["component"], item["state"], item["variable"])
        left[key] = left.get(key, set(item["cells"])) & set(item["cells"])
        if not left[key]:
            found = f"contradictory restrictions of {item['variable']} in state {item['state']}"
            yield Issue(f"{path}.cells", "a cell left", found, "Drop one of them.")


def _declaration_issues(document: Document, names: _Names) -> Iterator[Issue]:
    for place, item in enumerate(document["declarations"]):
        path = f"$.declarations[{place}]"
        yield from names.component(f"{path}.component", item["component"])
        for end in ("source", "target"):
            yield from names.state(f"{path}.{end}", item["component"], item[end])
            yield from names.restricted(f"{path}.{end}_guards", item[f"{end}_guards"])
        if item["source"] == item["target"]:
            yield Issue(f"{path}.target", "another state than the source", repr(item["target"]), "Remove it.")
        if item["event"] is not None and item["event"] not in names.coordinates:
            yield _unknown(f"{path}.event", "a variable with a declared derivative", item["event"], names.coordinates)


def _scenario_issues(document: Document, names: _Names) -> Iterator[Issue]:
    for place, item in enumerate(document["scenarios"]):
        path = f"$.scenarios[{place}]"
        for layer in ("context", "initial"):
            yield from names.restricted(f"{path}.{layer}", item[layer])
        for variable in sorted(set(item["context"]) & set(item["initial"])):
            if not set(item["context"][variable]) & set(item["initial"][variable]):
                found = f"contradictory restrictions of {variable} in context and initial"
                yield Issue(f"{path}.initial.{variable}", "a cell left", found, "Make them overlap.")
