"""A judging page of plain Streamlit, as most home-made tools are: buttons with shortcut keys, and a rerun for every act."""

import sqlite3

import streamlit as st

PAIRS = 200
TEXT = "This passage says what a rater has to read before the grade. " * 50

st.set_page_config(layout="wide")
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE judgment (pair INTEGER, grade INTEGER)")
number = st.session_state.setdefault("number", 0)


def judge(grade: int) -> None:
    """Store the grade and go on."""
    database.execute("INSERT INTO judgment VALUES (?, ?)", (st.session_state["number"], grade))
    database.commit()
    st.session_state["number"] += 1


left, right = st.columns([3, 1])
left.subheader(f"Query {number // 20}")
left.text(f"Document {number}. {TEXT}"[:3000])
for grade, word in enumerate(("Not relevant", "Related", "Highly relevant", "Perfect")):
    right.button(f"{grade} {word}", key=f"grade_{grade}", shortcut=str(grade), on_click=judge, args=(grade,))
st.progress(number / PAIRS)
