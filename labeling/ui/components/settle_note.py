"""Keys into a text area and out of it again: e puts the cursor there, Esc takes it out, so that the other keys work.

Knows the key of the text area; draws nothing.
"""

import streamlit as st

__all__ = ["note_keys"]

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


def note_keys(area: str) -> None:
    """Listen for the keys of the text area with this key."""
    _component(key=f"keys_{area}", data={"area": area}, height=1)
