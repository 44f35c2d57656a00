"""A report as one HTML page that needs nothing else: its charts and its look stand inside; no script, no outside address.

Knows the parts of a report. Every text is escaped, whoever wrote it.
"""

import html

from labeling.exchange.report_charts import draw_svg
from labeling.exchange.report_parts import Block, Chart, Quote, Report, Table, cell_text

__all__ = ["write_html"]

_STYLE = """
:root{color-scheme:light dark;--ink:#1b2422;--soft:#5c6966;--paper:#fff;--line:#d7dfdd;--shade:#f3f7f6;--accent:#0b6e69}
@media (prefers-color-scheme:dark){:root{--ink:#e6edeb;--soft:#9fb0ac;--paper:#141a19;--line:#33403d;--shade:#1c2423;--accent:#5cc4b8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:58rem;padding:2rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,"Noto Sans KR","Noto Sans CJK KR","Apple SD Gothic Neo","Malgun Gothic",sans-serif;word-break:keep-all;overflow-wrap:anywhere}
h1{font-size:1.8rem;line-height:1.25;margin:0 0 .3rem}
h2{font-size:1.25rem;margin:2.6rem 0 .6rem;padding-top:.7rem;border-top:2px solid var(--accent)}
header p,figcaption,.more,caption{color:var(--soft)}
nav ol{columns:2;padding-left:1.2rem}nav a{color:var(--accent)}
figure{margin:1.2rem 0;overflow-x:auto}figure svg{max-width:100%;height:auto;color:var(--ink)}
figcaption,caption,.more{font-size:.875rem;text-align:left}caption{padding:.3rem 0}
.table{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:normal}
td.n,th.n{text-align:right}thead th{background:var(--shade);font-weight:600}
blockquote{margin:1rem 0;padding:.7rem 1rem;border-left:4px solid var(--accent);background:var(--shade);white-space:pre-wrap;unicode-bidi:isolate}
@media (max-width:40rem){nav ol{columns:1}body{font-size:15px}}
@media print{body{max-width:none;padding:0;font-size:10.5pt}:root{--ink:#000;--soft:#444;--paper:#fff;--line:#bbb;--shade:#f3f3f3;--accent:#0b6e69}
nav{display:none}h2{break-after:avoid}figure,tr,blockquote{break-inside:avoid}thead{display:table-header-group}.table,figure{overflow:visible}}
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_html(report: Report) -> str:
    """The whole page."""
    parts = [
        f'<!doctype html>\n<html lang="{_safe(report.language)}">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_safe(_POLICY)}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{_safe(report.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>",
        f"<header><h1><bdi>{_safe(report.title)}</bdi></h1><p>{_safe(report.subtitle)}</p></header>",
        "<nav><ol>",
        *(f'<li><a href="#s{place}">{_safe(one.title)}</a></li>' for place, one in enumerate(report.sections)),
        "</ol></nav>\n<main>",
    ]
    for place, section in enumerate(report.sections):
        parts.append(f'<section>\n<h2 id="s{place}">{_safe(section.title)}</h2>')
        parts += [_block(block) for block in section.blocks]
        parts.append("</section>")
    return "\n".join([*parts, "</main>\n</body>\n</html>"]) + "\n"


def _safe(text: str) -> str:
    return html.escape(text, quote=True).replace("\x00", "\N{REPLACEMENT CHARACTER}")


def _block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_safe(block)}</p>"
    if isinstance(block, Quote):
        return f'<blockquote dir="auto">{_safe(block.text)}</blockquote>'
    if isinstance(block, Chart):
        svg = draw_svg(block.spec, block.name)
        return f'<figure role="img" aria-label="{_safe(block.words)}">\n{svg}\n<figcaption>{_safe(block.title)}</figcaption></figure>'
    return _table(block)


def _table(table: Table) -> str:
    shown = table.data.head(table.rows)
    numbers = {name for name in table.shown if table.data[name].dtype.kind in "if"}
    kind = {name: ' class="n"' if name in numbers else "" for name in table.shown}
    head = "".join(f'<th scope="col"{kind[name]}>{_safe(words)}</th>' for name, words in table.shown.items())
    columns = [shown[name].tolist() for name in table.shown]
    rows = [
        "".join(f"<td{kind[name]}>{_safe(cell_text(value))}</td>" for name, value in zip(table.shown, row, strict=True))
        for row in zip(*columns, strict=True)
    ]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    more = f'\n<p class="more">{_safe(table.more)}</p>' if table.more and len(table.data) > table.rows else ""
    return (
        f'<div class="table" tabindex="0"><table><caption>{_safe(table.title)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{more}"
    )
