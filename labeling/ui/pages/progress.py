"""progress."""

import streamlit as st

st.write("progress")
