"""What makes the MechReasoner suite: mechanisms, task families, checks of its gold."""
