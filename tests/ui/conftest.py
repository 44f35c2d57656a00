"""The real pages on a database with the demo, seen by people of each role."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labeling import accounts
from labeling.accounts import COMMAND_LINE
from labeling.database import get_engine, migrate, writing
from labeling.demo_project import make_demo
from tests.support.data import REPOSITORY

MAIN = REPOSITORY / "labeling" / "ui" / "main.py"
PASSWORD = "correct horse"


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the demo and one account of each role, made once."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    url = f"sqlite:///{path}"
    migrate(url)
    with writing(url) as session:
        make_demo(session)
        for name, role in (("Ada", "admin"), ("Lee", "lead"), ("Rae", "rater")):
            accounts.create_account(session, COMMAND_LINE, name=name, role=role, password=PASSWORD)
    with get_engine(url).connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    get_engine(url).dispose()
    return path


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A copy of the demo for one test."""
    url = f"sqlite:///{shutil.copy(demo_file, tmp_path / 'demo.db')}"
    monkeypatch.setenv("ASSAY_DATABASE_URL", url)
    yield url
    get_engine(url).dispose()


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page of the app as a person; the sign-in is real, only the cookie is handed over by hand."""

    def open_it(page: str, name: str | None = "Lee", **query: str) -> AppTest:
        token = ""
        if name is not None:
            with writing() as session:
                account_id = accounts.check_password(session, name, PASSWORD)
                token = accounts.sign_in(session, account_id or 0)
        monkeypatch.setattr("labeling.ui.state.session_token", lambda: token)
        app = AppTest.from_file(str(MAIN), default_timeout=60)
        for key, value in query.items():
            app.query_params[key] = value
        app.run()
        if page != "home":
            app.switch_page(str(MAIN.parent / "pages" / f"{page}.py")).run()
        return app

    return open_it
