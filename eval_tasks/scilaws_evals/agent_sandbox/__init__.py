"""The machine room of `sandbox="scilaws"`: one bubblewrap namespace a sample, and what is visible in it.

`machine` starts and talks to it, `layout` writes bwrap's command line, `programs` chooses what can be run,
`system_calls` what the kernel refuses, `_inside` is the process that serves the host from within.
"""

from .machine import Command, Ended, Machine, MachineLostError
from .readiness import require_ready

__all__ = ["Command", "Ended", "Machine", "MachineLostError", "require_ready"]
