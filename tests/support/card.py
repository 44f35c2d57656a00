"""The judging card as a rater sees and presses it, for tests in a browser. Knows the pretend server's switches."""

import itertools
import json
import re
import urllib.request

from playwright.sync_api import Page, expect

_numbers = itertools.count(1)


class Card:
    """The card as a rater sees it, in a project of its own."""

    def __init__(self, page: Page, base: str, kind: str = "plain", name: str | None = None) -> None:
        self.page = page
        self.base = base
        self.project = name or f"{kind}-{next(_numbers)}"
        self.root = page.locator("[data-card]")

    def open(self, **query: str) -> "Card":
        wanted = "&".join(f"{name}={value}" for name, value in {"project": self.project, **query}.items())
        self.page.goto(f"{self.base}/?{wanted}")
        expect(self.root).to_have_attribute("data-painted", re.compile("."))
        self.settle()
        return self

    def settle(self) -> None:
        """Let the pair be seen for a moment, as a person would."""
        self.page.wait_for_timeout(90)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.settle()

    @property
    def pair(self) -> int:
        return int(self.root.get_attribute("data-pair"))

    def switch(self, **switches: object) -> None:
        request = urllib.request.Request(
            f"{self.base}/pretend/switch?project={self.project}", json.dumps(switches).encode(), method="POST"
        )
        urllib.request.urlopen(request).close()

    def read(self) -> dict:
        with urllib.request.urlopen(f"{self.base}/pretend/ledger?project={self.project}") as answer:
            return json.load(answer)

    @property
    def ledger(self) -> list[dict]:
        return self.read()["ledger"]

    def wait_saved(self) -> None:
        expect(self.root.locator("[data-status]")).to_have_attribute("data-kind", "saved")
        expect(self.root.locator("[data-status]")).to_have_attribute("data-pending", "0")

    def grades(self) -> list[tuple[int, int]]:
        return [(row["pair"], row["grade"]) for row in self.ledger if row["kind"] == "grade"]

    def watch(self) -> "Card":
        """Note, before the card hears a key, which pair was on screen when it went down; call it before opening."""
        self.page.add_init_script(
            """window.pressed = [];
            window.addEventListener('keydown', (event) => {
              const host = [...document.querySelectorAll('*')].find((node) => node.shadowRoot?.querySelector('[data-card]'));
              window.pressed.push([Number(host.shadowRoot.querySelector('[data-card]').dataset.pair), Number(event.key)]);
            }, true);"""
        )
        return self


def key_down(page: Page, key: str, code: str, **more: object) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": key, "code": code, **more})


def key_up(page: Page, key: str, code: str) -> None:
    page.context.new_cdp_session(page).send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "code": code})
