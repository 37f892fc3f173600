"""How those who labelled agree: kappa of each pair, alpha of all, the confusion of one pair, what to adjudicate."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import taxonomy_data
from dashboard.parts import figure
from tabcore.analyses.agreement import Pair
from tabcore.analyses.failure_taxonomy import FailureTaxonomy
from tabcore.analyses.failure_types import PAPER_KAPPA
from tabcore.exports.label_rows import as_csv, as_jsonl, label_rows, note_rows
from tabcore.presentation.plain import plain, plain_line
from tabcore.presentation.taxonomy_charts import confusion_chart
from tabcore.presentation.taxonomy_tables import by_type_table, kappa_table

LISTED = 100
"""Disagreements that are listed at once."""


def draw(found: FailureTaxonomy, head: DeltaGenerator) -> None:
    """All of it, for these failed rubrics; labels as files at the end."""
    said = taxonomy_data.agreement(found, taxonomy_data.labels())
    who = ", ".join(f"{plain_line(name, 40)} {done:,}" for name, done, _ in said.annotators)
    alpha = (
        ""
        if said.alpha is None or len(said.annotators) < 3
        else f" Krippendorff's alpha of all, over {said.items:,} rubrics with two labels or more: {said.alpha:.3f}."
    )
    st.text(
        f"Labelled of {len(found.failed):,} failed rubrics: {who}.{alpha} Paper, models and people: kappa {PAPER_KAPPA}."
    )
    if said.pairs:
        figure.draw_table(kappa_table(said), "agreement", "Cohen's kappa of each pair of annotators")
        with head:
            names = [f"{plain_line(pair.first, 40)} and {plain_line(pair.second, 40)}" for pair in said.pairs]
            chosen = st.selectbox(
                "Pair", range(len(names)), format_func=names.__getitem__, key="agreement-pair", width=320
            )
        _pair(found, said.pairs[chosen or 0])
    else:
        st.info("One annotator agrees with nobody. Label on the desk, or take labels in below.")
    _files()


def _pair(found: FailureTaxonomy, pair: Pair) -> None:
    if not pair.agreed.of:
        st.info("These two labelled no rubric both.")
        return
    st.subheader(sentence(pair), anchor=False)
    left, right = st.columns([3, 2])
    with left:
        figure.plot(confusion_chart(pair), "confusion")
    with right:
        figure.draw_table(by_type_table(pair), "agreement-by-type", "Agreement on each type")
    _disagreements(found, pair)


def sentence(pair: Pair) -> str:
    """A pair's agreement, as a heading."""
    kappa = "Kappa is not defined, both used one type throughout" if pair.kappa is None else f"Kappa {pair.kappa:.3f}"
    between = f", 95 % interval {pair.interval[0]:.3f} to {pair.interval[1]:.3f}" if pair.interval else ""
    return f"{kappa}{between}: agreed on {pair.agreed.count:,} of {pair.agreed.of:,}"


def _disagreements(found: FailureTaxonomy, pair: Pair) -> None:
    texts = {(one.run.run_id, one.rubric.rubric_id): one.rubric.text for one in found.failed}
    st.markdown(f"**{len(pair.disagreements):,} to adjudicate**")
    for apart in pair.disagreements[:LISTED]:
        with st.container(horizontal=True, vertical_alignment="center"):
            run, rubric = apart.item
            st.page_link("views/taxonomy.py", label="see it", query_params={"run": run, "rubric": rubric})
            st.text(
                plain(
                    f"{plain_line(rubric, 30)} · {pair.first}: {apart.first} · {pair.second}: {apart.second} · {texts[apart.item][:200]}"
                )
            )


def _files() -> None:
    labels, notes = taxonomy_data.labels(), taxonomy_data.notes()
    with st.expander(f"Labels as files: {len(labels):,} labels, {len(notes):,} notes", key="label-files"):
        with st.container(horizontal=True):
            rows = label_rows(labels)
            st.download_button("Labels, CSV", lambda: as_csv(rows), "labels.csv", "text/csv", on_click="ignore")
            st.download_button("Labels, JSON lines", lambda: as_jsonl(rows), "labels.jsonl", on_click="ignore")
            told = note_rows(notes)
            st.download_button("Notes, JSON lines", lambda: as_jsonl(told), "notes.jsonl", on_click="ignore")
        file = st.file_uploader("Take labels in: CSV or JSON lines", ["csv", "jsonl"], key="label-file")
        who = st.text_input("Who labelled, where rows name nobody", key="label-file-who", max_chars=80)
        if file is not None and st.button("Take in", key="take-in"):
            taken = taxonomy_data.take_labels_in(file.getvalue().decode("utf-8-sig", "replace"), who)
            st.text(f"{taken.added:,} added, {taken.known:,} known before, {len(taken.refused):,} refused")
            for one in taken.refused[:LISTED]:
                st.text(plain(f"row {one.row}: {one.why}"))
