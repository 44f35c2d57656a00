"""Sign-in, invitations, judging acts and headers, asked for over HTTP as a browser does."""

import base64
import hashlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from labeling import accounts, web
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from tests.support.campaign import make_project

PASSWORD = "correct horse"


async def page(_request: object) -> PlainTextResponse:
    return PlainTextResponse("a page of the app")


@pytest.fixture
def client(database: str) -> Iterator[TestClient]:
    app = Starlette(routes=[*web.routes, Route("/{path:path}", page)], middleware=web.middleware, lifespan=web.lifespan)
    with TestClient(app, base_url="http://assay.test", follow_redirects=False) as one:
        yield one


@pytest.fixture
def ann(client: TestClient) -> TestClient:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password=PASSWORD)
    answer = client.post("/sign-in", data={"name": "ann", "password": PASSWORD})
    assert answer.status_code == 303
    return client


def csrf(client: TestClient) -> dict[str, str]:
    return {"X-CSRF": accounts.csrf_token(client.cookies[web.COOKIE])}


def test_the_first_start_prints_a_link_that_works_once(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    app = Starlette(routes=web.routes, middleware=web.middleware, lifespan=web.lifespan)
    with TestClient(app, base_url="http://assay.test", follow_redirects=False) as client:
        found = re.search(r"/welcome\?token=(\S+)", capsys.readouterr().err)
        assert found is not None
        token = found[1]
        assert "admin" in client.get("/welcome", params={"token": token}).text
        form = {"token": token, "name": "Ada", "password": PASSWORD, "again": PASSWORD}
        assert client.post("/welcome", data=form).status_code == 303
        client.cookies.clear()
        again = client.post("/welcome", data={**form, "name": "Eve"})
        assert again.status_code == 404
    with reading() as session:
        assert [row.name for row in accounts.list_accounts(session, COMMAND_LINE)] == ["Ada"]


def test_there_is_no_link_once_there_is_an_admin(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ada", role="admin", password=PASSWORD)
    with TestClient(Starlette(routes=web.routes, lifespan=web.lifespan)):
        assert "/welcome" not in capsys.readouterr().err


def test_two_passwords_that_differ_make_no_account(client: TestClient) -> None:
    with writing() as session:
        token = accounts.invite(session, COMMAND_LINE, role="rater")
    form = {"token": token, "name": "Bo", "password": PASSWORD, "again": "another one"}
    assert client.post("/welcome", data=form).status_code == 400
    assert client.post("/welcome", data={**form, "again": PASSWORD}).status_code == 303


def test_a_page_without_a_sign_in_leads_to_the_form_and_back(client: TestClient) -> None:
    answer = client.get("/scores?project=3", headers={"Accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Fscores%3Fproject%3D3"
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password=PASSWORD)
    form = {"name": "Ann", "password": PASSWORD, "next": "/scores?project=3"}
    assert client.post("/sign-in", data=form).headers["location"] == "/scores?project=3"


@pytest.mark.parametrize("target", ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "x"])
def test_sign_in_never_leads_to_another_site(client: TestClient, target: str) -> None:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password=PASSWORD)
    answer = client.post("/sign-in", data={"name": "Ann", "password": PASSWORD, "next": target})
    assert answer.headers["location"] == "/"


def test_the_cookie_is_out_of_reach_of_scripts(client: TestClient) -> None:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password=PASSWORD)
    cookie = client.post("/sign-in", data={"name": "Ann", "password": PASSWORD}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_a_wrong_password_says_so_and_ten_of_them_bring_a_pause(client: TestClient) -> None:
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Zoe", role="rater", password=PASSWORD)
    for _ in range(web.MOST_FAILURES):
        assert client.post("/sign-in", data={"name": "Zoe", "password": "wrong"}).status_code == 401
    assert client.post("/sign-in", data={"name": "Zoe", "password": PASSWORD}).status_code == 429


def test_signing_out_ends_the_sign_in_on_the_server_too(ann: TestClient) -> None:
    token = ann.cookies[web.COOKIE]
    assert ann.post("/sign-out").headers["location"] == "/sign-in"
    with reading() as session:
        assert accounts.get_actor_by_token(session, token) is None


def test_names_and_passwords_of_others_are_escaped(client: TestClient) -> None:
    answer = client.post("/sign-in", data={"name": '"><script>x</script>', "password": "p", "next": '/"><b>'})
    assert "<script>" not in answer.text
    assert "<b>" not in answer.text


def test_posts_from_other_sites_are_refused(ann: TestClient) -> None:
    project = make_project()
    for headers in ({"Origin": "http://evil.test"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ann.post("/sign-out", headers=headers).status_code == 403
        answer = ann.post("/api/judge", json={"project": project}, headers={**headers, **csrf(ann)})
        assert answer.status_code == 403
    assert ann.post("/api/judge", json={"project": project}).json() == {"error": "csrf"}


def test_a_card_judges_over_http(ann: TestClient) -> None:
    project = make_project()
    hello = {"project": project, "tab": "one", "hello": True, "acts": [], "have": [], "want": 20}
    first = ann.post("/api/judge", json=hello, headers=csrf(ann)).json()
    pair = first["pairs"][0]
    act = {"act_id": "0123456789", "seq": 1, "kind": "grade", "pair": pair["pair"], "shown": pair["shown"],
           "rubric_version": pair["rubric_version"], "grade": 2}  # fmt: skip
    answer = ann.post("/api/judge", json={**hello, "acts": [act]}, headers=csrf(ann)).json()
    assert answer["acts"][0]["status"] == "saved"
    assert answer["history"][0]["grade"] == 2
    again = ann.get("/api/judge/pair", params={"project": project, "pair": pair["pair"]}).json()
    assert again["mine"]["grade"] == 2
    text = ann.get("/api/judge/text", params={"project": project, "pair": pair["pair"]}).json()
    assert text == {"text": pair["text"]}


def test_a_card_that_is_signed_out_is_told_so(client: TestClient) -> None:
    answer = client.post("/api/judge", json={"project": 1})
    assert (answer.status_code, answer.json()) == (401, {"error": "signed_out"})


@pytest.mark.parametrize("body", ["", "[]", "not json", '{"project": "x"}', '{"project": 1, "acts": 7}', "{}"])
def test_bad_requests_get_an_answer_and_no_fault(ann: TestClient, body: str) -> None:
    make_project()
    answer = ann.post("/api/judge", content=body, headers={**csrf(ann), "Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "bad_request"


def test_a_pair_that_one_was_never_given_is_not_found(ann: TestClient) -> None:
    project = make_project()
    assert ann.get("/api/judge/pair", params={"project": project, "pair": 1}).status_code == 404
    assert ann.get("/api/judge/text", params={"project": project, "pair": 1}).status_code == 404


def test_every_answer_carries_the_headers(ann: TestClient) -> None:
    for path in ("/", "/sign-in", "/api/health"):
        headers = ann.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "object-src 'none'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]


def test_the_policy_allows_the_one_inline_script_of_streamlits_page() -> None:
    found = importlib.util.find_spec("streamlit")
    assert found is not None
    assert found.origin is not None
    page = (Path(found.origin).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(hashes) == 1
    assert f"'sha256-{hashes[0]}'" in web.CONTENT_SECURITY_POLICY


def test_the_pages_before_the_app_speak_korean(client: TestClient) -> None:
    answer = client.get("/sign-in", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.5"})
    assert 'lang="ko"' in answer.text
    assert "로그인" in answer.text
