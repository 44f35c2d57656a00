"""A text area of the Settle desk: e puts the cursor there, Esc takes it out, and its words outlive a look at another pair.

Knows the key of the text area, not what it is for.
"""

import streamlit as st

__all__ = ["note_area"]

_KEPT = "settle_kept_words"

_SCRIPT = """
export default function (component) {
  const { data } = component;
  const area = () => document.querySelector(`.st-key-${CSS.escape(data.area)} textarea`);
  const onKey = (event) => {
    const target = event.target;
    if (event.key === "Escape" && target === area()) { target.blur(); return; }
    if (event.code !== "KeyE" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (target.matches && target.matches("input,textarea,select,[contenteditable=true]")) return;
    const found = area();
    if (found) { event.preventDefault(); found.focus(); }
  };
  document.addEventListener("keydown", onKey, true);
  return () => document.removeEventListener("keydown", onKey, true);
}
"""

_component = st.components.v2.component("assay_note_keys", js=_SCRIPT)


def note_area(label: str, key: str, *, height: int) -> None:
    """A text area with keys; what was written stands there again when its pair is shown again."""
    st.session_state.setdefault(key, _kept().get(key, ""))
    st.text_area(label, height=height, key=key, on_change=_keep, args=(key,))
    _component(key=f"keys_{key}", data={"area": key}, height=1)


def _kept() -> dict[str, str]:
    words: dict[str, str] = st.session_state.setdefault(_KEPT, {})
    return words


def _keep(key: str) -> None:
    """Streamlit forgets the value of a text area that is not drawn."""
    _kept()[key] = str(st.session_state.get(key) or "")
