"""account."""

import streamlit as st

st.write("account")
