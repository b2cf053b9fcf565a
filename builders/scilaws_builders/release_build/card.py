"""The dataset card: README.md with the YAML that `load_dataset` reads, and the attributions."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

from scilaws_bench import strict_json


def write_card(folder: Path, manifest: dict[str, Any], tasks: list[dict[str, Any]]) -> None:
    """Write README.md and ATTRIBUTION.md of a release folder."""
    import yaml

    configs = [
        {
            "config_name": table["config"],
            "data_files": [{"split": table["split"], "path": table["path"]}],
            **({"default": True} if table["config"] == "scilaws_real" else {}),
        }
        for table in manifest["tables"]
    ]
    header = {
        "pretty_name": "SciLaws-Bench",
        "license": "other",
        "license_name": "per-table",
        "license_link": "ATTRIBUTION.md",
        "language": ["en"],
        "tags": ["scientific-discovery", "symbolic-regression", "benchmark"],
        "configs": configs,
    }
    suite = manifest["suites"]["scilaws_real"]
    text = _template("dataset_card.md").substitute(
        header=yaml.safe_dump(header, sort_keys=False, allow_unicode=True).strip(),
        name=manifest["name"],
        version=manifest["version"],
        edition=manifest["edition"],
        tasks=suite["tasks"],
        single=suite["single"],
        multi=suite["multi"],
        laws=suite["reference_laws"],
        rows=f"{suite['rows']:,}",
        table="\n".join(_row(task) for task in tasks),
        not_built="\n".join(f"- {entry['id']}: {entry['reason']}" for entry in suite["not_built"]) or "None.",
        canary=manifest["canary"],
        manifest_hash=manifest["manifest_hash"],
    )
    strict_json.write_bytes(folder / "README.md", text.encode())
    attribution = "\n".join(_attribution(source) for source in manifest["sources"])
    text = _template("attribution.md").substitute(entries=attribution)
    strict_json.write_bytes(folder / "ATTRIBUTION.md", text.encode())


def _row(task: dict[str, Any]) -> str:
    cells = [
        task["problem_id"], task["discipline"], task["structure"], task["metric"], task["split"]["kind"],
        f"{task['records']['rows']:,}", f"{task['scored']['rows']:,}", task["licence"]["spdx"],
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _attribution(source: dict[str, Any]) -> str:
    cited, licence = source["data_citation"], source["licence"]
    doi = f" doi:{cited['doi']}." if cited["doi"] else ""
    return (
        f"## {source['problem']}\n\n"
        f"{cited['authors']} ({cited['year']}). {cited['title']}. {cited['venue']}.{doi}\n\n"
        f"- Licence: {licence['spdx']} ({licence['holder']}); {licence['statement']}\n"
        f"- Redistribution: {licence['redistribution']}\n"
        f"- Source: {_where(source['source'])}\n"
    )


def _where(source: dict[str, Any]) -> str:
    if source["kind"] == "pypi":
        return f"PyPI package {source['distribution']} {source['version']}, archive {source['archive']['filename']}"
    if source["kind"] == "url":
        return ", ".join(file["url"] for file in source["files"])
    return f"published dataset, problem {source['problem']}"


def _template(name: str) -> Template:
    packaged = Path(__file__).parents[1] / "templates" / name
    checkout = Path(__file__).parents[3] / "release" / "templates" / name
    return Template((packaged if packaged.is_file() else checkout).read_text(encoding="utf-8"))
