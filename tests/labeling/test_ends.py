"""What a rater is told when no further pair comes."""

from tests.support.campaign import Card, make_people, make_project


def test_a_pair_put_off_and_now_held_by_another_is_waited_for_not_called_done(database: str) -> None:
    ann, bo = make_people("Ann", "Bo")
    project = make_project(queries=1, documents=2, overlap=1)
    card, other = Card(ann, project), Card(bo, project, tab="tab-2")
    card.send()
    put_off = card.held.pop(0)
    card.send(card.act("skip", put_off))
    card.grade(1)
    card.held = []
    card.wait(hours=1)
    other.now = card.now
    assert [pair["pair"] for pair in other.send()["pairs"]] == [put_off["pair"]]
    end = card.send()["end"]
    assert (end["kind"], end["others_hold"], end["skipped"]) == ("waiting", 1, 1)
    assert end["until"] is not None
    other.wait(hours=1)
    card.now = other.now
    assert [pair["pair"] for pair in card.send()["pairs"]] == [put_off["pair"]]
