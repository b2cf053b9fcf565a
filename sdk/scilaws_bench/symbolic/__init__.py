"""The symbolic baseline of MechReasoner: from prompt text alone to an answer, by the public simulator."""
