"""A law that searches its process for the held-out targets: frames, tracebacks, gc, sys.modules, raw memory.

Imitates the law that returned what it found as `y_test` in a caller's frame. Targets enter no sandbox, so the search
must come back empty; in the evaluator's own process the same search finds them.
"""

from __future__ import annotations

import numpy as np
from attack_kit import LIMITS, SENTINEL, X, check_honest

from scilaws_bench.laws.contract import Contract
from scilaws_bench.laws.evaluation import Rows, Unit, run_law
from scilaws_bench.sandbox import Evaluator, InProcess, Sandbox

# A number is searched for by its double, so that the search does not find what it compares with.
SEARCH = """
import collections, gc, sys
import numpy as np

def frames():
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None:
        yield frame
        frame = frame.f_back

def roots():  # the nearest first; the next is taken when all that is reachable from those before has been seen
    yield [frame.f_locals for frame in frames()]
    yield [(frame, frame.f_globals, frame.f_builtins) for frame in frames()]
    yield list(sys.modules.values())
    yield gc.get_objects()

def reachable(most):
    seen = set()
    for waiting in map(collections.deque, roots()):
        while waiting and len(seen) < most:
            thing = waiting.popleft()
            if id(thing) not in seen:
                seen.add(id(thing))
                yield thing
                waiting.extend(gc.get_referents(thing))
                if isinstance(thing, np.ndarray) and thing.base is not None:
                    waiting.append(thing.base)

def is_half_of(thing, double):
    if type(thing) is float:
        return thing * 2 == double
    if type(thing) is np.ndarray and thing.dtype == np.float64:
        return bool((thing * 2 == double).any())
    if type(thing) in (bytes, bytearray):
        return np.float64(double / 2).tobytes() in thing or repr(double / 2).encode() in thing
    return type(thing) is str and repr(double / 2) in thing

def found(double, most=10 ** 7):
    return any(is_half_of(thing, double) for thing in reachable(most))
"""
HELD_OUT, FIT_WINDOW = SENTINEL, SENTINEL + 1.0
LAW = (
    SEARCH
    + f"""
USED_INPUTS = ["x"]
LAW_CONSTANTS = {{}}
OTHER_CONSTANTS = {{}}
LOCAL_FITTABLE = {{"held_out_in_fit": {{"init": None}}, "window_in_fit": {{"init": None}}}}
seen = {{}}
def look():
    if not seen:
        seen.update(held_out=found({HELD_OUT * 2!r}, MOST), window=found({FIT_WINDOW * 2!r}, MOST))
    return seen
def fit(X, y):
    return {{"held_out_in_fit": float(look()["held_out"]), "window_in_fit": float(look()["window"])}}
def predict(X, held_out_in_fit, window_in_fit):
    return 0 * X[:, 0] + look()["held_out"] + 2 * look()["window"]
"""
)


def rows(first: float) -> Rows:
    return Rows({"x": np.arange(6.0)}, np.array([first, 2.0, 3.0, 4.0, 5.0, 6.0]))


def search_targets(evaluate: Evaluator, most: int) -> dict[str, float]:
    """What the law finds of the two targets of a group, in fit and in predict."""
    unit = Unit(1, fit=rows(FIT_WINDOW), scored=rows(HELD_OUT))
    source = LAW.replace("MOST", str(most))
    result = run_law(source, (unit,), Contract(("x",), multi=True), evaluate, seed=0, limits=LIMITS)
    assert result.failure is None, result.reason
    (group,) = result.groups
    assert group.failure is None, group.reason
    assert group.predictions is not None
    predicted = int(group.predictions[0])
    return group.parameters | {"held_out_in_predict": predicted % 2, "window_in_predict": predicted // 2}


def test_held_out_targets_are_nowhere(sandbox: Sandbox) -> None:
    """fit meets its own window, which shows that the search works there, and nothing else is met anywhere."""
    found = search_targets(sandbox, most=10**7)
    expected = {"held_out_in_fit": 0, "window_in_fit": 1, "held_out_in_predict": 0, "window_in_predict": 0}
    assert found == expected
    check_honest(sandbox)


def test_the_search_finds_them_in_the_evaluators_process() -> None:
    found = search_targets(InProcess(), most=30_000)
    assert set(found.values()) == {1}


def test_the_search_is_complete(sandbox: Sandbox) -> None:
    """It ends by itself, far below its bound, having seen the objects of numpy, scipy and the worker."""
    source = SEARCH + "LAW_CONSTANTS = [sum(1 for _ in reachable(10 ** 7))]"
    result = sandbox.describe(source, LIMITS)
    assert result.values is not None
    assert 50_000 < result.values["law_constants"][0] < 10**7


def test_no_code_of_the_evaluator_is_loaded(sandbox: Sandbox) -> None:
    """sys.modules has the worker, numpy and scipy; no module of this project, and no way to import one."""
    source = "import sys\nLAW_CONSTANTS = sorted({name.split('.')[0] for name in sys.modules})"
    result = sandbox.describe(source, LIMITS)
    assert result.values is not None
    loaded = set(result.values["law_constants"])
    assert {"_worker", "numpy", "scipy"} <= loaded
    foreign = {name for name in loaded if name.startswith(("scilaws", "statsmodels", "pandas", "sklearn", "pytest"))}
    assert not foreign


RAW_MEMORY = """
import ctypes
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
PAGE = 4096

def readable(address):  # access(2) answers EFAULT for a name it cannot read, and ENOENT or so for one it can
    ctypes.set_errno(0)
    libc.access(ctypes.c_void_p(address), 0)
    return ctypes.get_errno() != 14

def pages():
    end = libc.sbrk(0)
    anchors = [end - (64 << 20), *(np.empty(n).ctypes.data - (32 << 20) for n in (10, 10 ** 4, 10 ** 6))]
    for start in sorted(a // PAGE * PAGE for a in anchors):
        for address in range(start, start + (64 << 20), PAGE):
            if readable(address):
                yield ctypes.string_at(address, PAGE)

def holds_half_of(double):  # copies of pages lie in memory too: the number itself must not be there to be found
    with np.errstate(all='ignore'):
        return any((np.frombuffer(page) * 2 == double).any() for page in pages())
"""


def test_nothing_of_an_earlier_call_is_in_raw_memory(sandbox: Sandbox) -> None:
    """The heap and the mappings around numpy's arrays, page by page: freed memory counts too."""
    target = SENTINEL + 7.0
    y = X[:, 0] + target
    assert sandbox.fit("def fit(X, y):\n    return {'a': y[0]}", X, y, {}, 0, LIMITS).ok
    body = f"def fit(X, y):\n    return {{'earlier': holds_half_of({target * 2!r}), 'own': holds_half_of(y[0] * 2)}}\n"
    result = sandbox.fit(RAW_MEMORY + body.replace("holds", "0.0 + holds"), X, y + 3.0, {}, 0, LIMITS)
    assert result.values == {"earlier": 0.0, "own": 1.0}, result.error
    check_honest(sandbox)
