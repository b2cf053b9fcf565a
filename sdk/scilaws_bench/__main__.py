"""`python -m scilaws_bench` is the command line."""

from scilaws_bench.cli import main

if __name__ == "__main__":
    main(prog_name="scilaws-bench")
