"""SciLaws problems: one folder a problem, turned into tasks and gold."""
