"""Tables on a page in which one row can be chosen.

Knows tables only.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

__all__ = ["choose_row"]


def choose_row(
    table: pd.DataFrame, key: str, *, columns: Mapping[str, Any] | None = None, height: int | None = None, **look: Any
) -> int | None:
    """Draw a table; the place of the row that was clicked, or None."""
    event = st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        height="auto" if height is None else height,
        on_select="rerun",
        selection_mode="single-row",
        column_config=columns,
        key=key,
        **look,
    )
    chosen = event.selection.rows
    return chosen[0] if chosen and chosen[0] < len(table) else None
