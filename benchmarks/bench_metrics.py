"""Files to scores, side by side in one run: Assay and its rivals, each in a process of its own; then many qrels at once.

    python benchmarks/bench_metrics.py            # everything, in some minutes
    python benchmarks/bench_metrics.py --quick    # a tenth of the sizes, to see that it runs

Every tool reads the same files and scores the same five measures; the clock starts after its imports. Where a rival would
take too long it gets a part of the files, and the line says so. Rivals that are not installed are named as absent.
"""

import argparse
import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from importlib import metadata, util
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyarrow.csv as pacsv
import pytrec_eval

sys.path.insert(0, str(Path(__file__).parents[1]))

import metrics
from metrics._draw_scores import score_draws
from metrics._draws import GradeDraws

TEXTS = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
ROUNDS = 3
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
    means = {(row.run, row.measure): row.mean for row in found.means.itertuples()}
    start = time.perf_counter()
    metrics.evaluate_aligned(found.alignment, ["nDCG@20"])
    return means, time.perf_counter() - start


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


def run_ranx(qrels_path, run_paths):
    import ranx  # noqa: PLC0415 -- may be absent

    names = ["ndcg@10", "map", "mrr", "precision@10", "recall@100"]
    ranx.evaluate(ranx.Qrels({"q": {"d": 1}}), ranx.Run({"q": {"d": 1.0}}), names)  # compiles
    qrels = ranx.Qrels.from_file(str(qrels_path), kind="trec")
    means = {}
    for path in run_paths:
        run = ranx.Run.from_file(str(path), kind="trec")
        found = ranx.evaluate(qrels, run, names, make_comparable=True)
        means |= {(path.stem, text): float(found[name]) for name, text in zip(names, TEXTS, strict=True)}
    return means


def run_trec_eval(qrels_path, run_paths):
    means = {}
    for path in run_paths:
        command = [shutil.which("trec_eval"), "-c", *(f"-m{name}" for name in ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"))]  # fmt: skip
        said = subprocess.run([*command, qrels_path, path], check=True, capture_output=True, text=True).stdout
        found = {line.split()[0]: float(line.split()[2]) for line in said.splitlines()}
        means |= {(path.stem, text): found[name] for name, text in zip(NAMES, TEXTS, strict=True)}
    return means


TOOLS = {
    "assay": run_assay,
    "pytrec_eval-terrier": run_pytrec_eval,
    "ir_measures": run_ir_measures,
    "ranx": run_ranx,
    "trec_eval": run_trec_eval,
}
WHOLE = {"assay", "pytrec_eval-terrier", "trec_eval"}  # the others are given a tenth of the systems
DIGITS = {"trec_eval": "4 printed digits", "ranx": "another order among ties, and its own gain"}


def version_of(tool):
    """Its version; None where it is absent."""
    if tool == "assay":
        return "this tree"
    if tool == "trec_eval":
        program = shutil.which("trec_eval")
        if program is None:
            return None
        said = subprocess.run([program, "--version"], check=False, capture_output=True, text=True)
        return (said.stdout + said.stderr).split()[-1]
    return metadata.version(tool) if util.find_spec(tool.removesuffix("-terrier")) else None


def peak_memory():
    """Peak memory of this process in MB; what the system reports of a child otherwise begins with its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def answer_as_child(tool, paths):
    """Run one tool, warm, and print what it took: a process of its own shows the memory of this tool alone."""
    with tempfile.TemporaryDirectory() as folder:
        qrels_path, run_paths = write_files(Path(folder), 2, 1, 10)
        TOOLS[tool](qrels_path, run_paths)
    if tool == "ranx":
        TOOLS[tool](paths[0], paths[1:2])  # it compiles once more for files of this size
    start = time.perf_counter()
    found = TOOLS[tool](paths[0], paths[1:])
    seconds = time.perf_counter() - start
    means, further = found if isinstance(found, tuple) else (found, None)
    seconds -= further or 0.0
    peak = peak_memory()
    print(json.dumps({"seconds": seconds, "further": further, "peak": peak, "means": [[*key, value] for key, value in means.items()]}))  # fmt: skip


def measure_tool(tool, paths):
    command = [sys.executable, __file__, "--child", tool, *map(str, paths)]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return said | {"means": {(run, measure): value for run, measure, value in said["means"]}}


def measure_in_turn(files):
    """The best of some runs of each tool, taken in turn: what else a machine does falls on all of them alike."""
    runs = [{tool: measure_tool(tool, paths) for tool, paths in files.items()} for _ in range(ROUNDS)]
    return {tool: min((each[tool] for each in runs), key=lambda run: run["seconds"]) for tool in files}


def timed(work, *arguments):
    start = time.perf_counter()
    found = work(*arguments)
    return time.perf_counter() - start, found


def print_tool(tool, found, ours, *, scale):
    version = version_of(tool)
    far = max(abs(ours["means"][key] - value) for key, value in found["means"].items())
    seconds = found["seconds"] * scale
    text = f"  {tool + ' ' + version:28s} {seconds:8.2f} s  {seconds / ours['seconds']:6.1f} times as long; peak {found['peak']:6.0f} MB; greatest difference {far:.1e}"
    if tool in DIGITS:
        text += f" ({DIGITS[tool]})"
    print(text + (f"; SCALED by {scale:g} from a part of the files" if scale != 1 else ""), flush=True)


def compare_tools(queries, systems, depth, judged_each=150):
    print(f"{queries} queries ({judged_each} judged documents each) x {systems} systems x {depth} documents, files to scores, {len(TEXTS)} measures", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        qrels_path, run_paths = write_files(Path(folder), queries, systems, depth, judged_each=judged_each)
        whole = [qrels_path, *run_paths]
        os.sync()  # else the first to be measured shares the machine with the writing of its files
        few = max(1, systems // 10)
        present = [tool for tool in TOOLS if version_of(tool) is not None]
        files = {tool: whole if tool in WHOLE else whole[: few + 1] for tool in present}
        found = measure_in_turn(files)
        part_of_ours = found["assay"] if few == systems else measure_tool("assay", whole[: few + 1])
        ours = found["assay"]
        print(f"  {'assay':28s} {ours['seconds']:8.2f} s; peak {ours['peak']:6.0f} MB; one more measure on data already read {ours['further'] * 1000:.1f} ms", flush=True)  # fmt: skip
        for tool in list(TOOLS)[1:]:
            if tool not in found:
                print(f"  {tool}: absent, not measured")
            elif tool in WHOLE:
                print_tool(tool, found[tool], ours, scale=1)
            else:
                print_tool(tool, found[tool], ours | {"means": part_of_ours["means"]}, scale=systems / few)


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
    for few in (draws // 4, draws // 2):
        fewer = GradeDraws(sets.grades[:few], sets.labels[:few], whole=False)
        seconds, _ = timed(score_draws, alignment.hits, fewer, measure, alignment.options, generator, 1000)
        print(f"growth: {few} qrels x {queries} queries x {systems} systems, nDCG@10: {seconds:.2f} s")
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
        f"{draws} qrels x {queries} queries x {systems} systems, nDCG@10: {ours:.2f} s; loop over pytrec_eval {loop:.0f} s (SCALED from {few} sets), {loop / ours:.0f} times as long; greatest difference {far:.1e}"
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
        f"campaign, 16 sets and the official one x {len(paths)} runs x {len(texts)} measures: {seconds:.2f} s; loop over ir_measures {loop:.0f} s (SCALED from {len(part)} of {17 * len(paths)} evaluations), {loop / seconds:.0f} times as long"
    )


def compare_reading():
    """A run of a million lines: read and checked by Assay, beside plain CSV readers that check nothing."""
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    with tempfile.TemporaryDirectory() as folder:
        path = write_files(Path(folder), 1000, 1, 1000)[1][0]
        readers = {
            "assay": lambda: metrics.read_run(path),
            "pyarrow.csv": lambda: pacsv.read_csv(
                path,
                read_options=pacsv.ReadOptions(column_names=names),
                parse_options=pacsv.ParseOptions(delimiter=" "),
            ),
            "pandas (c)": lambda: pd.read_csv(path, sep=" ", names=names, dtype={"query_id": str, "doc_id": str}),
        }
        said = []
        for name, read in readers.items():
            read()  # warm
            said.append(f"{name} {min(timed(read)[0] for _ in range(5)):.3f} s")
    print(f"a run of a million lines, read (best of 5): {'; '.join(said)}")


def show_growth():
    print("growth: seconds for files to scores, five measures")
    for queries, systems, depth in (
        (50, 10, 1000),
        (100, 10, 1000),
        (200, 10, 1000),
        (50, 20, 1000),
        (50, 40, 1000),
        (50, 10, 2000),
        (50, 10, 4000),
    ):
        with tempfile.TemporaryDirectory() as folder:
            paths = write_files(Path(folder), queries, systems, depth)
            run_assay(paths[0], paths[1][:1])  # warm
            seconds, _ = timed(run_assay, *paths)
        print(
            f"  {queries:4d} queries x {systems} systems x {depth:4d} documents: {seconds:.3f} s, {seconds / (queries * systems * depth) * 1e6:.2f} s a million lines"
        )


def find_campaign():
    """The folder of the dl19 campaign, beside the repository or where ASSAY_SHARED_DATA says; None where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ASSAY_SHARED_DATA", beside)) / "dl19"
    return folder if (folder / "qrels-nist.txt").exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        answer_as_child(chosen.child[0], [Path(each) for each in chosen.child[1:]])
        return
    part = 10 if chosen.quick else 1
    print(f"python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    compare_reading()
    show_growth()
    compare_tools(50, 100 // part, 1000)
    compare_tools(6980 // part, 1, 1000, judged_each=1)  # as MS MARCO: about one judged passage a query
    score_many_qrels(50, 100 // part, 1000 // part)
    campaign = find_campaign()
    if campaign is None:
        print("the dl19 campaign: absent, not measured")
    else:
        study_campaign(campaign)
    print(f"peak memory of this process: {peak_memory():.0f} MB")


if __name__ == "__main__":
    main()
