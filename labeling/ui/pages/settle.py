"""settle."""

import streamlit as st

st.write("settle")
