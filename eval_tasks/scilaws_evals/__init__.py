"""SciLaws-Bench through Inspect AI: tasks, agents, tools, scorers and offline models.

Inspect finds everything through the entry point `scilaws_evals` (`scilaws_evals/_registry.py`);
importing this package alone loads nothing.
"""
