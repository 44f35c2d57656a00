"""Frozen releases on the page: freezing one, the list with their very bytes, and two of them side by side.

Knows what is kept, and how it is read back; labeling.frozen keeps it.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from labeling import frozen
from labeling.accounts import Actor
from labeling.database import reading, writing
from labeling.exchange.archives import open_archive
from labeling.exchange.writing import safe_file_name
from labeling.frozen import FrozenRelease
from labeling.projects import Project
from labeling.qrels_comparison import QrelsChange, ScoreChange, compare_qrels, compare_scores
from labeling.releases import ReleaseChoices, build_release
from labeling.ui.components.figures import draw_figures
from labeling.ui.components.release_words import reason_word, rule_name, tie_word
from labeling.ui.components.run_choice import choose_runs, one_measure, show_definition
from labeling.ui.components.untrusted import plain_label, show_inline
from labeling.ui.state import attempt
from labeling.ui.texts import _
from metrics import Run, parse_measure

__all__ = ["draw_releases"]

SHOWN_PAIRS = 500
_DONE = "assay_release_frozen"


def draw_releases(actor: Actor, project: Project, rule: str, tie: str, queries: Sequence[str]) -> None:
    """Freeze what is there now; what was frozen; and what changed between two of them."""
    with reading() as session:
        releases = frozen.list_releases(session, actor, project.id)
    done = st.session_state.pop(_DONE, None)
    with st.container():  # is there always: what stands below keeps its place, and stays open if it is
        if done:
            st.success(_("Frozen: {name}", name=plain_label(done)), icon=":material/lock:")
    with st.expander(_("Freeze a release"), expanded=not releases, icon=":material/lock:"):
        _draw_form(actor, project, rule, tie, queries, f"freeze_{project.id}_{len(releases)}")
    if not releases:
        st.caption(_("Nothing is frozen yet."))
        return
    _draw_list(releases)
    _draw_one(actor, project, releases)
    if len(releases) > 1:
        st.subheader(_("Compare two releases"), anchor=False)
        _draw_comparison(actor, project, releases)


def _draw_form(actor: Actor, project: Project, rule: str, tie: str, queries: Sequence[str], key: str) -> None:
    with st.form(key, border=False):
        st.caption(
            _(
                "Keeps qrels, votes, decisions, rubric and manifest as they are now, by the rule {rule}, ties: {tie}. "
                "A release is never changed and never deleted.",
                rule=plain_label(rule_name(rule)),
                tie=tie_word(tie),
            )
        )
        name = st.text_input(_("Name of the release"), max_chars=200, key=f"{key}_name")
        note = st.text_input(_("Note"), placeholder=_("what is special about it"), key=f"{key}_note")
        left_out = st.multiselect(_("Queries left out"), list(queries), placeholder=_("none"), key=f"{key}_queries")
        texts = st.checkbox(_("With the texts of the documents (large)"), key=f"{key}_texts")
        pressed = st.form_submit_button(_("Freeze"), type="primary", icon=":material/lock:")
    if not pressed:
        return
    choices = ReleaseChoices(rule, tie, texts, tuple(str(one) for one in left_out), name.strip(), note.strip())

    def keep() -> FrozenRelease:
        with reading() as session:
            frozen.check_name(session, actor, project.id, name)
            release = build_release(session, actor, project.id, choices)
        with writing() as session:
            return frozen.freeze(session, actor, project.id, release)

    with st.spinner(_("Freezing…")):
        kept = attempt(keep)
    if kept is not None:
        st.session_state[_DONE] = kept.name
        st.rerun()


def _draw_list(releases: Sequence[FrozenRelease]) -> None:
    st.subheader(_("Releases"), anchor=False)
    rows = [
        {
            _("Name"): one.name,
            _("Frozen (UTC)"): one.created_at.replace(tzinfo=None),
            _("By"): one.created_by or _("command line"),
            _("Rule"): rule_name(one.manifest["rule"]["rule"]),
            _("Rubric"): one.manifest["rubric"]["version"],
            _("Pairs"): one.manifest["counts"]["pairs"],
            _("Open"): one.manifest["counts"]["open"],
            _("Note"): one.note,
            "SHA-256": one.sha256,
        }
        for one in releases
    ]
    moment = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
    config = {_("Frozen (UTC)"): moment, "SHA-256": st.column_config.TextColumn(width="small")}
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", column_config=config)


def _choose(label: str, releases: Sequence[FrozenRelease], key: str, index: int = 0) -> FrozenRelease:
    names = [one.name for one in releases]
    name = st.selectbox(label, names, index=index, key=key)
    return releases[names.index(str(name))]


def _draw_one(actor: Actor, project: Project, releases: Sequence[FrozenRelease]) -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        chosen = _choose(_("Release"), releases, f"release_{project.id}_{len(releases)}")

    def content() -> bytes:
        with reading() as session:
            return frozen.read_release(session, actor, project.id, chosen.name)

    size = f"{max(chosen.size // 1000, 1):,}"
    right.download_button(
        _("Download (zip, {size} kB)", size=size),
        content,
        f"{safe_file_name(f'{project.name} {chosen.name}')}.zip",
        "application/zip",
        on_click="ignore",
        key=f"release_get_{project.id}_{chosen.id}",
        icon=":material/download:",
    )
    with st.expander(_("The manifest: rule, rubric, counts, hashes")):
        st.json(chosen.manifest, expanded=1)


@st.cache_data(max_entries=16, show_spinner=False)
def _qrels_of(_actor: Actor, project_id: int, name: str, sha256: str) -> pd.DataFrame:  # noqa: ARG001 - the key
    with reading() as session:
        content = frozen.read_release(session, _actor, project_id, name)
    return open_archive(content, name).qrels()


@st.cache_data(max_entries=16, show_spinner=False)
def _scored(
    before: pd.DataFrame,
    after: pd.DataFrame,
    _runs: Sequence[Run],
    key: tuple[str, ...],  # noqa: ARG001 - stands for the runs, which are not hashed
    measure: str,
) -> ScoreChange:
    return compare_scores(before, after, _runs, parse_measure(measure))


def _draw_comparison(actor: Actor, project: Project, releases: Sequence[FrozenRelease]) -> None:
    left, right = st.columns(2)
    with left:
        before = _choose(_("Before"), releases, f"release_before_{project.id}_{len(releases)}", 1)
    with right:
        after = _choose(_("After"), releases, f"release_after_{project.id}_{len(releases)}")
    one, two = (_qrels_of(actor, project.id, release.name, release.sha256) for release in (before, after))
    change = compare_qrels(one, two)
    _draw_change(change)
    runs, hashes = choose_runs(project, "releases")
    if runs:
        measure = one_measure(project, "releases")
        _draw_score_change(_scored(one, two, runs, hashes, measure), measure)
    if len(change.table):
        st.markdown(_("**Pairs that differ**"))
        words = {"added": _("added"), "removed": _("removed"), "changed": _("another grade")}
        shown = change.table.assign(change=change.table["change"].map(words))
        names = {"before": _("Before"), "after": _("After"), "change": _("Change")}
        table = shown.head(SHOWN_PAIRS).rename(columns=names)
        st.dataframe(table, hide_index=True, width="stretch", height=260, placeholder="-")
        st.download_button(
            _("These pairs (CSV)"),
            lambda: change.table.to_csv(index=False).encode(),
            f"assay-{project.id}-{before.id}-{after.id}.csv",
            "text/csv",
            on_click="ignore",
            key=f"release_pairs_{project.id}",
        )


def _draw_change(change: QrelsChange) -> None:
    counts = change.counts
    figures = (
        (_("The same"), counts["same"]),
        (_("Another grade"), counts["changed"]),
        (_("Added"), counts["added"]),
        (_("Removed"), counts["removed"]),
    )
    draw_figures([(words, f"{figure:,}") for words, figure in figures])
    if counts["changed"]:
        table = change.moves.pivot_table(index="before", columns="after", values="pairs", fill_value=0).astype(int)
        table.columns = [_("to {grade}", grade=grade) for grade in table.columns]
        table.index = pd.Index([_("from {grade}", grade=grade) for grade in table.index], name=_("Grade"))
        st.dataframe(table, width="stretch")


def _draw_score_change(found: ScoreChange, measure: str) -> None:
    names = {
        "run": _("Run"),
        "before": _("Before"),
        "after": _("After"),
        "difference": _("Difference"),
        "place_before": _("Place before"),
        "place_after": _("Place after"),
    }
    number = st.column_config.NumberColumn(format="%.4f")
    config = {names[name]: number for name in ("before", "after")}
    config[names["difference"]] = st.column_config.NumberColumn(format="%+.4f")
    st.dataframe(found.table.rename(columns=names), hide_index=True, width="stretch", column_config=config)
    tau = _("undefined: {why}", why=reason_word(found.undefined)) if found.undefined else f"{found.tau:.3f}"
    show_inline(
        _(
            "Kendall's tau between the two orders: {tau}. Couples of runs that change places: {swapped}.",
            tau=tau,
            swapped=found.swapped,
        ),
        before=f"{measure}.",
    )
    show_definition(dict(found.definition))
