"""Who someone is and what they may do: accounts, passwords, invitations, sign-ins.

Knows no project and no page. Secrets are stored as hashes only; every token is shown once.
"""

import hashlib
import hmac
import secrets
import unicodedata
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from labeling.database import AnyRow, count_changed, insert_unless_present
from labeling.errors import AssayError, Conflict, NotAllowed, NotFound
from labeling.schema import metadata

__all__ = [
    "COMMAND_LINE",
    "ROLES",
    "Actor",
    "accept_invitation",
    "change_account",
    "change_own_password",
    "change_password",
    "check_password",
    "choose_language",
    "count_sign_ins",
    "create_account",
    "csrf_token",
    "get_actor_by_token",
    "has_admin",
    "invite",
    "invite_first_admin",
    "list_accounts",
    "name_key",
    "read_invitation",
    "sign_in",
    "sign_out",
]

ROLES = ("rater", "lead", "admin")
SIGN_IN_DAYS = 30
INVITATION_DAYS = 7
SHORTEST_PASSWORD = 8
NO_LINK = "expected a valid link, found one that was used or is over: ask for a new one"
SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # 32 MB and about 170 ms a try

_account = metadata.tables["account"]
_sign_in = metadata.tables["sign_in"]
_invitation = metadata.tables["invitation"]


@dataclass(frozen=True)
class Actor:
    """The person on whose behalf something is read or written; account_id is None for the command line."""

    account_id: int | None
    name: str
    role: str
    language: str | None = None

    def may(self, role: str) -> bool:
        """Whether this person's role includes another: an admin is a lead, a lead is a rater."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def require(self, role: str) -> None:
        """Raise NotAllowed unless the person's role includes the one asked for."""
        if not self.may(role):
            raise NotAllowed(f"expected the role {role}, found {self.role}")


COMMAND_LINE = Actor(account_id=None, name="command line", role="admin")


def name_key(name: str) -> str:
    """The form in which two names count as the same: NFC, case folded, blanks trimmed and merged."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _hash_password(password: str, salt: bytes | None = None) -> str:
    salt = salt or secrets.token_bytes(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, maxmem=2**26, **SCRYPT)
    return f"scrypt${b64encode(salt).decode()}${b64encode(digest).decode()}"


def _password_fits(password: str, stored: str | None) -> bool:
    # A missing account costs the same time as a wrong password, so that names cannot be guessed by the clock.
    reference = stored or _hash_password("", b"0" * 16)
    salt = b64decode(reference.split("$")[1])
    return hmac.compare_digest(_hash_password(password, salt), reference) and stored is not None


def _long_enough(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD:
        raise AssayError(f"expected a password of at least {SHORTEST_PASSWORD} characters, found {len(password)}")
    return password


def _token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_token(token: str) -> str:
    """What a page sends along to show that it is ours, derived from a sign-in that other sites cannot read."""
    return hashlib.sha256(f"csrf:{token}".encode()).hexdigest()[:40]


def has_admin(session: Session) -> bool:
    """Whether anybody can sign in as an admin."""
    found = select(func.count()).where(_account.c.role == "admin", _account.c.password_hash.is_not(None))
    return bool(session.execute(found.where(_account.c.active)).scalar_one())


def create_account(session: Session, actor: Actor, *, name: str, role: str, password: str | None = None) -> int:
    """Create an account; without a password it waits for an invitation.

    Raises NotAllowed unless an admin asks (or a lead, for a rater), Conflict when the name is taken.
    """
    actor.require("lead" if role == "rater" else "admin")
    return _insert_account(session, name=name, role=role, password=password)


def _insert_account(session: Session, *, name: str, role: str, password: str | None) -> int:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if role not in ROLES:
        raise AssayError(f"expected a role of {', '.join(ROLES)}, found {role!r}")
    if not name or len(name) > 100 or not name.isprintable():
        raise AssayError(f"expected a name of 1 to 100 characters that can be printed, found {ascii(name)[:120]}")
    values = {
        "name": name,
        "name_key": name_key(name),
        "role": role,
        "password_hash": _hash_password(_long_enough(password)) if password is not None else None,
        "created_at": datetime.now(UTC),
    }
    if not insert_unless_present(session, _account, values):
        raise Conflict(f"expected a new name, found an account called {name}")
    found = select(_account.c.id).where(_account.c.name_key == name_key(name))
    return int(session.execute(found).scalar_one())


def list_accounts(session: Session, actor: Actor) -> list[AnyRow]:
    """Every account: id, name, role, active, created_at, has_password."""
    actor.require("lead")
    columns = (_account.c.id, _account.c.name, _account.c.role, _account.c.active, _account.c.created_at)
    statement = select(*columns, _account.c.password_hash.is_not(None).label("has_password")).order_by(_account.c.id)
    return list(session.execute(statement))


def change_account(
    session: Session, actor: Actor, account_id: int, *, role: str | None = None, active: bool | None = None
) -> None:
    """Change a role, or let an account in or out; the last admin stays. Ends the account's sign-ins and links."""
    actor.require("admin")
    if role is not None and role not in ROLES:
        raise AssayError(f"expected a role of {', '.join(ROLES)}, found {role!r}")
    changes = {key: value for key, value in (("role", role), ("active", active)) if value is not None}
    if not changes:
        return
    if not count_changed(session, update(_account).where(_account.c.id == account_id).values(**changes)):
        raise NotFound(f"no account {account_id}")
    if not has_admin(session):
        raise Conflict("expected at least one admin to remain, found none")
    # a link for a new password was made for the role that the account had
    session.execute(delete(_invitation).where(_invitation.c.account_id == account_id, _invitation.c.used_at.is_(None)))
    session.execute(delete(_sign_in).where(_sign_in.c.account_id == account_id))


def change_password(session: Session, account_id: int, password: str) -> None:
    """Set a password and end every sign-in of the account."""
    values = {"password_hash": _hash_password(_long_enough(password))}
    session.execute(update(_account).where(_account.c.id == account_id).values(**values))
    session.execute(delete(_sign_in).where(_sign_in.c.account_id == account_id))


def change_own_password(session: Session, actor: Actor, *, old: str, new: str) -> None:
    """Change one's own password, shown to know the old one; ends every sign-in of the account."""
    found = select(_account.c.password_hash).where(_account.c.id == actor.account_id)
    if actor.account_id is None or not _password_fits(old, session.execute(found).scalar_one_or_none()):
        raise NotAllowed("expected your password as it is now, found another")
    change_password(session, actor.account_id, new)


def count_sign_ins(session: Session, actor: Actor) -> int:
    """In how many places a person is signed in."""
    found = select(func.count()).where(_sign_in.c.account_id == actor.account_id)
    return int(session.execute(found.where(_sign_in.c.expires_at > datetime.now(UTC))).scalar_one())


def choose_language(session: Session, actor: Actor, language: str | None) -> None:
    """Remember the language of one's own pages; None follows the browser."""
    session.execute(update(_account).where(_account.c.id == actor.account_id).values(language=language))


def invite(
    session: Session, actor: Actor, *, role: str, account_id: int | None = None, now: datetime | None = None
) -> str:
    """A link's token with which a person makes an account, or sets a new password for theirs; valid for 7 days, once.

    For an existing account the role asked for must be that account's own.
    """
    if account_id is not None:
        own = session.execute(select(_account.c.role).where(_account.c.id == account_id)).scalar_one_or_none()
        if own is None:
            raise NotFound(f"no account {account_id}")
        role = own
    if role not in ROLES:
        raise AssayError(f"expected a role of {', '.join(ROLES)}, found {role!r}")
    actor.require("lead" if role == "rater" else "admin")
    return _insert_invitation(session, role=role, account_id=account_id, created_by=actor.account_id, now=now)


def invite_first_admin(session: Session, *, now: datetime | None = None) -> str:
    """The token that the terminal prints while there is no admin; earlier ones end with it."""
    if has_admin(session):
        raise NotAllowed("expected no admin yet, found one: sign in, or ask for an invitation")
    session.execute(delete(_invitation).where(_invitation.c.first))
    return _insert_invitation(session, role="admin", account_id=None, created_by=None, now=now, first=True)


def _insert_invitation(
    session: Session,
    *,
    role: str,
    account_id: int | None,
    created_by: int | None,
    now: datetime | None,
    first: bool = False,
) -> str:
    token, now = secrets.token_urlsafe(32), now or datetime.now(UTC)
    session.execute(
        insert(_invitation).values(
            token_hash=_token_hash(token),
            role=role,
            account_id=account_id,
            first=first,
            created_by=created_by,
            created_at=now,
            expires_at=now + timedelta(days=INVITATION_DAYS),
        )
    )
    return token


def read_invitation(session: Session, token: str, *, now: datetime | None = None) -> AnyRow:
    """The invitation behind a link: role, account_id, name of the account or None. NotFound when used up or over."""
    now = now or datetime.now(UTC)
    statement = (
        select(_invitation.c.role, _invitation.c.account_id, _invitation.c.first, _account.c.name)
        .outerjoin(_account, _account.c.id == _invitation.c.account_id)
        .where(_invitation.c.token_hash == _token_hash(token))
        .where(_invitation.c.used_at.is_(None), _invitation.c.expires_at > now)
    )
    found = session.execute(statement).first()
    if found is None or (found.first and has_admin(session)):
        raise NotFound(NO_LINK)
    return found


def accept_invitation(session: Session, token: str, *, name: str, password: str, now: datetime | None = None) -> str:
    """Make the account (or set its password), use the link up, and sign the person in: the token of the sign-in."""
    now = now or datetime.now(UTC)
    invitation = read_invitation(session, token, now=now)
    unused = update(_invitation).where(_invitation.c.token_hash == _token_hash(token), _invitation.c.used_at.is_(None))
    if not count_changed(session, unused.values(used_at=now)):  # another took it since it was read
        raise NotFound(NO_LINK)
    account_id = invitation.account_id
    if account_id is None:
        account_id = _insert_account(session, name=name, role=invitation.role, password=password)
    else:
        change_password(session, account_id, password)
    return _start(session, account_id, now)


def check_password(session: Session, name: str, password: str) -> int | None:
    """The account that name and password fit, or None; takes a while, so call it without the right to write."""
    row = session.execute(select(_account).where(_account.c.name_key == name_key(name))).first()
    fits = _password_fits(password, row.password_hash if row is not None and row.active else None)
    return int(row.id) if fits and row is not None else None


def sign_in(session: Session, account_id: int, *, now: datetime | None = None) -> str:
    """Start a sign-in of an account whose password was checked: its token."""
    return _start(session, account_id, now or datetime.now(UTC))


def _start(session: Session, account_id: int, now: datetime) -> str:
    token = secrets.token_urlsafe(32)
    session.execute(delete(_sign_in).where(_sign_in.c.expires_at < now))
    expires = now + timedelta(days=SIGN_IN_DAYS)
    values = {"token_hash": _token_hash(token), "account_id": account_id, "created_at": now, "expires_at": expires}
    session.execute(insert(_sign_in).values(**values))
    return token


def sign_out(session: Session, token: str) -> None:
    """End a sign-in; a token that is unknown changes nothing."""
    session.execute(delete(_sign_in).where(_sign_in.c.token_hash == _token_hash(token)))


def get_actor_by_token(session: Session, token: str | None, *, now: datetime | None = None) -> Actor | None:
    """Who a sign-in belongs to; None when it is unknown, over, or the account is inactive."""
    if not token:
        return None
    statement = (
        select(_account.c.id, _account.c.name, _account.c.role, _account.c.language)
        .join(_sign_in, _sign_in.c.account_id == _account.c.id)
        .where(_sign_in.c.token_hash == _token_hash(token), _account.c.active)
        .where(_sign_in.c.expires_at > (now or datetime.now(UTC)))
    )
    row = session.execute(statement).first()
    return None if row is None else Actor(row.id, row.name, row.role, row.language)
