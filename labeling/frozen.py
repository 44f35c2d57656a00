"""Frozen releases: named exports, kept byte for byte, never changed and never deleted.

Knows no rule and no file format: releases.py builds what is kept here.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from labeling.accounts import Actor, name_key
from labeling.errors import AssayError, Conflict, NotFound, StorageError
from labeling.projects import get_project
from labeling.releases import Release, pack
from labeling.schema import metadata

__all__ = ["FrozenRelease", "check_name", "freeze", "list_releases", "read_release"]

_release = metadata.tables["release"]
_account = metadata.tables["account"]


@dataclass(frozen=True)
class FrozenRelease:
    """A release as it was kept: its name, who froze it and when, its hash and size; the bytes come with read_release."""

    id: int
    name: str
    note: str
    created_by: str | None
    created_at: datetime
    sha256: str
    size: int
    manifest: dict[str, Any]


def check_name(session: Session, actor: Actor, project_id: int, name: str) -> str:
    """The name without blanks around it; AssayError where it is empty or too long, Conflict where a release bears it."""
    actor.require("lead")
    name = name.strip()
    if not 1 <= len(name) <= 200:
        raise AssayError(f"expected a name of 1 to 200 characters for the release, found {len(name)}")
    taken = select(_release.c.id).where(_release.c.project_id == project_id, _release.c.name_key == name_key(name))
    if session.execute(taken).first():
        raise Conflict(f"expected a new name, found a release called {name}: a release is never replaced")
    return name


def freeze(
    session: Session, actor: Actor, project_id: int, release: Release, *, now: datetime | None = None
) -> FrozenRelease:
    """Keep a release under the name that its manifest bears.

    After the commit its bytes can be had again and neither changed nor deleted. Raises Conflict where the project has a release of that name;
    of two people who take one name at once, one gets it.
    """
    get_project(session, actor, project_id)
    told = release.manifest["release"]
    name = check_name(session, actor, project_id, told["name"])
    content = pack(release)
    values = {
        "project_id": project_id,
        "name": name,
        "name_key": name_key(name),
        "note": told["note"],
        "manifest": release.manifest,
        "sha256": hashlib.sha256(content).hexdigest(),
        "content": content,
        "created_by": actor.account_id,
        "created_at": now or datetime.now(UTC),
    }
    try:
        session.execute(insert(_release).values(**values))
    except IntegrityError as error:
        raise Conflict(f"expected a new name, found a release called {name}: a release is never replaced") from error
    return next(one for one in list_releases(session, actor, project_id) if one.name == name)


def list_releases(session: Session, actor: Actor, project_id: int) -> list[FrozenRelease]:
    """The project's frozen releases, newest first. For leads."""
    actor.require("lead")
    get_project(session, actor, project_id)
    names = ("id", "name", "note", "created_at", "sha256", "manifest")
    size = func.length(_release.c.content).label("size")
    statement = (
        select(*(_release.c[name] for name in names), size, _account.c.name.label("created_by"))
        .outerjoin(_account, _account.c.id == _release.c.created_by)
        .where(_release.c.project_id == project_id)
        .order_by(_release.c.id.desc())
    )
    return [FrozenRelease(**row._mapping) for row in session.execute(statement)]  # noqa: SLF001 - its public name


def read_release(session: Session, actor: Actor, project_id: int, name: str) -> bytes:
    """The bytes of a release as they were frozen.

    Raises NotFound without such a release, StorageError where the bytes no longer have the hash that was kept with them.
    """
    actor.require("lead")
    statement = select(_release.c.content, _release.c.sha256).where(
        _release.c.project_id == project_id, _release.c.name_key == name_key(name)
    )
    row = session.execute(statement).first()
    if row is None:
        raise NotFound(f"expected a release of the project, found none called {name}")
    content = bytes(row.content)
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise StorageError(
            f"the release {name} no longer has the bytes that were frozen: restore a copy of the database"
        )
    return content
