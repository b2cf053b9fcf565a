"""What Inspect registers: `scilaws_evals/<name>` for each object imported here. Heavy parts load when called.

Inspect puts the package's name before a registered one only if the package lies in site-packages or
is installed editable under a distribution of its very name. Ours is called scilaws-bench, so in an
editable install the names are registered a second time with the prefix.
"""

from inspect_ai import task
from inspect_ai.agent import agent
from inspect_ai.scorer import scorer
from inspect_ai.util import registry_info

from scilaws_evals.environment import ScilawsSandbox
from scilaws_evals.native_agent import native_agent
from scilaws_evals.offline import scilaws
from scilaws_evals.real import scilaws_real
from scilaws_evals.scorer import METRICS, infrastructure_failures, numeric_score, strict_mean
from scilaws_evals.tools import python, submit_law
from scilaws_evals.xml_agent import xml_agent

__all__ = [
    "ScilawsSandbox",
    "infrastructure_failures",
    "native_agent",
    "numeric_score",
    "python",
    "scilaws",
    "scilaws_real",
    "strict_mean",
    "submit_law",
    "xml_agent",
]

if "/" not in registry_info(scilaws_real).name:
    task(name="scilaws_evals/scilaws_real")(scilaws_real)
    agent(name="scilaws_evals/xml_agent")(xml_agent)
    agent(name="scilaws_evals/native_agent")(native_agent)
    scorer(name="scilaws_evals/numeric_score", metrics=METRICS)(numeric_score)
