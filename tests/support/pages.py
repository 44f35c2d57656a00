"""The pages of the app by their addresses."""

LEAD_PAGES = (
    "progress",
    "questions",
    "raters",
    "agreement",
    "settle",
    "agenda",
    "qrels",
    "scores",
    "disagreement",
    "report",
    "setup",
    "people",
)
