"""A large run file read in blocks gives what the reader of whole files gives, and leaves to it whatever is odd."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metrics
from metrics import _blocks
from metrics._blocks import read_in_blocks
from metrics.errors import InputError
from metrics.trec import _RUN_TYPES

RUNS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 400), st.sampled_from([0.5, 1.0, -2.25, 3e5])),
    min_size=30,
    max_size=80,
    unique_by=lambda row: row[:2],
)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "_LEAST_BYTES", 1)
    monkeypatch.setattr(_blocks, "_BLOCK_BYTES", 200)
    monkeypatch.setattr(_blocks, "_LONGEST_LINE", 100)


def lines_of(rows: list[tuple[int, int, float]]) -> str:
    return "".join(f"q{query} Q0 doc{doc} 1 {score} mine\n" for query, doc, score in rows)


def falling(rows: int) -> list[str]:
    return [f"q1 Q0 doc{row} {row + 1} {1000 - row} mine\n" for row in range(rows)]


@given(RUNS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_blocks_give_the_run_that_the_whole_file_gives(
    small_blocks: None, tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, float]]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "some.run"
    path.write_text(lines_of(rows))
    in_blocks, whole = metrics.read_run(path), metrics.read_run(path.read_bytes())
    assert read_in_blocks(path, _RUN_TYPES) is not None
    assert in_blocks.table.equals(whole.table)
    assert (in_blocks.tag, in_blocks.remarks) == (whole.tag, whole.remarks)
    qrels = metrics.read_qrels("".join(f"q{q} 0 doc{d} {d % 4}\n" for q, d, _ in rows[::3]).encode())
    scores = [
        metrics.evaluate(qrels, run, ["nDCG@10", "AP", "RR"]).means["mean"].to_numpy() for run in (in_blocks, whole)
    ]
    assert np.array_equal(*scores)


@pytest.mark.parametrize(
    "odd",
    ["q1 Q0 dé 1 2.0 mine\n", "q1 Q0 d9999 1 nan mine\n", "q1 Q0 d9999 1 2.0 mine more\n", "q1 Q0 d9999 1 2.0 mine\r\n", "q1 Q0 d9999 1\n"],
)  # fmt: skip
def test_an_odd_line_anywhere_is_left_to_the_exact_reader(small_blocks: None, tmp_path: Path, odd: str) -> None:
    path = tmp_path / "odd.run"
    path.write_bytes((lines_of([(1, doc, 1.0) for doc in range(40)]) + odd).encode())
    assert read_in_blocks(path, _RUN_TYPES) is None


def test_a_document_twice_in_blocks_far_apart_is_named_with_its_line(small_blocks: None, tmp_path: Path) -> None:
    path = tmp_path / "twice.run"
    path.write_text(lines_of([(1, doc, 1.0) for doc in range(60)] + [(1, 3, 0.5)]))
    with pytest.raises(InputError, match=r"line 61: expected a document once in a ranking.*line 4"):
        metrics.read_run(path)


def test_comments_and_tags_are_noticed_over_all_blocks(small_blocks: None, tmp_path: Path) -> None:
    path = tmp_path / "mixed.run"
    lines = "".join(falling(40)) + "# said\nq2 Q0 d 1 2 other\n"
    path.write_text(lines)
    run = metrics.read_run(path)
    assert read_in_blocks(path, _RUN_TYPES) is not None
    assert {each.kind: each.count for each in run.remarks} == {"comments": 1, "several_tags": 2}
    assert run.remarks == metrics.read_run(lines.encode()).remarks


@pytest.mark.parametrize("turned", range(39))
def test_ranks_against_scores_are_noticed_within_a_block_and_between_two(
    small_blocks: None, tmp_path: Path, turned: int
) -> None:
    path = tmp_path / "turned.run"
    lines = falling(40)
    path.write_text("".join(lines))
    assert read_in_blocks(path, _RUN_TYPES) is not None
    # from here on the scores begin higher than the one above, and the ranks go on
    lines[turned + 1 :] = [line.replace(" mine", "000 mine") for line in lines[turned + 1 :]]
    path.write_text("".join(lines))
    assert read_in_blocks(path, _RUN_TYPES) is None
    run = metrics.read_run(path)
    assert [(each.kind, each.count) for each in run.remarks] == [("rank_contradicts_score", 1)]
    assert run.file_ranks is not None
