"""The launcher: ``streamlit run app.py`` serves the pages of labeling/ui with the routes of labeling/web.py.

Holds nothing else; the pages stand in labeling/ui.
"""

import os
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from labeling.web import lifespan, middleware, routes

# A folder called pages beside the script would otherwise be served page by page, without main.py and its roles, until
# main.py has run for the first time.
PagesManager.uses_pages_directory = False

os.environ.setdefault("PORT", str(st.get_option("server.port")))  # for the links that the terminal prints

app = st.App(
    Path(__file__).parent / "labeling" / "ui" / "main.py", routes=routes, middleware=middleware, lifespan=lifespan
)

if __name__ == "__main__":
    app.run()
