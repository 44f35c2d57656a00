"""The demo project's content: queries, documents, rubric, runs, simulated votes and decisions, all made for it.

Files only; nothing here knows the database. make_runs.py and make_votes.py write what can be made again.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the demo's files lie."""
