"""The law contract: one Python module with `predict` and, for groups, `fit`."""

from scilaws_bench.laws.contract import Contract, Declarations, LawFault, declarations_of
from scilaws_bench.laws.evaluation import GroupRun, LawRun, Rows, Unit, run_law
from scilaws_bench.laws.gate import MAX_SOURCE_BYTES, decode_source, read_source, static_findings, syntax_fault

__all__ = [
    "MAX_SOURCE_BYTES",
    "Contract",
    "Declarations",
    "GroupRun",
    "LawFault",
    "LawRun",
    "Rows",
    "Unit",
    "declarations_of",
    "decode_source",
    "read_source",
    "run_law",
    "static_findings",
    "syntax_fault",
]
