"""Which votes a simple model finds unlikely: a suggestion of where to look, never a judgment.

Knows votes and texts as tables; no database and no page.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["COLUMNS", "FEWEST_QUERIES", "FEWEST_VOTES", "find_unlikely_votes"]

COLUMNS = ["query_id", "doc_id", "rater", "grade", "probability", "low", "high", "range_probability"]
FEWEST_VOTES, FEWEST_QUERIES, FOLDS = 30, 3, 5
_MOST_CHARACTERS = 5_000
_RANGE = 0.8

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def find_unlikely_votes(votes: pd.DataFrame, queries: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Score every vote by how likely a model finds its grade, least likely first.

    The model is the mean of two logistic regressions: one on how much the query and the document share (TF-IDF of words
    and of letters, the share of the query's words in the text, the text's length), so that raters who are wrong together
    are found too; one on that, the mean of the pair's other votes and the rater's mean grade. Both are trained on the
    other queries: no vote is scored by a model that saw its query.

    Parameters
    ----------
    votes : DataFrame
        query_id, doc_id, rater, grade.
    queries : DataFrame
        query_id, text.
    documents : DataFrame
        doc_id, text (with the title).

    Returns
    -------
    DataFrame
        query_id, doc_id, rater, grade; probability, of that grade; low and high, the likeliest range of grades that holds
        80 % and does not hold the vote where there is one, else the likeliest other grade; range_probability, of it.
        Empty where there are fewer than 30 votes, 3 queries or 2 grades: a model of so little says nothing.

    Notes
    -----
    The order of rows changes nothing. Differs from confident learning (Northcutt et al. 2021): no threshold by class, as
    the list is only an order to look in.
    """
    table = votes.sort_values(["query_id", "doc_id", "rater"], ignore_index=True)
    grades = table["grade"].to_numpy(dtype=np.int64)
    enough = len(table) >= FEWEST_VOTES and table["query_id"].nunique() >= FEWEST_QUERIES
    if not enough or len(np.unique(grades)) < 2:
        return pd.DataFrame(columns=COLUMNS)
    shared = _shared_features(table, queries, documents)
    scale = np.unique(grades)
    chances = np.zeros((len(table), len(scale)))
    folds = GroupKFold(min(FOLDS, table["query_id"].nunique()))
    for seen, unseen in folds.split(shared, grades, groups=table["query_id"]):
        told = np.hstack([shared, _vote_features(table, seen)])
        for features in (shared, told):
            chances[unseen] += _predict(features, grades, seen, unseen, scale) / 2
    return _report(table, scale, chances)


def _predict(features: Floats, grades: Integers, seen: Integers, unseen: Integers, scale: Integers) -> Floats:
    """The probability of each grade of the scale for the rows that the model has not seen."""
    found = np.zeros((len(unseen), len(scale)))
    known = np.unique(grades[seen])
    places = np.searchsorted(scale, known)
    if len(known) < 2:
        found[:, places] = 1.0
        return found
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    found[:, places] = model.fit(features[seen], grades[seen]).predict_proba(features[unseen])
    return found


def _shared_features(table: pd.DataFrame, queries: pd.DataFrame, documents: pd.DataFrame) -> Floats:
    """What query and document share, one row a vote; texts are told apart without the grades, so all of them may be used."""
    asked = dict(zip(queries["query_id"], queries["text"].fillna(""), strict=True))
    told = dict(zip(documents["doc_id"], documents["text"].fillna("").str[:_MOST_CHARACTERS], strict=True))
    pairs = table[["query_id", "doc_id"]].drop_duplicates()
    query_texts = [asked.get(one, "") for one in pairs["query_id"]]
    document_texts = [told.get(one, "") for one in pairs["doc_id"]]
    columns = [_cosine(query_texts, document_texts, kind) for kind in ("word", "char_wb")]
    columns += [_covered(query_texts, document_texts), np.log1p([len(text) for text in document_texts])]
    by_pair = pd.DataFrame(np.stack(columns, axis=1), index=pd.MultiIndex.from_frame(pairs))
    # how a document stands among those of its query matters more than the number itself
    ranked = by_pair[[0, 1, 2]].groupby(level=0).rank(pct=True)
    whole = pd.concat([by_pair, ranked], axis=1)
    return whole.loc[pd.MultiIndex.from_frame(table[["query_id", "doc_id"]])].to_numpy(dtype=float)


def _cosine(left: Sequence[str], right: Sequence[str], kind: str) -> Floats:
    sizes = (1, 1) if kind == "word" else (3, 4)
    vectorizer = TfidfVectorizer(analyzer=kind, ngram_range=sizes, sublinear_tf=True, max_features=200_000)
    try:
        vectorizer.fit([*dict.fromkeys(left), *dict.fromkeys(right)])
    except ValueError:  # no word in any text
        return np.zeros(len(left))
    product = vectorizer.transform(left).multiply(vectorizer.transform(right))
    return np.asarray(product.sum(axis=1), dtype=float).ravel()


def _covered(left: Sequence[str], right: Sequence[str]) -> Floats:
    shares = []
    for query, document in zip(left, right, strict=True):
        words = set(query.casefold().split())
        text = document.casefold()
        shares.append(sum(word in text for word in words) / len(words) if words else 0.0)
    return np.array(shares)


def _vote_features(table: pd.DataFrame, seen: Integers) -> Floats:
    """The mean of the pair's other votes, whether there are any, and the rater's mean grade on the queries that were seen."""
    grades = table["grade"].astype(float)
    overall = float(grades.iloc[seen].mean())
    by_pair = grades.groupby([table["query_id"], table["doc_id"]])
    others = by_pair.transform("size") - 1
    mean = ((by_pair.transform("sum") - grades) / others.where(others > 0)).fillna(overall)
    of_rater = grades.iloc[seen].groupby(table["rater"].iloc[seen]).mean()
    habit = table["rater"].map(of_rater).fillna(overall).astype(float)
    return np.stack([mean.to_numpy(), (others > 0).to_numpy(dtype=float), habit.to_numpy()], axis=1)


def _report(table: pd.DataFrame, scale: Integers, chances: Floats) -> pd.DataFrame:
    place = np.searchsorted(scale, table["grade"].to_numpy(dtype=np.int64))
    given = chances[np.arange(len(table)), place]
    ranges = [_likeliest(row, own) for row, own in zip(chances, place.tolist(), strict=True)]
    found = table[["query_id", "doc_id", "rater", "grade"]].assign(
        probability=given,
        low=[int(scale[first]) for first, _, _ in ranges],
        high=[int(scale[last]) for _, last, _ in ranges],
        range_probability=[share for _, _, share in ranges],
    )
    return found.sort_values(["probability", "query_id", "doc_id", "rater"], ignore_index=True)[COLUMNS]


def _likeliest(chances: Floats, own: int) -> tuple[int, int, float]:
    """The shortest run of grades beside the vote's own that holds 80 %; where none does, the likeliest other grade."""
    best: tuple[int, int, float] | None = None
    for first in range(len(chances)):
        for last in range(first, len(chances)):
            share = float(chances[first : last + 1].sum())
            if first <= own <= last or share < _RANGE:
                continue
            if best is None or (last - first, -share) < (best[1] - best[0], -best[2]):
                best = (first, last, share)
    if best is not None:
        return best
    others = np.where(np.arange(len(chances)) == own, -1.0, chances)
    likeliest = int(np.argmax(others))
    return likeliest, likeliest, float(chances[likeliest])
