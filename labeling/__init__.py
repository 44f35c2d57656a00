"""The work with people: projects, queue, judgments, agreement, decisions, releases."""
