"""agreement."""

import streamlit as st

st.write("agreement")
