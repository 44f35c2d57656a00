"""A project's current judgments, read once for as long as the ledger stays as it is.

Knows the noun functions; the table is shared by all who look and must not be changed.
"""

from typing import TypeAlias

import pandas as pd
import streamlit as st

from labeling.accounts import Actor
from labeling.database import reading
from labeling.settings import database_url
from labeling.votes import read_judgments, stamp_ledger

__all__ = ["Stamp", "judgments_of"]

Stamp: TypeAlias = tuple[str, int, tuple[object, ...]]


@st.cache_resource(max_entries=8, show_spinner=False)
def _read(stamp: Stamp, _actor: Actor) -> pd.DataFrame:
    with reading() as session:
        return read_judgments(session, _actor, stamp[1])


def judgments_of(actor: Actor, project_id: int) -> tuple[pd.DataFrame, Stamp]:
    """The current judgments, as votes.read_judgments, and what they may be remembered by."""
    with reading() as session:
        stamp = (database_url(), project_id, stamp_ledger(session, actor, project_id))
    return _read(stamp, actor), stamp
