"""Systems whose relations are known: by hand, or by count from earlier work with another program.

Every mechanism here has one component state per component (nothing switches): it is a plain
relation over signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scilaws_bench.qualitative import (
    POSITIVE,
    SIGNS,
    Component,
    Mechanism,
    Scenario,
    Variable,
    parse_confluence,
)


def plain_mechanism(name: str, laws: Mapping[str, str], *, positive: Iterable[str] = ()) -> Mechanism:
    """A mechanism of one component without states to speak of, from laws as text.

    Args:
        name: its id.
        laws: name of the law → its text; the variables are those of the laws, in order of appearance.
        positive: variables that are parameters, of sign +.
    """
    confluences = tuple(parse_confluence(law, text, "system") for law, text in laws.items())
    names = list(dict.fromkeys(variable for law in confluences for variable in law.variables))
    fixed = set(positive)
    return Mechanism(
        id=name,
        title=name,
        components=(Component("system", "System", ("ONLY",)),),
        spaces=(SIGNS, POSITIVE),
        variables=tuple(
            Variable(v, "system", "positive", "parameter") if v in fixed else Variable(v, "system", "signs")
            for v in names
        ),
        confluences=confluences,
        restrictions=(),
        declarations=(),
        scenarios=(Scenario("free"),),
    )


def mass_spring_damper() -> Mechanism:
    """m a + d v + k s = 0 with the forces and their rates as variables."""
    return plain_mechanism("mass_spring_damper", {"newton": "a + v + s"})


def thermal_network(name: str, links: Iterable[tuple[int, int]]) -> Mechanism:
    """Thermal masses joined by conductors: heat flows `q`, temperature differences `d`, and their rates.

    A mass has T and dT and one balance; a conductor has d, q, dd, dq and four laws.
    """
    pairs = list(links)
    balance: dict[int, str] = {}
    laws: dict[str, str] = {}
    for place, (left, right) in enumerate(pairs):
        laws[f"difference{place}"] = f"d{place} - T{left} + T{right}"
        laws[f"fourier{place}"] = f"q{place} - d{place}"
        laws[f"difference_rate{place}"] = f"dd{place} - dT{left} + dT{right}"
        laws[f"fourier_rate{place}"] = f"dq{place} - dd{place}"
        balance[left] = balance.get(left, "") + f" + q{place}"
        balance[right] = balance.get(right, "") + f" - q{place}"
    laws |= {f"balance{mass}": f"dT{mass}{flows}" for mass, flows in sorted(balance.items())}
    return plain_mechanism(name, laws)


def two_masses() -> Mechanism:
    """Two thermal masses and a conductor: 8 variables, 6 laws, 13 interpretations."""
    return thermal_network("two_masses", [(0, 1)])


def thermal_chain(masses: int = 3) -> Mechanism:
    """A chain of thermal masses (three: 14 variables, 11 laws, 143 interpretations)."""
    return thermal_network(f"thermal_chain_{masses}", [(place, place + 1) for place in range(masses - 1)])


def thermal_star(masses: int = 4) -> Mechanism:
    """One thermal mass joined to all others (four: 20 variables, 16 laws, 1,465 interpretations)."""
    return thermal_network(f"thermal_star_{masses}", [(0, place) for place in range(1, masses)])


def electrothermal_ladder(resistors: int = 4, *, full: bool = True) -> Mechanism:
    """A source and a ladder of heating resistors: series R1, shunt R2, series R3, shunt R4, …

    Per resistor: Ohm's law, Joule heat P = v i, heat lost Q to the surroundings by its excess
    temperature theta, and the heat balance. `full` adds the rates: dR follows dtheta, and the
    images dv = R di + i dR and dP = v di + i dv, and the rates of the circuit laws.

    Args:
        resistors: an even number ≥ 2 (2 full: 24 variables, 18 laws, 1,321 interpretations; 4 static:
            29, 20, 1,331; 4 full: 46, 36, 528,769).
        full: with rates.
    """
    laws: dict[str, str] = {}
    for n in range(1, resistors + 1):
        laws[f"ohm{n}"] = f"v{n} - R{n} * i{n}"
        laws[f"joule{n}"] = f"P{n} - v{n} * i{n}"
        laws[f"loss{n}"] = f"Q{n} - theta{n}"
        laws[f"heat{n}"] = f"dtheta{n} - P{n} + Q{n}"
        if full:
            laws[f"resistance_rate{n}"] = f"dR{n} - dtheta{n}"
            laws[f"ohm_rate{n}"] = f"dv{n} - R{n} * di{n} - i{n} * dR{n}"
            laws[f"joule_rate{n}"] = f"dP{n} - v{n} * di{n} - i{n} * dv{n}"
    for rate in ("", "d") if full else ("",):
        for n in range(1, resistors, 2):
            feed = f"{rate}Vs" if n == 1 else f"{rate}v{n - 1}"
            laws[f"mesh{rate}{n}"] = f"{feed} - {rate}v{n} - {rate}v{n + 1}"
            onward = f" - {rate}i{n + 2}" if n + 2 <= resistors else ""
            laws[f"node{rate}{n}"] = f"{rate}i{n} - {rate}i{n + 1}{onward}"
    name = f"ladder_{resistors}_{'full' if full else 'static'}"
    return plain_mechanism(name, laws, positive=[f"R{n}" for n in range(1, resistors + 1)])
