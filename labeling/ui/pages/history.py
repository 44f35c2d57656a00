"""history."""

import streamlit as st

st.write("history")
