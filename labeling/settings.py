"""What the surroundings decide: where the data lives, how the address is reached.

Reads environment variables and nothing else; every other module takes its settings from here.
"""

import os
from pathlib import Path

__all__ = ["DEFAULT_DATABASE_URL", "REPOSITORY", "cookies_need_tls", "database_url", "public_address"]

REPOSITORY = Path(__file__).resolve().parent.parent
DEFAULT_DATABASE_URL = "sqlite:///data/assay.db"


def database_url() -> str:
    """The database's address: ``ASSAY_DATABASE_URL``, else ``sqlite:///data/assay.db`` beside the program."""
    given = os.environ.get("ASSAY_DATABASE_URL", "").strip()
    return given or f"sqlite:///{REPOSITORY / 'data' / 'assay.db'}"


def public_address() -> str:
    """The address that people type: ``ASSAY_PUBLIC_ADDRESS``, else this machine's at the port of the server."""
    given = os.environ.get("ASSAY_PUBLIC_ADDRESS", "").strip().rstrip("/")
    port = os.environ.get("PORT") or os.environ.get("STREAMLIT_SERVER_PORT") or "8501"
    return given or f"http://localhost:{port}"


def cookies_need_tls() -> bool:
    """Whether the sign-in cookie is sent over TLS only: true where the public address says https."""
    return public_address().startswith("https://")
