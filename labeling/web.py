"""The routes beside the pages: sign-in and out, invitations, judging acts, health; and the headers of every answer.

Knows no SQL and no Streamlit: it reads requests, calls the nouns, and writes responses.
"""

import contextlib
import gc
import hashlib
import hmac
import json
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from labeling import accounts
from labeling.accounts import Actor
from labeling.database import migrate, reading, writing
from labeling.errors import AssayError, NotAllowed, NotFound, StorageError
from labeling.i18n import best_language
from labeling.judging import answer_card, read_older, read_own_pair, read_whole_text
from labeling.settings import cookies_need_tls, public_address
from labeling.web_pages import sign_in_page, welcome_page

__all__ = ["COOKIE", "lifespan", "middleware", "routes"]

COOKIE = "assay_session"
MOST_FAILURES = 10  # wrong passwords for one name before a pause
FAILURE_MINUTES = 5
LARGEST_REQUEST = 4_000_000  # bytes of one post of acts
LARGEST_FORM = 20_000  # bytes of a form with a name and passwords
MOST_NAMES = 10_000  # names whose wrong passwords are remembered
PASSWORDS_AT_ONCE = 2  # each try takes 32 MB and a processor; further ones wait, and judging goes on

# Streamlit's page holds one inline script (its hash stands here); its components load from blob addresses.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self' blob: 'sha256-{script}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "frame-ancestors 'self'; form-action 'self'"
).format(script="THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA=")
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
OPEN_PATHS = ("/sign-in", "/welcome", "/api/", "/static/", "/_stcore/", "/media/", "/component/", "/favicon")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]

_failures: dict[str, list[float]] = {}
_failures_lock = threading.Lock()
_passwords = CapacityLimiter(PASSWORDS_AT_ONCE)
_log = logging.getLogger(__name__)


class TooLarge(AssayError):
    """A request of more bytes than any page of ours sends."""


class Guard:
    """Adds the headers to every answer and sends whoever is not signed in to the sign-in page."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Callable[..., Any], send: Callable[[Message], Any]) -> None:
        """Pass one request on, or answer it with the way to the sign-in page."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        try:
            if _wants_page(request) and await run_in_threadpool(_actor_of, request) is None:
                here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                where = "/sign-in" if here == "/" else f"/sign-in?next={quote(here, safe='')}"
                await _with_headers(RedirectResponse(where, 303), scope, receive, send)
                return
            await _with_headers(self.app, scope, receive, send)
        except StorageError as error:
            # Nothing was sent yet: every route asks the database before it answers. A card sends its acts again.
            _log.error("%s", error)
            await _with_headers(JSONResponse({"error": "storage"}, 503), scope, receive, send)


async def _with_headers(
    app: Callable[..., Awaitable[None]], scope: Scope, receive: Callable[..., Any], send: Callable[[Message], Any]
) -> None:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    await app(scope, receive, send_with_headers)


def _wants_page(request: Request) -> bool:
    is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return is_page and not request.url.path.startswith(OPEN_PATHS)


def _actor_of(request: Request) -> Actor | None:
    with reading() as session:
        return accounts.get_actor_by_token(session, request.cookies.get(COOKIE))


def _same_origin(request: Request) -> bool:
    if request.headers.get("sec-fetch-site") not in (None, "same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _language(request: Request) -> str:
    return best_language(request.query_params.get("language"), accept=request.headers.get("accept-language", ""))


def _safe_next(target: str | None) -> str:
    """An address within this app, or its start; never another site's."""
    target = target or "/"
    parts = urlsplit(target)
    inside = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    return target if inside and "\n" not in target and "\r" not in target else "/"


def _signed_in(token: str, target: str) -> Response:
    response = RedirectResponse(_safe_next(target), 303)
    response.set_cookie(
        COOKIE,
        token,
        max_age=accounts.SIGN_IN_DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=cookies_need_tls(),
        path="/",
    )
    return response


async def show_sign_in(request: Request) -> Response:
    """The form; whoever is signed in goes on to where they were going."""
    target = _safe_next(request.query_params.get("next"))
    if await run_in_threadpool(_actor_of, request) is not None:
        return RedirectResponse(target, 303)
    return HTMLResponse(sign_in_page(_language(request), target=target))


async def post_sign_in(request: Request) -> Response:
    """Name and password in, cookie out; after ten wrong passwords for a name there is a pause of minutes."""
    if not _same_origin(request):
        return JSONResponse({"error": "origin"}, 403)
    form = await _read_form(request)
    name, password = form.get("name", ""), form.get("password", "")
    target, language = _safe_next(form.get("next", "/")), _language(request)
    if not _may_try(name):
        return HTMLResponse(sign_in_page(language, target=target, name=name, fault="paused"), 429)
    token = await to_thread.run_sync(_try_sign_in, name, password, limiter=_passwords)
    if token is None:
        return HTMLResponse(sign_in_page(language, target=target, name=name, fault="wrong"), 401)
    _forget_failures(name)
    return _signed_in(token, target)


async def _read_body(request: Request, limit: int) -> bytes:
    """The body, read no further than the limit, whatever length the request claims. TooLarge beyond it."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > limit:
            raise TooLarge(f"expected at most {limit} bytes, found more")
        parts.append(part)
    return b"".join(parts)


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a form of ours; text that is no UTF-8 has its bytes replaced. Empty for one that is too large."""
    try:
        body = await _read_body(request, LARGEST_FORM)
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20))
    except (TooLarge, ValueError):
        return {}


def _try_sign_in(name: str, password: str) -> str | None:
    with reading() as session:
        account_id = accounts.check_password(session, name, password)
    if account_id is None:
        return None
    with writing() as session:
        return accounts.sign_in(session, account_id)


def _may_try(name: str) -> bool:
    """Whether this name has tries left; counts this one before it is made, so that many at once gain nothing."""
    key, now = _failure_key(name), time.monotonic()
    with _failures_lock:
        recent = [at for at in _failures.pop(key, []) if at > now - 60 * FAILURE_MINUTES]
        allowed = len(recent) < MOST_FAILURES
        while len(_failures) >= MOST_NAMES:
            _failures.pop(next(iter(_failures)))  # the name that was tried longest ago
        _failures[key] = [*recent, now] if allowed else recent
        return allowed


def _forget_failures(name: str) -> None:
    with _failures_lock:
        _failures.pop(_failure_key(name), None)


def _failure_key(name: str) -> str:
    return hashlib.sha256(accounts.name_key(name).encode("utf-8", "replace")).hexdigest()


async def post_sign_out(request: Request) -> Response:
    """End this sign-in, here and on the server."""
    if not _same_origin(request):
        return JSONResponse({"error": "origin"}, 403)

    def end() -> None:
        with writing() as session:
            accounts.sign_out(session, request.cookies.get(COOKIE, ""))

    await run_in_threadpool(end)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE, path="/")
    return response


def _find_invitation(token: str) -> tuple[str, str | None] | None:
    with reading() as session:
        try:
            found = accounts.read_invitation(session, token)
        except NotFound:
            return None
        return found.role, found.name


async def show_welcome(request: Request) -> Response:
    """The page behind an invitation: name and password for a new account, or a new password."""
    token = request.query_params.get("token", "")
    found = await run_in_threadpool(_find_invitation, token)
    status = 404 if found is None else 200
    return HTMLResponse(welcome_page(_language(request), token=token, invitation=found), status)


async def post_welcome(request: Request) -> Response:
    """Make the account and sign the person in."""
    if not _same_origin(request):
        return JSONResponse({"error": "origin"}, 403)
    form = await _read_form(request)
    token, name, password = (form.get(key, "") for key in ("token", "name", "password"))

    def accept() -> str:
        with writing() as session:
            return accounts.accept_invitation(session, token, name=name, password=password)

    fault = "differ" if password != form.get("again", "") else ""
    if not fault:
        try:
            return _signed_in(await to_thread.run_sync(accept, limiter=_passwords), "/")
        except StorageError:
            raise
        except AssayError as error:
            fault = str(error)
    found = await run_in_threadpool(_find_invitation, token)
    page = welcome_page(_language(request), token=token, invitation=found, name=name, fault=fault)
    return HTMLResponse(page, 400 if found else 404)


async def health(_request: Request) -> Response:
    """Whether the server answers and reaches its database."""

    def ask() -> None:
        with reading() as session:
            accounts.has_admin(session)

    try:
        await run_in_threadpool(ask)
    except StorageError:
        return JSONResponse({"status": "failing"}, 503)
    return JSONResponse({"status": "ok"})


async def _answer(request: Request, act: Callable[[Actor], dict[str, Any]], *, write: bool) -> Response:
    """Who asks, whether the page is ours, the answer, and the faults as their codes."""
    token = request.cookies.get(COOKIE)
    actor = await run_in_threadpool(_actor_of, request)
    if actor is None:
        return JSONResponse({"error": "signed_out"}, 401)
    sent = request.headers.get("x-csrf") or ""
    if not _same_origin(request) or (write and not hmac.compare_digest(sent, accounts.csrf_token(token or ""))):
        return JSONResponse({"error": "csrf"}, 403)
    try:
        return JSONResponse(await run_in_threadpool(act, actor))
    except StorageError:
        raise
    except NotAllowed:
        return JSONResponse({"error": "role"}, 403)
    except NotFound as error:
        return JSONResponse({"error": "not_found", "message": str(error)}, 404)
    except (AssayError, KeyError, TypeError, ValueError, OverflowError) as error:
        return JSONResponse({"error": "bad_request", "message": str(error)}, 400)


async def post_judge(request: Request) -> Response:
    """A card's outbox in; what became of each act, new pairs and progress out."""
    try:
        body = json.loads(await _read_body(request, LARGEST_REQUEST))
    except TooLarge:
        return JSONResponse({"error": "bad_request", "message": "too large"}, 413)
    except (ValueError, RecursionError):
        return JSONResponse({"error": "bad_request", "message": "expected JSON"}, 400)
    if not isinstance(body, dict):
        return JSONResponse({"error": "bad_request", "message": "expected an object"}, 400)
    return await _answer(request, lambda actor: answer_card(actor, body, now=datetime.now(UTC)), write=True)


async def get_pair(request: Request) -> Response:
    """One's own judged pair, to change one's mind."""
    numbers = request.query_params
    return await _answer(
        request, lambda actor: read_own_pair(actor, int(numbers["project"]), int(numbers["pair"])), write=False
    )


async def get_older(request: Request) -> Response:
    """One's own judgments under an older version of the rubric, to confirm or change."""
    numbers = request.query_params

    def answer(actor: Actor) -> dict[str, Any]:
        without = {int(number) for number in numbers.get("without", "").split(",") if number}
        return read_older(actor, int(numbers["project"]), without)

    return await _answer(request, answer, write=False)


async def get_text(request: Request) -> Response:
    """The whole of a long document that one holds or has judged."""
    numbers = request.query_params
    return await _answer(
        request, lambda actor: read_whole_text(actor, int(numbers["project"]), int(numbers["pair"])), write=False
    )


@contextlib.asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[dict[str, Any]]:
    """Bring the schema up to date, print the first admin's link where there is none, and serve."""
    await run_in_threadpool(migrate)
    with writing() as session:
        token = None if accounts.has_admin(session) else accounts.invite_first_admin(session)
    lines = ["", f"  Assay is at {public_address()}"]
    if token is not None:
        lines += ["", "  Nobody can sign in yet. Open this link once to become the first admin:"]
        lines += [f"  {public_address()}/welcome?token={token}"]
    print("\n".join([*lines, ""]), file=sys.stderr, flush=True)  # noqa: T201
    gc.freeze()  # what is loaded now stays; later collections need not look at it
    yield {}


routes = [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", post_sign_in, methods=["POST"]),
    Route("/sign-out", post_sign_out, methods=["POST"]),
    Route("/welcome", show_welcome, methods=["GET"]),
    Route("/welcome", post_welcome, methods=["POST"]),
    Route("/api/health", health, methods=["GET"]),
    Route("/api/judge", post_judge, methods=["POST"]),
    Route("/api/judge/pair", get_pair, methods=["GET"]),
    Route("/api/judge/older", get_older, methods=["GET"]),
    Route("/api/judge/text", get_text, methods=["GET"]),
]
middleware = [Middleware(Guard)]
