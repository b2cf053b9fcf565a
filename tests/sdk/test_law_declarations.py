"""What a law declares and what its fit returns, against the task: every fault is named."""

from __future__ import annotations

import math
from typing import Any

import pytest

from scilaws_bench.laws import Contract, LawFault, declarations_of
from scilaws_bench.laws.contract import fitted_parameters

MULTI = Contract(("x", "z"), multi=True, max_law_constants=1, max_local_params=2, max_init_size=3)
SINGLE = Contract(("x", "z"), multi=False)
LAW: dict[str, Any] = {
    "used_inputs": ["z", "x"],
    "law_constants": {"k": 2},
    "other_constants": {},
    "local_fittable": {"b": {"init": [1, 2]}, "a": {}},
    "has_predict": True,
    "has_fit": True,
    "predict_parameters": ["X"],
}
GLOBAL = LAW | {"local_fittable": {}, "has_fit": False}


def test_declarations_keep_their_order_and_become_floats() -> None:
    found = declarations_of(LAW, MULTI)
    assert found.used_inputs == ("z", "x")
    assert found.law_constants == {"k": 2.0}
    assert isinstance(found.law_constants["k"], float)
    assert (found.local_names, found.init_sizes, found.has_fit) == (("b", "a"), (2, 1), True)


@pytest.mark.parametrize(
    ("contract", "change", "reason"),
    [
        (MULTI, {"has_predict": False, "used_inputs": None}, "defines no function predict"),
        (MULTI, {"used_inputs": ["x", "group_id"]}, "'group_id'; the task's inputs are 'x', 'z'"),
        (MULTI, {"used_inputs": []}, "used_inputs"),
        (MULTI, {"used_inputs": None}, "law.used_inputs: expected type array; found None"),
        (MULTI, {"law_constants": {"k": "<nan>"}}, "law.law_constants.k: expected type number; found '<nan>'"),
        (MULTI, {"law_constants": {"k": [1.0, 2.0]}}, "law_constants.k"),
        (MULTI, {"other_constants": None}, "other_constants"),
        (MULTI, {"local_fittable": {"k": {"init": 1}}}, "'k' declared both"),
        (MULTI, {"has_fit": False}, "must define fit"),
        (SINGLE, {}, "LOCAL_FITTABLE must be empty in a single-group task; it names 'a', 'b'"),
    ],
)
def test_a_declaration_at_odds_with_schema_or_task(contract: Contract, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(LawFault) as caught:
        declarations_of(LAW | change, contract)
    assert reason in caught.value.reason
    assert caught.value.failure == "protocol"


def test_a_long_list_of_names_is_cut() -> None:
    with pytest.raises(LawFault, match="and 94 more"):
        declarations_of(LAW | {"used_inputs": [f"c{n}" for n in range(100)]}, MULTI)


def test_a_law_without_local_parameters_fits_any_task() -> None:
    for contract in (SINGLE, MULTI):
        assert declarations_of(GLOBAL, contract).local_names == ()


@pytest.mark.parametrize(
    ("change", "flags"),
    [
        ({}, ()),
        ({"law_constants": {"k": 1, "l": 2}}, ("cap:law_constants:2>1",)),
        ({"local_fittable": {"a": {}, "b": {}, "c": {"init": [1, 2, 3, 4]}}},
         ("cap:init_size:4>3", "cap:local_params:3>2")),
        ({"local_fittable": {}}, ("unused:fit",)),
    ],
)  # fmt: skip
def test_sizes_beyond_a_cap_are_flagged_not_refused(change: dict[str, Any], flags: tuple[str, ...]) -> None:
    assert declarations_of(LAW | change, MULTI).flags(MULTI) == flags


def test_a_task_without_caps_flags_nothing() -> None:
    contract = Contract(("x", "z"), multi=True)
    assert declarations_of(LAW, contract).flags(contract) == ()


@pytest.mark.parametrize("value", [1, 1.5, -0.0, 1e308, 10**30])
def test_fitted_numbers_become_floats(value: float) -> None:
    found = fitted_parameters({"b": 2, "a": value}, ("a", "b"))
    assert list(found.items()) == [("a", float(value)), ("b", 2.0)]
    assert all(type(number) is float for number in found.values())


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "fit returned NoneType, not a dict"),
        ([1.0], "fit returned list, not a dict"),
        ("<tuple>", "fit returned <tuple>, not a dict"),
        ({"a": 1.0}, "lacks 'b'"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, "has unexpected 'c'"),
        ({"a": 1.0, "c": 1.0}, "lacks 'b' and has unexpected 'c'"),
        ({"a": 1.0, "b": "<ndarray>"}, "<ndarray> for 'b', not a real number"),
        ({"a": 1.0, "b": None}, "None for 'b'"),
        ({"a": True, "b": 1.0}, "True for 'a'"),
        ({"a": 1.0, "b": 1j}, "for 'b', not a real number"),
        ({"a": math.nan, "b": 1.0}, "not finite for 'a'"),
        ({"a": 1.0, "b": -math.inf}, "not finite for 'b'"),
    ],
)
def test_a_faulty_fit_names_the_key(returned: Any, reason: str) -> None:
    with pytest.raises(LawFault) as caught:
        fitted_parameters(returned, ("a", "b"))
    assert reason in caught.value.reason
