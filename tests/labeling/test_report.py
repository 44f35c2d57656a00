"""The report: complete, the same bytes each time, safe whoever wrote its texts, in the person's language, and without the network."""

import csv
import io
import re
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from sqlalchemy import text

from labeling import collection, disputes, projects
from labeling.__main__ import main
from labeling.accounts import COMMAND_LINE, Actor
from labeling.database import reading, writing
from labeling.demo_project import DEMO_NAME, make_demo
from labeling.errors import AssayError, NotAllowed
from labeling.exchange.report_html import write_html
from labeling.report import build_report, report_archive, report_files
from labeling.votes import read_votes
from metrics import disagreement
from tests.support.campaign import make_project

pytestmark = pytest.mark.usefixtures("database")

HOSTILE = '<script>alert(1)</script> | **x** "quoted" & `code`'


class Page(HTMLParser):
    """The tags of a page, its addresses, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def demo() -> projects.Project:
    with writing() as session:
        make_demo(session)
    with reading() as session:
        return projects.get_project_by_name(session, COMMAND_LINE, DEMO_NAME)


def report_of(project: projects.Project, **chosen: object):
    with reading() as session:
        return build_report(session, COMMAND_LINE, project.id, **chosen)


def test_the_report_says_everything_that_stands_behind_the_scores(demo: projects.Project) -> None:
    report = report_of(demo)
    page = Page(write_html(report)).text
    with reading() as session:
        votes = read_votes(session, COMMAND_LINE, demo.id)
        runs = collection.read_runs(session, demo.id)
        decided = len(disputes.read_decisions(session, COMMAND_LINE, demo.id))
        newest = session.execute(text("SELECT MAX(judged_at) FROM judgment")).scalar_one()
    study = disagreement(votes, runs, ["nDCG@10"])
    assert f"The state of {str(newest)[:10]} (UTC)" in page
    assert f"{len(votes)} votes, 4 raters, {decided} decisions" in page
    for run in runs:
        row = study.systems.set_index("run").loc[run.tag]
        assert f"{row['mean']:.4f}" in page
    tables = {table.name: table for table in report.tables()}
    assert set(tables) >= {
        "agreement",
        "boundaries",
        "decisions",
        "systems-nDCG-10",
        "verdicts-nDCG-10",
        "definitions",
        "inputs",
    }
    assert tables["decisions"].data["decisions"].sum() == decided
    assert len(tables["verdicts-nDCG-10"].data) == 3
    definitions = dict(tables["definitions"].data.itertuples(index=False))
    assert definitions["rule.rule"] == "majority"
    assert definitions["disagreement.nDCG@10.seed"] == "0"
    assert "doc_id descending" in definitions["disagreement.nDCG@10.order"]


def test_the_same_ledger_gives_the_same_bytes_and_another_act_gives_others(demo: projects.Project) -> None:
    first = report_archive(report_of(demo))
    assert report_archive(report_of(demo)) == first
    with reading() as session:
        dispute = disputes.list_disputes(session, COMMAND_LINE, demo.id, settled=False)[0]
    with writing() as session:
        disputes.decide(session, COMMAND_LINE, demo.id, dispute.pair, grade=1, reason="other", act_id="one-more")
    assert report_archive(report_of(demo)) != first


def test_the_page_needs_nothing_else_and_runs_no_script(demo: projects.Project) -> None:
    text_of = write_html(report_of(demo))
    page = Page(text_of)
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert page.tags.count("svg") == 4
    assert all(address.startswith("#") for address in page.addresses)
    outside = re.findall(r"https?://[^\s\"'<>]+", text_of)
    assert set(outside) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    ids = re.findall(r'\bid="([^"]+)"', text_of)
    assert len(ids) == len(set(ids))


def test_what_people_wrote_is_shown_as_text(tmp_path) -> None:
    number = make_project(name=HOSTILE, note=HOSTILE)
    with writing() as session:
        tag = "<img/src=x/onerror=alert(1)>"
        collection.add_run(session, COMMAND_LINE, number, f"q0 Q0 d0 1 2 {tag}\nq1 Q0 d0 1 2 {tag}\n".encode(), "a.run")
    rows = "".join(f"q{q},d0,{rater},{q + n}\n" for q in range(2) for n, rater in enumerate(("<b>bo</b>", "_x_|y")))
    (tmp_path / "votes.csv").write_text("query_id,doc_id,rater,grade\n" + rows)
    assert main(["import", "judgments", str(tmp_path / "votes.csv"), "--project", HOSTILE]) == 0
    with reading() as session:
        project = projects.get_project(session, COMMAND_LINE, number)
    files = report_files(report_of(project))
    page = Page(files["report.html"].decode())
    assert not {"script", "img", "b"} & set(page.tags)
    assert HOSTILE in page.text
    assert "<b>bo</b>" in page.text
    assert tag in page.text
    assert r"\_x\_\|y" in files["report.md"].decode()
    assert "<script>" not in files["report.md"].decode().replace("```text\n" + HOSTILE, "")


def test_the_files_hold_every_table_and_every_chart_as_svg_and_png(demo: projects.Project) -> None:
    report = report_of(demo, measures=("nDCG@10", "AP(rel=2)@100"))
    archive = zipfile.ZipFile(io.BytesIO(report_archive(report)))
    names = set(archive.namelist())
    page = archive.read("report.md").decode()
    linked = set(re.findall(r"\]\(((?:tables|charts)/[^)]+)\)", page))
    assert linked == names - {"report.md", "report.html"}
    for table in report.tables():
        rows = list(csv.reader(io.StringIO(archive.read(f"tables/{table.name}.csv").decode())))
        assert len(rows) == len(table.data) + 1
    for chart in report.charts():
        ET.fromstring(archive.read(f"charts/{chart.name}.svg"))
        image = Image.open(io.BytesIO(archive.read(f"charts/{chart.name}.png")))
        assert image.width > 600
        assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_the_report_speaks_korean_and_its_charts_too(demo: projects.Project) -> None:
    report = report_of(demo, language="ko")
    page = write_html(report)
    assert '<html lang="ko">' in page
    assert "레이블 품질 보고서" in page
    assert not re.search(r"<h2[^>]*>[A-Za-z ]+</h2>", page)
    assert any("표" in node for node in re.findall(r"<text[^>]*>([^<]*)</text>", page))


def test_a_project_without_votes_or_runs_has_a_report_that_says_so() -> None:
    number = make_project()
    with reading() as session:
        page = Page(write_html(build_report(session, COMMAND_LINE, number))).text
    assert "Agreement is undefined, as there are no votes" in page
    assert "There are no scores" in page
    assert "Nobody has judged yet." in page


def test_the_command_writes_a_page_a_folder_or_an_archive(
    demo: projects.Project, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["report", "--project", DEMO_NAME, "--output"]
    assert main([*command, str(tmp_path / "report.html")]) == 0
    assert main([*command, str(tmp_path / "out")]) == 0
    assert main([*command, str(tmp_path / "out.zip")]) == 0
    page = (tmp_path / "report.html").read_bytes()
    assert (tmp_path / "out" / "report.html").read_bytes() == page
    assert zipfile.ZipFile(tmp_path / "out.zip").read("report.html") == page
    assert page.decode() == write_html(report_of(demo))
    assert capsys.readouterr().out == ""
    assert main([*command, str(tmp_path / "x.html"), "--runs", "nobody"]) == 1
    assert "found 'nobody'" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


def test_a_report_is_for_leads(demo: projects.Project) -> None:
    with reading() as session:
        with pytest.raises(NotAllowed):
            build_report(session, Actor(1, "Rae", "rater"), demo.id)
        with pytest.raises(AssayError, match="found 'nobody'"):
            build_report(session, COMMAND_LINE, demo.id, runs=("nobody",))
