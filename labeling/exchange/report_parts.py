"""What a report is made of: sections of paragraphs, tables, charts and quoted texts, in one language, without a look.

Knows texts and tables that are ready to be shown; the shapes stand in report_html.py and report_markdown.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

__all__ = ["Block", "Chart", "Quote", "Report", "Section", "Table", "cell_text"]


@dataclass(frozen=True)
class Quote:
    """A text that people wrote, word for word."""

    text: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table under a name for its file; shown holds the headings of the columns that a page has room for, by name.

    rows is how many rows a page shows at most; the file has them all.
    """

    name: str
    title: str
    data: pd.DataFrame
    shown: dict[str, str]
    rows: int = 100
    more: str = ""


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart under a name for its file: a Vega-Lite specification, and words for those who do not see it."""

    name: str
    title: str
    spec: dict[str, Any]
    words: str


Block = str | Quote | Table | Chart


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Report:
    """A whole report; date is the day of the newest judgment."""

    title: str
    subtitle: str
    language: str
    sections: tuple[Section, ...]

    def tables(self) -> list[Table]:
        """Every table in its order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    def charts(self) -> list[Chart]:
        """Every chart in its order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Chart)]


def cell_text(value: Any) -> str:
    """A value as a table shows it: four decimals, nothing where there is nothing."""
    if value is None or (not isinstance(value, str | list | dict) and pd.isna(value)):
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)
