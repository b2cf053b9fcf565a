"""The grader's side: gold is opened here and nowhere else in this package. No agent or tool imports this."""

from __future__ import annotations

from threading import Lock

from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import NUMERIC, Anchors, NumericGold, Verdict, anchors_of, score_numeric
from scilaws_bench.scoring.numeric import NUMERIC_VERSION

SUITE = "scilaws_real"
SCORER_VERSIONS = {NUMERIC: NUMERIC_VERSION}


class Grader:
    """Scores laws on the tasks of one release; anchors are computed once a task. Thread-safe."""

    def __init__(self, release: Release, evaluate: Evaluator) -> None:
        self.release = release
        self._evaluate = evaluate
        self._gold: dict[str, tuple[NumericGold, Anchors]] = {}
        self._locks = {task_id: Lock() for task_id in release.tasks}

    def numeric(self, task_id: str, law: str) -> Verdict:
        """S_N of a law, by the same function that scores and verifies bundles.

        Raises ReleaseError or SealError for gold that can't be opened.
        """
        with self._locks[task_id]:
            if task_id not in self._gold:
                gold = self._open(task_id)
                self._gold[task_id] = gold, anchors_of(gold, self._evaluate)
        gold, anchors = self._gold[task_id]
        return score_numeric(law, gold, self._evaluate, anchors)

    def without_law(self, task_id: str, reason: str, failure: str) -> Verdict:
        """The verdict of a task that was not answered: no score, and why."""
        gold = self._gold[task_id][0] if task_id in self._gold else self._open(task_id)
        return Verdict(
            task_id, SUITE, NUMERIC, NUMERIC_VERSION, None, failure, reason, (), None, None,
            gold.task_hash, gold.gold_hash, self._evaluate.level,
        )  # fmt: skip

    def _open(self, task_id: str) -> NumericGold:
        return NumericGold.from_json(open_gold(self.release, task_id), self.release.task(task_id))
