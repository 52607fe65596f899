"""The worker that makes figures: newest question first, answers kept, nothing late."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from tui.app.analyst import Analyst, Failed
from tui.browse.pages.request import Dropped


class Desk:
    """Collects what is delivered."""

    def __init__(self) -> None:
        self.got: list[tuple[Hashable, object]] = []
        self.news = threading.Condition()

    def deliver(self, key: Hashable, answer: object) -> None:
        with self.news:
            self.got.append((key, answer))
            self.news.notify()

    def wait(self, count: int) -> list[tuple[Hashable, object]]:
        with self.news:
            assert self.news.wait_for(lambda: len(self.got) >= count, timeout=5)
        return self.got


def test_an_answer_is_delivered_and_known() -> None:
    desk = Desk()
    analyst: Analyst[int] = Analyst(desk.deliver)
    analyst.ask("six", lambda dropped: 6)
    assert desk.wait(1) == [("six", 6)]
    assert analyst.known("six") == 6
    assert analyst.known("seven") is None
    analyst.close()


def test_a_newer_question_drops_the_one_at_work_and_replaces_the_one_that_waits() -> None:
    desk = Desk()
    analyst: Analyst[str] = Analyst(desk.deliver)
    begun = threading.Event()

    def slow(dropped: Callable[[], bool]) -> str:
        begun.set()
        while not dropped():
            pass
        raise Dropped

    analyst.ask("slow", slow)
    assert begun.wait(5)
    analyst.ask("waiting", lambda dropped: "never asked again")
    analyst.ask("newest", lambda dropped: "answered")
    got = desk.wait(1)
    assert got[-1] == ("newest", "answered")
    assert "slow" not in [key for key, _ in got]
    analyst.close()


def test_a_failure_is_an_answer() -> None:
    desk = Desk()
    analyst: Analyst[int] = Analyst(desk.deliver)

    def fail(dropped: Callable[[], bool]) -> int:
        raise ValueError("no")

    analyst.ask("x", fail)
    answer = desk.wait(1)[0][1]
    assert isinstance(answer, Failed)
    assert analyst.known("x") is None
    analyst.ask("y", lambda dropped: 1)
    assert desk.wait(2)[1] == ("y", 1)
    analyst.close()


def test_a_closed_one_answers_nothing() -> None:
    desk = Desk()
    analyst: Analyst[int] = Analyst(desk.deliver)
    analyst.close()
    analyst.ask("x", lambda dropped: 1)
    assert analyst.at_rest
    assert desk.got == []
