"""Commands that need the builders; they register through the entry-point group scilaws_bench.commands."""
