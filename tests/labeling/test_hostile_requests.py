"""Requests that no page of ours sends: each gets a plain answer, none stops the server or takes its memory."""

import json
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.testclient import TestClient

from labeling import accounts, web
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from tests.support.campaign import make_project

PASSWORD = "a long password"


@pytest.fixture
def ann(database: str) -> Iterator[TestClient]:
    """A client that is signed in; faults of the server would be raised here."""
    with writing() as session:
        accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password=PASSWORD)
    web._failures.clear()
    app = Starlette(routes=web.routes, middleware=web.middleware)
    with TestClient(app, base_url="http://assay.test", follow_redirects=False) as client:
        client.post("/sign-in", data={"name": "Ann", "password": PASSWORD})
        yield client


def post(client: TestClient, body: str | bytes | Iterator[bytes]) -> tuple[int, dict]:
    token = accounts.csrf_token(client.cookies[web.COOKIE])
    headers = {"X-CSRF": token, "Content-Type": "application/json"}
    answer = client.post("/api/judge", content=body, headers=headers)
    return answer.status_code, answer.json()


def first_pair(client: TestClient, project: int) -> dict:
    return post(client, json.dumps({"project": project, "tab": "one", "want": 5}))[1]["pairs"][0]


def act_on(pair: dict, /, **values: object) -> dict:
    return {"act_id": "an-act-id", "seq": 1, "kind": "grade", "pair": pair["pair"], "shown": pair["shown"],
            "rubric_version": pair["rubric_version"], "grade": 2, **values}  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        '{"project": 1e400}',
        '{"project": NaN}',
        '{"project": 1, "want": 1e400}',
        '{"project": 1, "have": [1e400]}',
        '{"project": 1, "have": [99999999999999999999]}',
        '{"project": 1, "have": [true, 1.5]}',
        f'{{"project": {"9" * 30}}}',
        f'{{"project": {"9" * 6000}}}',
        '{"project": 1, "acts": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"project": 1, "acts": {"a": 1}}',
    ],
)
def test_numbers_and_shapes_that_cannot_be_are_bad_requests(ann: TestClient, body: str) -> None:
    make_project()
    assert post(ann, body)[0] == 400


@pytest.mark.parametrize(
    "values",
    [
        {"act_id": "half a character \ud800"},
        {"act_id": "with a \0 within"},
        {"pair": 10**30},
        {"pair": True},
        {"pair": 1.0},
        {"grade": 1.9},
        {"grade": True},
        {"grade": float("nan")},
        {"rubric_version": 10**30},
        {"shown_at": 1e17},
        {"shown_at": 1e300},
        {"seq": 10**400},
        {"kind": "\ud800"},
    ],
)
def test_an_act_that_cannot_be_is_refused_alone(ann: TestClient, values: dict) -> None:
    project = make_project()
    pair = first_pair(ann, project)
    second = {"act_id": "another-act-id"}
    acts = [act_on(pair, **values), act_on(pair, **second)]
    if "seq" in values:
        acts = [*acts[1:], {**acts[0], "act_id": "an-act-id"}]
    status, answer = post(ann, json.dumps({"project": project, "acts": acts}))
    assert status == 200
    outcomes = {one["act_id"]: one["status"] for one in answer["acts"]}
    assert outcomes.pop("another-act-id") == "saved"
    assert list(outcomes.values()) in (["refused"], ["saved"])  # a strange order number alone spoils no grade
    assert ("saved" in outcomes.values()) == ("seq" in values)


@pytest.mark.parametrize("bad", ["5", '"x"', "null", "[]", "[[1]]"])
def test_acts_that_are_no_objects_are_refused_alone(ann: TestClient, bad: str) -> None:
    project = make_project()
    status, answer = post(ann, f'{{"project": {project}, "acts": [{bad}]}}')
    assert (status, answer["acts"][0]["status"]) == (200, "refused")


def test_half_characters_and_nul_in_a_comment_cost_no_grade(ann: TestClient) -> None:
    project = make_project()
    pair = first_pair(ann, project)
    act = act_on(pair, comment="half \ud83d, nul \0, whole \ud83d\ude00")
    body = {"project": project, "acts": [act], "tab": "\ud800\0"}
    assert post(ann, json.dumps(body))[1]["acts"][0]["status"] == "saved"
    with reading() as session:
        stored = session.execute(text("SELECT comment FROM judgment")).scalar_one()
    assert stored == "half \ufffd, nul \ufffd, whole \U0001f600"


def test_a_body_without_a_length_is_read_to_the_limit_only(ann: TestClient) -> None:
    make_project()
    read = []

    def endless() -> Iterator[bytes]:
        for _ in range(40):
            read.append(1)
            yield b" " * 1_000_000

    assert post(ann, endless())[0] == 413


def test_a_form_with_a_name_of_a_megabyte_is_refused_and_not_remembered(ann: TestClient) -> None:
    answer = ann.post("/sign-in", data={"name": "x" * 1_000_000, "password": "p"})
    assert answer.status_code == 401
    assert len(answer.text) < 20_000
    assert sum(map(len, web._failures)) < 1000


def test_names_that_were_tried_are_forgotten_beyond_a_number(ann: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "MOST_NAMES", 50)
    for number in range(200):
        web._may_try(f"name {number}")
    assert len(web._failures) <= 50


def test_many_tries_at_once_gain_nothing(ann: TestClient) -> None:
    allowed = []
    threads = [threading.Thread(target=lambda: allowed.append(web._may_try("Zoe"))) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(allowed) == web.MOST_FAILURES


def test_a_right_password_starts_the_count_again(ann: TestClient) -> None:
    for _ in range(3):
        for _ in range(web.MOST_FAILURES - 1):
            assert web._may_try("Ann")
        assert ann.post("/sign-in", data={"name": "Ann", "password": PASSWORD}).status_code == 303


def test_a_database_that_fails_makes_the_card_try_again(ann: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    # Anything but 503 would make the card give its acts up, or look for the fault in them.
    monkeypatch.setenv("ASSAY_DATABASE_URL", "sqlite:////proc/nowhere/assay.db")
    assert post(ann, '{"project": 1}') == (503, {"error": "storage"})
    assert ann.get("/api/health").status_code == 503
    assert ann.get("/sign-in").status_code == 503
