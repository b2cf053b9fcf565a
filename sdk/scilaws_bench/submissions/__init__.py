"""Submission bundles: create, validate, score, verify."""

from scilaws_bench.submissions.answers import Answers, answers_of_log
from scilaws_bench.submissions.bundle import Submission, create_submission, load_submission
from scilaws_bench.submissions.scoring import score_submission
from scilaws_bench.submissions.unfinished import Unfinished
from scilaws_bench.submissions.validation import validate_submission
from scilaws_bench.submissions.verification import Claim, Verification, verify_submission

__all__ = [
    "Answers",
    "Claim",
    "Submission",
    "Unfinished",
    "Verification",
    "answers_of_log",
    "create_submission",
    "load_submission",
    "score_submission",
    "validate_submission",
    "verify_submission",
]
