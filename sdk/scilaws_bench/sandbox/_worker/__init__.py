"""Code that runs inside the sandbox: standard library and numpy only, never the rest of scilaws_bench.

This folder is what a zygote sees as ``_worker``; the host imports the same files to encode requests and, in
:class:`~scilaws_bench.sandbox.InProcess`, to execute them. Imports in here are relative, so both names work.
"""
