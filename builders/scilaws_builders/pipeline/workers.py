"""Worker processes of a build."""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing.connection import wait


def die_with_parent() -> None:
    """Initialiser of a pool's worker: end at once when the process that started it is gone.

    A pool's worker waits for work on a pipe that its siblings hold open, so after a kill -9 of the
    build it would stay for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
