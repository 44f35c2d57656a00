"""disagreement."""

import streamlit as st

st.write("disagreement")
