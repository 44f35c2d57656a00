"""setup."""

import streamlit as st

st.write("setup")
