"""The card's page with a judging address that lives in memory: the same answers as the real one, and switches for trouble.

Projects are named "<kind>-<anything>": plain, korean, hostile, small (3 pairs), batch (batches of 5), second (two more
questions after a grade), older (four pairs graded under version 0 of the rubric). Each is made when first asked for.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from labeling.ui.components.front_end import join_scripts
from tests.support.card_pairs import hostile_pairs, plain_pairs

COUNTED = ("grade", "cannot_judge")
SECOND = (
    {"name": "source", "text": "Is the source right?", "labels": ["yes", "no"]},
    {"name": "use", "text": "Useful to the reader?", "labels": ["not at all", "partly", "fully"]},
)


class PretendProject:
    """The ledger and the claims of one rater in one project."""

    def __init__(self, name: str) -> None:
        kind = name.split("-", maxsplit=1)[0]
        many = {"small": 3, "batch": 12}.get(kind, 120)
        self.pairs = hostile_pairs() if kind == "hostile" else plain_pairs(many, "ko" if kind == "korean" else "en")
        self.by_id = {pair["pair"]: pair for pair in self.pairs}
        self.order = [pair["pair"] for pair in self.pairs]
        self.second = SECOND if kind == "second" else ()
        self.questions: list[dict[str, Any]] = []
        self.batch_size = 5 if kind == "batch" else 40
        self.ledger: list[dict[str, Any]] = []
        self.current: dict[int, dict[str, Any]] = {}
        self.requests: list[dict[str, Any]] = []
        self.switches: dict[str, Any] = {}
        self.end: dict[str, Any] | None = None
        grades = {1: 0, 2: 1, 3: 2, 4: None} if kind == "older" else {}
        self.older = {number: _older_judgment(grade) for number, grade in grades.items()}

    def apply(self, act: dict[str, Any]) -> dict[str, Any]:
        answer = {"act_id": act["act_id"], "status": "saved", "code": None, "message": "", "surplus": False}
        if any(row["act_id"] == act["act_id"] for row in self.ledger):
            return {**answer, "status": "repeated"}
        if any(row["act_id"] == act["act_id"] for row in self.questions):
            return {**answer, "status": "repeated"}
        if act["kind"] == "question":
            self.questions.append(act)
            return answer
        if self.by_id.get(act["pair"], {}).get("shown") != act["shown"]:
            return {**answer, "status": "refused", "code": "changed_text", "message": ""}
        if act["pair"] in self.switches.get("refuse", {}) or str(act["pair"]) in self.switches.get("refuse", {}):
            return {
                **answer,
                "status": "refused",
                "code": self.switches["refuse"][str(act["pair"])],
                "message": "Refused by the test.",
            }
        self.ledger.append(act)
        if act["kind"] == "undo":
            self.current.pop(act["pair"], None)
            self.order = [act["pair"], *(pair for pair in self.order if pair != act["pair"])]
        elif act["kind"] == "skip":
            self.order = [*(pair for pair in self.order if pair != act["pair"]), act["pair"]]
        else:
            self.current[act["pair"]] = act
            self.older.pop(act["pair"], None)
        return answer

    def show_older(self, without: set[int]) -> dict[str, Any]:
        """What was judged under the older version and waits for a look, two at a time."""
        waiting = [number for number in self.older if number not in without][:2]
        return {"pairs": [{**self.show(one), "mine": self.older[one]} for one in waiting], "waiting": len(self.older)}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        acts = [self.apply(act) for act in sorted(body["acts"], key=lambda act: act["seq"])]
        open_pairs = [pair for pair in self.order if pair not in self.current]
        fresh = [pair for pair in open_pairs if pair not in body["have"]][: body["want"]]
        lost = [pair for pair in body["have"] if pair in self.current or pair in self.switches.get("lost", [])]
        done = len(self.current)
        ended = {"kind": "done", "others_hold": 0, "until": None, "skipped": 0} if not open_pairs else None
        answer = {
            "acts": acts,
            "pairs": [self.show(pair) for pair in fresh if pair not in self.switches.get("lost", [])],
            "lost": lost,
            "progress": {
                "done": done,
                "left": len(open_pairs),
                "batch_done": done % self.batch_size,
                "batch_size": self.batch_size,
                "seconds_per_pair": 13.5,
            },
            "end": self.switches.get("end") or ended,
            "questions": [*self.switches.get("answered", []), *map(self.waiting, self.questions)],
            "second": self.second,
        }
        return {**answer, "history": self.history()} if body["hello"] else answer

    def waiting(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A question of one's own that nobody has answered yet."""
        query = None if asked["about"] == "rubric" else self.by_id[asked["asks"]]["query_id"]
        shown = {"id": asked["seq"], "query_id": query, "kind": "question", "state": "open", "answer": "", "mine": True}
        return {**shown, "clause": asked["clause"], "text": asked["text"]}

    def show(self, number: int) -> dict[str, Any]:
        mine = self.current.get(number)
        chosen = {name: mine.get(name) for name in ("kind", "grade", "reason", "comment", "answers")} if mine else None
        return {**{name: value for name, value in self.by_id[number].items() if name != "whole"}, "mine": chosen}

    def history(self) -> list[dict[str, Any]]:
        taken = {row["takes_back"] for row in self.ledger}
        rows = [row for row in reversed(self.ledger) if row["kind"] != "undo" and row["act_id"] not in taken]
        words = [(row, self.by_id[row["pair"]]) for row in rows[:5]]
        return [
            {
                **{name: row[name] for name in ("act_id", "pair", "kind", "grade", "reason", "comment")},
                "answers": row.get("answers"),
                "query": pair["query"],
                "title": pair["title"],
            }
            for row, pair in words
        ]


def _older_judgment(grade: int | None) -> dict[str, Any]:
    kind = {"kind": "cannot_judge", "reason": "needs_expert"} if grade is None else {"kind": "grade", "reason": None}
    return {"act_id": f"older-{grade}", **kind, "grade": grade, "comment": "", "answers": None, "version": 0}


PROJECTS: dict[str, PretendProject] = {}


def project_named(name: str) -> PretendProject:
    if name not in PROJECTS:
        PROJECTS[name] = PretendProject(name)
    return PROJECTS[name]


async def judge(request: Request) -> Response:
    body = await request.json()
    project = project_named(str(body["project"]))
    if project.switches.get("slow"):
        await asyncio.sleep(project.switches["slow"])
    status = project.switches.get("status")
    project.requests.append({"acts": len(body["acts"]), "tab": body["tab"], "status": status or 200})
    if status:
        words = {401: "signed_out", 403: project.switches.get("error", "csrf"), 400: "bad_request"}
        return JSONResponse({"error": words.get(status, "fault"), "message": "Not understood."}, status)
    if request.headers.get("x-csrf") != "good":
        return JSONResponse({"error": "csrf"}, 403)
    if len(body["acts"]) > project.switches.get("most", 200):
        return JSONResponse({"error": "bad_request", "message": "too large"}, 413)
    if any(act.get("pair") in project.switches.get("poison", []) for act in body["acts"]):
        return JSONResponse({"error": "bad_request", "message": "Not understood."}, 400)
    answer = project.answer(body)
    if project.switches.get("swallow"):  # the act is kept, the answer never arrives
        project.switches["swallow"] -= 1
        return JSONResponse({"error": "fault"}, 502)
    return JSONResponse(answer)


async def one_pair(request: Request) -> Response:
    project = project_named(request.query_params["project"])
    return JSONResponse(project.show(int(request.query_params["pair"])))


async def older(request: Request) -> Response:
    project = project_named(request.query_params["project"])
    without = request.query_params["without"]
    return JSONResponse(project.show_older({int(number) for number in without.split(",") if number}))


async def whole_text(request: Request) -> Response:
    project = project_named(request.query_params["project"])
    return JSONResponse({"text": project.by_id[int(request.query_params["pair"])]["whole"]})


async def switch(request: Request) -> Response:
    project_named(request.query_params["project"]).switches = await request.json()
    return JSONResponse({})


async def ledger(request: Request) -> Response:
    project = project_named(request.query_params["project"])
    return JSONResponse({"ledger": project.ledger, "requests": project.requests, "questions": project.questions})


async def markdown(_: Request) -> Response:
    return Response(join_scripts("base.js", "judging_card/markdown.js"), media_type="text/plain")


async def sign_in(_: Request) -> Response:
    return Response("Sign in here.", media_type="text/plain")


app = st.App(
    Path(__file__).with_name("card_page.py"),
    routes=[
        Route("/api/judge", judge, methods=["POST"]),
        Route("/api/judge/pair", one_pair),
        Route("/api/judge/older", older),
        Route("/api/judge/text", whole_text),
        Route("/pretend/switch", switch, methods=["POST"]),
        Route("/pretend/ledger", ledger),
        Route("/pretend/markdown", markdown),
        Route("/sign-in", sign_in),
    ],
)
