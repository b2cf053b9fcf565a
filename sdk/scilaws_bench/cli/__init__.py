"""The command line: `scilaws-bench NOUN VERB`."""

from scilaws_bench.cli.main import main

__all__ = ["main"]
