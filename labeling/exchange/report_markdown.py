"""A report as Markdown with its tables as CSV and its charts as SVG and PNG: the files of a folder or an archive.

Knows the parts of a report. What others wrote is escaped, so that it stays the text it is.
"""

import re
import unicodedata

from labeling.exchange.report_charts import DARK, INK, draw_png, draw_svg
from labeling.exchange.report_parts import Block, Chart, Quote, Report, Table, cell_text
from labeling.exchange.writing import csv_bytes

__all__ = ["write_markdown_files"]

_SIGNS = re.compile(r"([\\`*_{}\[\]<>|#~!&$])")


def write_markdown_files(report: Report) -> dict[str, bytes]:
    """The files by their names: report.md, tables/NAME.csv, charts/NAME.svg and charts/NAME.png."""
    files = {"report.md": _markdown(report).encode()}
    for table in report.tables():
        files[f"tables/{table.name}.csv"] = csv_bytes(table.data)
    for chart in report.charts():
        files[f"charts/{chart.name}.svg"] = draw_svg(chart.spec, chart.name).replace(INK, DARK).encode()
        files[f"charts/{chart.name}.png"] = draw_png(chart.spec)
    return files


def _markdown(report: Report) -> str:
    parts = [f"# {_safe(report.title)}", _safe(report.subtitle)]
    for section in report.sections:
        parts.append(f"## {_safe(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _safe(text: str) -> str:
    line = " ".join("".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text).split())
    return _SIGNS.sub(r"\\\1", line)


def _block(block: Block) -> str:
    if isinstance(block, str):
        return _safe(block)
    if isinstance(block, Quote):
        longest = max((len(run) for run in re.findall(r"`+", block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}text\n{block.text}\n{fence}"
    if isinstance(block, Chart):
        return (
            f"![{_safe(block.words)}](charts/{block.name}.png)\n\n{_safe(block.title)} ([SVG](charts/{block.name}.svg))"
        )
    return _table(block)


def _table(table: Table) -> str:
    shown = table.data.head(table.rows)
    columns = [shown[name].tolist() for name in table.shown]
    lines = [f"| {' | '.join(_safe(words) for words in table.shown.values())} |", f"|{' --- |' * len(table.shown)}"]
    lines += [f"| {' | '.join(_safe(cell_text(value)) for value in row)} |" for row in zip(*columns, strict=True)]
    more = f"\n\n{_safe(table.more)}" if table.more and len(table.data) > table.rows else ""
    link = f"[{table.name}.csv](tables/{table.name}.csv)"
    return f"**{_safe(table.title)}** ({link})\n\n" + "\n".join(lines) + more
