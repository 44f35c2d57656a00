"""scores."""

import streamlit as st

st.write("scores")
