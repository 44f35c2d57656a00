"""What a page shows where there is nothing yet: why, and the next step.

Knows no page; texts come translated, and only from the program itself.
"""

import streamlit as st

__all__ = ["empty_state"]


def empty_state(
    title: str,
    text: str,
    *,
    icon: str = "",
    action: str | None = None,
    page: str = "",
) -> None:
    """A quiet box in the page's middle with at most one thing to do.

    Parameters
    ----------
    title, text : str
        The state in a few words; why it is so, and what fills it.
    icon : str
        A bundled icon's name as in ``":material/inbox:"``, or nothing.
    action : str, optional
        Words of the one next step, which leads to ``page``.
    """
    with st.container(border=True, horizontal_alignment="center"):
        st.html('<div style="height:0.5rem"></div>')
        if icon:
            st.markdown(f"### {icon}", width="content")
        st.markdown(f"**{title}**", width="content", text_alignment="center")
        st.caption(text, width="content", text_alignment="center")
        if action and st.button(action, type="primary", key=f"{title}_page"):
            st.switch_page(page)
        st.html('<div style="height:0.5rem"></div>')
