"""The two pages that come before the app: sign-in, and the welcome behind an invitation. Plain HTML, no script.

Knows no database: what is shown comes in as arguments, and every one of them is escaped.
"""

from html import escape

from labeling.i18n import LANGUAGES, mark, translate

__all__ = ["sign_in_page", "welcome_page"]

STYLE = """
:root { color-scheme: light dark; --ink: #17211f; --soft: #5b6b68; --paper: #fff; --ground: #f3f6f6; --line: #cfd9d7;
  --accent: #0b6e69; --on-accent: #fff; --fault: #a4262c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ecea; --soft: #a3b2af; --paper: #1b2327; --ground: #11171a;
  --line: #37444a; --accent: #4fc3ba; --on-accent: #08201e; --fault: #ff9b9b; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  word-break: keep-all; overflow-wrap: anywhere; color: var(--ink); font: 16px/1.5 system-ui, "Noto Sans KR", "Noto Sans CJK KR", "Malgun Gothic", sans-serif; }
main { width: 100%; max-width: 25rem; background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  padding: 2rem; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; } p { margin: 0 0 1.25rem; color: var(--soft); }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
input { width: 100%; font: inherit; color: inherit; background: transparent; padding: .6rem .75rem; margin: 0 0 1rem;
  border: 1px solid var(--line); border-radius: 8px; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button { width: 100%; font: inherit; font-weight: 600; padding: .7rem; border: 0; border-radius: 8px; cursor: pointer;
  background: var(--accent); color: var(--on-accent); }
a { color: var(--accent); } .fault { color: var(--fault); font-weight: 600; } .small { margin: 1.25rem 0 0; font-size: .875rem; }
nav { margin-top: 1rem; font-size: .875rem; } nav a { color: var(--soft); margin-right: 1rem; }
"""

FAULTS = {
    "wrong": mark("Name and password do not fit. Try again, or ask an admin for a new link."),
    "paused": mark("Too many wrong passwords for this name. Wait five minutes, then try again."),
    "differ": mark("The two passwords differ."),
}
ROLE_WORDS = {"rater": mark("rater"), "lead": mark("lead"), "admin": mark("admin")}


def _page(language: str, title: str, body: str, links: str = "") -> str:
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Assay</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{escape(title)}</h1>{body}{links}</main></body></html>"
    )


def _field(language: str, name: str, message: str, *, kind: str, complete: str, value: str = "", focus: bool) -> str:
    attributes = f'id="{name}" name="{name}" type="{kind}" autocomplete="{complete}" required maxlength="200"'
    return (
        f'<label for="{name}">{escape(translate(language, message))}</label>'
        f'<input {attributes} value="{escape(value)}"{" autofocus" if focus else ""}>'
    )


def _fault(language: str, fault: str) -> str:
    text = translate(language, FAULTS.get(fault, fault))
    return f'<p class="fault" role="alert">{escape(text)}</p>' if fault else ""


def _languages(query: str) -> str:
    links = "".join(f'<a href="?language={code}{query}" lang="{code}">{name}</a>' for code, name in LANGUAGES.items())
    return f"<nav>{links}</nav>"


def sign_in_page(language: str, *, target: str, name: str = "", fault: str = "") -> str:
    """The sign-in form; target is where to go afterwards."""
    intro = translate(language, mark("Judge, measure agreement, and see what it does to the scores."))
    sign_in = translate(language, mark("Sign in"))
    lost = translate(language, mark("No account, or a forgotten password? An admin of your team can send you a link."))
    body = (
        f"<p>{escape(intro)}</p>"
        f'{_fault(language, fault)}<form method="post" action="/sign-in?language={escape(language)}">'
        f'<input type="hidden" name="next" value="{escape(target)}">'
        + _field(language, "name", mark("Name"), kind="text", complete="username", value=name, focus=not name)
        + _field(language, "password", mark("Password"), kind="password", complete="current-password", focus=bool(name))
        + f"<button>{escape(sign_in)}</button></form>"
        f'<p class="small">{escape(lost)}</p>'
    )
    return _page(language, sign_in, body, _languages(f"&next={escape(target)}"))


def welcome_page(
    language: str, *, token: str, invitation: tuple[str, str | None] | None, name: str = "", fault: str = ""
) -> str:
    """The form behind an invitation (role, name of the account or None); without one, a word that it is over."""
    title = translate(language, mark("Welcome to Assay"))
    if invitation is None:
        over = translate(language, mark("This link was used already or is over. Ask for a new one, or sign in."))
        sign_in = translate(language, "Sign in")
        return _page(language, title, f'<p>{escape(over)}</p><p><a href="/sign-in">{escape(sign_in)}</a></p>')
    role, known = invitation
    word = translate(language, ROLE_WORDS[role])
    intro = (
        translate(language, mark("Choose a name and a password. Your role will be: {role}."), role=word)
        if known is None
        else translate(language, mark("Choose a new password for {name}."), name=known)
    )
    who = (
        _field(language, "name", mark("Name"), kind="text", complete="username", value=name, focus=True)
        if known is None
        else f'<input type="hidden" name="name" value="{escape(known)}">'
    )
    act = translate(language, mark("Create the account") if known is None else mark("Set the password"))
    body = (
        f"<p>{escape(intro)}</p>{_fault(language, fault)}"
        f'<form method="post" action="/welcome?language={escape(language)}">'
        f'<input type="hidden" name="token" value="{escape(token)}">{who}'
        + _field(
            language,
            "password",
            mark("Password (8 characters or more)"),
            kind="password",
            complete="new-password",
            focus=False,
        )
        + _field(
            language, "again", mark("The same password again"), kind="password", complete="new-password", focus=False
        )
        + f"<button>{escape(act)}</button></form>"
    )
    return _page(language, title, body, _languages(f"&token={escape(token)}"))
