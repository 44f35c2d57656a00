"""qrels."""

import streamlit as st

st.write("qrels")
