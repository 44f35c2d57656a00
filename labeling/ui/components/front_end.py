"""Front-end files into the one script and one style sheet that an inline component is made of.

Knows no component: it reads files beside it and leaves out the words that only separate files need.
"""

import re
from pathlib import Path

import streamlit as st

__all__ = ["api_address", "join_scripts", "read_text"]

FOLDER = Path(__file__).resolve().parent
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def read_text(name: str) -> str:
    """A front-end file by its path under the components' folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


def join_scripts(*names: str) -> str:
    """One module of several files, in the order given; the last holds the default export.

    An inline component is a single module, so files here share one scope: names at the top level are unique among them.
    """
    return "\n".join(f"// {name}\n{_EXPORT.sub('', read_text(name))}" for name in names)


def api_address(path: str = "/api/judge") -> str:
    """A route beside the pages, under the server's base path if it has one."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path
