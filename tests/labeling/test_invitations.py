"""Two people with one invitation: the second gets nothing, however close behind the first they are."""

import pytest

from labeling import accounts
from labeling.accounts import COMMAND_LINE
from labeling.database import reading, writing
from labeling.errors import NotFound


def test_a_link_that_was_taken_since_it_was_read_makes_no_second_account(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing() as session:
        token = accounts.invite(session, COMMAND_LINE, role="rater")
        read = accounts.read_invitation(session, token)
        accounts.accept_invitation(session, token, name="Ann", password="correct horse")
    # As on PostgreSQL, where both may have read the link before either of them used it up.
    monkeypatch.setattr(accounts, "read_invitation", lambda *_given, **_named: read)
    with pytest.raises(NotFound), writing() as session:
        accounts.accept_invitation(session, token, name="Bo", password="correct horse")
    with reading() as session:
        assert [row.name for row in accounts.list_accounts(session, COMMAND_LINE)] == ["Ann"]


def test_a_link_made_for_a_rater_ends_when_the_rater_becomes_an_admin(database: str) -> None:
    with writing() as session:
        number = accounts.create_account(session, COMMAND_LINE, name="Ann", role="rater", password="correct horse")
        accounts.create_account(session, COMMAND_LINE, name="Ada", role="admin", password="correct horse")
        token = accounts.invite(session, COMMAND_LINE, role="rater", account_id=number)
        accounts.change_account(session, COMMAND_LINE, number, role="admin")
    with pytest.raises(NotFound), writing() as session:
        accounts.accept_invitation(session, token, name="", password="another password")
