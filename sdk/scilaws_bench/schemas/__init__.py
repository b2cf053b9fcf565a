"""The contract: closed, versioned JSON Schemas (2020-12), one file per public record kind."""

from scilaws_bench.schemas._validation import KINDS, Issue, Kind, load_schema, problems_with, require

__all__ = ["KINDS", "Issue", "Kind", "load_schema", "problems_with", "require"]
