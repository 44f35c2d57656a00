"""Twenty raters at once on one project: how long the server takes for an act, and whether every pair got its votes.

    python benchmarks/bench_load.py [--raters 20] [--rate 1.0] [--seconds 60]

Starts the app on a database of its own with 4,515 pairs of 3,000-character documents (overlap 2) and sends what judging
cards send, each rater an act every 1/rate seconds. One run prints the times of the requests as raters felt them, and what
the ledger says afterwards.
"""

import argparse
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid
from datetime import UTC, datetime
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))
WANTED = 20  # as the card asks for


def make_campaign(raters):
    """The project's number, and a session's token and mark against forged requests for each rater."""
    from labeling import accounts, collection  # noqa: PLC0415 -- the database's address comes first
    from labeling.accounts import COMMAND_LINE  # noqa: PLC0415
    from labeling.database import migrate, writing  # noqa: PLC0415
    from tests.support.campaign import make_people, make_project  # noqa: PLC0415

    migrate()
    people = make_people(*(f"Rater {number}" for number in range(raters)))
    project = make_project(queries=43, documents=105, overlap=2)
    with writing() as session:
        texts = collection.read_documents_table(session, project)
        texts["text"] = [f"{doc_id} says this. " * 175 for doc_id in texts["doc_id"]]
        collection.add_documents(session, COMMAND_LINE, project, texts, replace=True)
        tokens = [accounts.sign_in(session, person.account_id) for person in people]
    return project, [(token, accounts.csrf_token(token)) for token in tokens]


class Rater(threading.Thread):
    """One rater's card without a screen."""

    def __init__(self, port, project, sign_in, rate, until, seed):
        super().__init__(daemon=True)
        self.port, self.project, self.rate, self.until = port, project, rate, until
        self.token, self.csrf = sign_in
        self.random = random.Random(seed)
        self.tab = str(uuid.uuid4())
        self.held, self.acknowledged, self.times, self.faults = [], [], [], []
        self.sequence = 0

    def send(self, connection, acts, hello):
        body = {
            "project": self.project, "tab": self.tab, "hello": hello, "acts": acts,
            "have": [pair["pair"] for pair in self.held], "want": WANTED, "light": len(self.held) > WANTED / 2,
        }  # fmt: skip
        headers = {"Content-Type": "application/json", "X-CSRF": self.csrf, "Cookie": f"assay_session={self.token}"}
        start = time.perf_counter()
        connection.request("POST", "/api/judge", json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        if acts:
            self.times.append(time.perf_counter() - start)
        if response.status != 200:
            self.faults.append((response.status, content[:200]))
            return
        answer = json.loads(content)
        lost = set(answer.get("lost", ()))
        self.held = [pair for pair in self.held if pair["pair"] not in lost] + answer.get("pairs", [])
        for outcome in answer["acts"]:
            if outcome["status"] == "refused":
                self.faults.append(outcome)
            else:
                self.acknowledged.append(outcome["act_id"])

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.send(connection, [], hello=True)
        time.sleep(self.random.random() / self.rate)
        next_at = time.monotonic()
        while time.monotonic() < self.until:
            if self.held:
                pair = self.held.pop(0)
                self.sequence += 1
                act = {
                    "act_id": str(uuid.uuid4()), "seq": self.sequence, "kind": "grade", "pair": pair["pair"],
                    "shown": pair["shown"], "rubric_version": pair["rubric_version"], "grade": self.random.randrange(4),
                    "seconds": 1.0, "shown_at": datetime.now(UTC).timestamp() * 1000,
                }  # fmt: skip
                self.send(connection, [act], hello=False)
            else:
                self.send(connection, [], hello=False)
            next_at = max(next_at + self.random.uniform(0.5, 1.5) / self.rate, time.monotonic())
            time.sleep(max(0.0, next_at - time.monotonic()))
        connection.close()


def start_server(port):
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1):
                return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def processor_seconds(process):
    """What the server has used so far; nan where the system does not tell."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(raters, spent, seconds):
    from sqlalchemy import text  # noqa: PLC0415

    from labeling.database import reading  # noqa: PLC0415

    times = sorted(one for rater in raters for one in rater.times)
    acknowledged = [one for rater in raters for one in rater.acknowledged]
    faults = [one for rater in raters for one in rater.faults]
    with reading() as session:
        stored = set(session.execute(text("SELECT act_id FROM judgment")).scalars())
        over = session.execute(text("SELECT count(*) FROM pair WHERE vote_count > overlap")).scalar_one()
        surplus = session.execute(text("SELECT count(*) FROM judgment WHERE surplus")).scalar_one()
    p95 = times[int(len(times) * 0.95) - 1]
    print(f"{len(raters)} raters, {len(times)} acts in {seconds:.0f} s ({len(times) / seconds:.1f} a second)")
    print(f"a request with an act: p50 {statistics.median(times) * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, most {times[-1] * 1000:.0f} ms")  # fmt: skip
    print(f"server: {spent:.1f} processor seconds, {spent / max(len(times), 1) * 1000:.1f} ms an act")
    print(f"ledger: {len(acknowledged)} acts acknowledged, {len(set(acknowledged) & stored)} of them stored; {over} pairs beyond the overlap, {surplus} surplus votes; {len(faults)} faults {faults[:2]}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--rate", type=float, default=1.0, help="acts a second of each rater")
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ASSAY_DATABASE_URL"] = f"sqlite:///{folder}/assay.db"
        project, sign_ins = make_campaign(chosen.raters)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        process = start_server(port)
        try:
            until = time.monotonic() + chosen.seconds
            before = processor_seconds(process)
            raters = [
                Rater(port, project, sign_in, chosen.rate, until, number) for number, sign_in in enumerate(sign_ins)
            ]
            for rater in raters:
                rater.start()
            for rater in raters:
                rater.join()
            report(raters, processor_seconds(process) - before, chosen.seconds)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
