"""Files to scores, side by side in one run: Assay, pytrec_eval and, on a part, ir_measures; then many qrels at once.

    python benchmarks/metrics_speed.py                 # small: 50 queries x 10 systems x 1,000 documents
    python benchmarks/metrics_speed.py --systems 100   # the size that the README quotes
    python benchmarks/metrics_speed.py --msmarco       # 6,980 queries x 1,000 documents too

Every tool reads the same files and scores the same five measures; the greatest difference between the values is printed.
"""

import argparse
import gzip
import json
import re
import resource
import tempfile
import time
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytrec_eval

import metrics
from metrics._draw_scores import score_draws
from metrics._draws import GradeDraws

TEXTS = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
NAMES = ["ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100"]


def write_files(folder, queries, systems, depth, seed=0, judged_each=150):
    generator = np.random.default_rng(seed)
    pool = 4 * depth
    with (folder / "qrels.txt").open("w") as lines:
        for query in range(queries):
            judged = generator.choice(pool, size=min(judged_each, pool), replace=False)
            for doc, grade in zip(judged, generator.choice(4, size=len(judged), p=[0.6, 0.2, 0.15, 0.05]), strict=True):
                lines.write(f"{query + 1000} 0 {query * pool + doc} {grade}\n")
    for system in range(systems):
        with (folder / f"system-{system}.run").open("w") as lines:
            for query in range(queries):
                docs = generator.choice(pool, size=depth, replace=False)
                scores = np.sort(generator.normal(size=depth).round(4))[::-1]
                lines.writelines(
                    f"{query + 1000} Q0 {query * pool + doc} {rank} {score} system-{system}\n"
                    for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), start=1)
                )
    return folder / "qrels.txt", sorted(folder.glob("system-*.run"))


def run_assay(qrels_path, run_paths):
    qrels = metrics.read_qrels(qrels_path)
    found = metrics.evaluate(qrels, metrics.read_runs(run_paths), TEXTS)
    return found, {(row.run, row.measure): row.mean for row in found.means.itertuples()}


def run_pytrec_eval(qrels_path, run_paths):
    with qrels_path.open() as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES))
    means = {}
    for path in run_paths:
        with path.open() as lines:
            scores = evaluator.evaluate(pytrec_eval.parse_run(lines))
        for name, text in zip(NAMES, TEXTS, strict=True):
            means[path.stem, text] = sum(each[name] for each in scores.values()) / len(qrels)
    return means


def run_ir_measures(qrels_path, run_paths):
    measures = [ir_measures.parse_measure(text) for text in TEXTS]
    qrels = list(ir_measures.read_trec_qrels(str(qrels_path)))
    means = {}
    for path in run_paths:
        found = ir_measures.calc_aggregate(measures, qrels, ir_measures.read_trec_run(str(path)))
        means |= {(path.stem, text): found[measure] for measure, text in zip(measures, TEXTS, strict=True)}
    return means


def timed(work, *arguments):
    start = time.perf_counter()
    found = work(*arguments)
    return time.perf_counter() - start, found


def compare_tools(queries, systems, depth, judged_each=150):
    with tempfile.TemporaryDirectory() as folder:
        qrels_path, run_paths = write_files(Path(folder), queries, systems, depth, judged_each=judged_each)
        print(
            f"{queries} queries ({judged_each} judged documents each) x {systems} systems x {depth} documents, files to scores, {len(TEXTS)} measures"
        )
        ours, (evaluation, means) = timed(run_assay, qrels_path, run_paths)
        theirs, expected = timed(run_pytrec_eval, qrels_path, run_paths)
        part = run_paths[: max(1, systems // 10)]
        slow, _ = timed(run_ir_measures, qrels_path, part)
        slow *= systems / len(part)
        again, _ = timed(metrics.evaluate_aligned, evaluation.alignment, ["nDCG@20"])
    far = max(abs(means[key] - expected[key]) for key in expected)
    print(f"  assay        {ours:8.2f} s")
    print(f"  pytrec_eval  {theirs:8.2f} s  {theirs / ours:5.1f} times as long; greatest difference {far:.1e}")
    print(f"  ir_measures  {slow:8.2f} s  {slow / ours:5.1f} times as long (from {len(part)} of the runs)")
    print(f"  one more measure on data already read: {again * 1000:.1f} ms")


def score_many_qrels(queries, systems, draws, depth=100):
    """nDCG@10 of all systems under every set of qrels, beside a loop over pytrec_eval on a few sets."""
    generator = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        qrels_path, run_paths = write_files(Path(folder), queries, systems, depth)
        runs = [metrics.read_run(path) for path in run_paths]
        alignment = metrics.align(metrics.read_qrels(qrels_path), runs)
    pairs = len(alignment.judged.grades)
    sets = GradeDraws(generator.integers(0, 4, size=(draws, pairs)), tuple(map(str, range(draws))), whole=False)
    measure = metrics.parse_measure("nDCG@10")
    ours, found = timed(score_draws, alignment.hits, sets, measure, alignment.options, generator, 1000)
    nested = [
        {query: dict(zip(rows["doc_id"], rows["score"], strict=True)) for query, rows in run.table.groupby("query_id")}
        for run in runs
    ]
    few = 2
    start = time.perf_counter()
    far = 0.0
    for draw in range(few):
        qrels = {}
        for query, doc, grade in zip(alignment.judged.query, alignment.judged.doc_ids, sets.grades[draw], strict=True):
            qrels.setdefault(alignment.judged.queries[query], {})[doc] = int(grade)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"})
        for place, run in enumerate(nested):
            scores = evaluator.evaluate(run)
            far = max(
                far, abs(sum(each["ndcg_cut_10"] for each in scores.values()) / queries - found.means[place, draw])
            )
    loop = (time.perf_counter() - start) * draws / few
    print(
        f"{draws} qrels x {queries} queries x {systems} systems, nDCG@10: {ours:.2f} s; loop over pytrec_eval {loop:.0f} s (from {few} sets), {loop / ours:.0f} times as long; greatest difference {far:.1e}"
    )


def study_campaign(folder):
    """The study of a real campaign: every set of qrels of its raters, and the official one; four measures."""
    folder = Path(folder)
    texts = ["nDCG@10", "P(rel=2)@10", "RR(rel=2)@10", "R(rel=2)@100"]
    paths = sorted((folder / "runs").iterdir())
    rows = []
    for path in sorted((folder / "judgments").iterdir()):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            rows.append(
                (entry["query_id"], entry["doc_id"], path.stem, int(re.search(r"\((\d)\)", entry["label"][0])[1]))
            )
    votes = pd.DataFrame(rows, columns=["query_id", "doc_id", "rater", "grade"]).astype(
        {"query_id": "str", "doc_id": "str", "rater": "str"}
    )

    def ours():
        runs = metrics.read_runs(paths)
        official = metrics.evaluate(metrics.read_qrels(folder / "qrels-nist.txt"), runs, texts).means
        return official, metrics.disagreement(votes, runs, texts, exclude_queries=["443396"]).systems

    seconds, _ = timed(ours)
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels-nist.txt")))
    measures = [ir_measures.parse_measure(text) for text in texts]
    part = paths[:4]
    start = time.perf_counter()
    for path in part:
        with gzip.open(path, "rt") as lines:
            ir_measures.calc_aggregate(measures, qrels, list(ir_measures.read_trec_run(lines)))
    loop = (time.perf_counter() - start) * len(paths) / len(part) * 17
    print(
        f"campaign, 16 sets and the official one x {len(paths)} runs x {len(texts)} measures: {seconds:.2f} s; loop over ir_measures {loop:.0f} s (from {len(part)} evaluations), {loop / seconds:.0f} times as long"
    )


def show_growth():
    print("growth: seconds for files to scores, five measures (two warm-up sizes first)")
    for queries, systems, depth in (
        (25, 2, 200),
        (25, 2, 1000),
        (50, 2, 1000),
        (100, 2, 1000),
        (50, 4, 1000),
        (50, 2, 2000),
    ):
        with tempfile.TemporaryDirectory() as folder:
            paths = write_files(Path(folder), queries, systems, depth)
            seconds, _ = timed(run_assay, *paths)
        print(
            f"  {queries:4d} queries x {systems} systems x {depth:4d} documents: {seconds:.3f} s, {seconds / (queries * systems * depth) * 1e6:.2f} s a million lines"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--campaign", metavar="FOLDER", help="a folder with judgments/, runs/ and qrels-nist.txt")
    parser.add_argument("--msmarco", action="store_true")
    chosen = parser.parse_args()
    show_growth()
    compare_tools(50, chosen.systems, 1000)
    if chosen.msmarco:
        compare_tools(6980, 1, 1000, judged_each=1)  # as MS MARCO: about one judged passage a query
    if chosen.campaign:
        study_campaign(chosen.campaign)
    score_many_qrels(50, chosen.systems, chosen.draws)
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
