"""What makes a release of SciLaws-Bench: sources, problems, splits, sealed gold."""
