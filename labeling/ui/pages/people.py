"""people."""

import streamlit as st

st.write("people")
