"""Jobs beside the screen: the latest wins, nothing comes late, and nothing is lost on the way."""

from __future__ import annotations

import threading

import pytest

from tui.browse.background import Background, Dropped, News, Worker


class Desk:
    """Collects what is delivered."""

    def __init__(self) -> None:
        self.got: list[News] = []
        self.changed = threading.Condition()

    def deliver(self, news: News) -> bool:
        with self.changed:
            self.got.append(news)
            self.changed.notify()
        return True

    def wait(self, count: int) -> list[News]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.got) >= count, timeout=5)
        return self.got


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_an_answer_is_delivered_with_its_kind_and_key(desk: Desk) -> None:
    worker = Worker("sum", desk.deliver)
    worker.run("six", lambda dropped: 6)
    assert desk.wait(1) == [News("sum", "six", 6)]
    worker.close()


def test_a_newer_job_drops_the_one_at_work_and_replaces_the_one_that_waits(desk: Desk) -> None:
    worker = Worker("page", desk.deliver)
    begun = threading.Event()

    def slow(dropped: threading.Event) -> str:
        begun.set()
        while not dropped.is_set():
            pass
        raise Dropped

    worker.run("slow", slow)
    assert begun.wait(5)
    worker.run("waiting", lambda dropped: "never begun")
    worker.run("newest", lambda dropped: "answered")
    worker.wait(5)
    assert desk.got == [News("page", "newest", "answered")]
    worker.close()


def test_the_same_job_is_not_done_twice(desk: Desk) -> None:
    worker = Worker("page", desk.deliver)
    begun, end = threading.Event(), threading.Event()

    def work(dropped: threading.Event) -> bool:
        begun.set()
        assert end.wait(5)
        return dropped.is_set()

    worker.run("one", work)
    assert begun.wait(5)
    worker.run("one", work)
    end.set()
    worker.wait(5)
    assert desk.got == [News("page", "one", False)]
    worker.close()


def test_queued_jobs_are_all_done_in_their_order(desk: Desk) -> None:
    worker = Worker("export", desk.deliver)
    go = threading.Event()
    worker.run("a", lambda dropped: go.wait(5), queue=True)
    for key in "bcd":
        worker.run(key, lambda dropped: dropped.is_set(), queue=True)
    go.set()
    worker.wait(5)
    assert [(news.key, news.answer) for news in desk.got] == [
        ("a", True), ("b", False), ("c", False), ("d", False),
    ]  # fmt: skip
    worker.close()


def test_a_failure_is_news_and_the_worker_goes_on(desk: Desk) -> None:
    worker = Worker("page", desk.deliver)
    error = ValueError("no")

    def fail(dropped: threading.Event) -> int:
        raise error

    worker.run("x", fail)
    assert desk.wait(1) == [News("page", "x", error=error)]
    worker.run("y", lambda dropped: 1)
    assert desk.wait(2)[1] == News("page", "y", 1)
    worker.close()


def test_a_closed_worker_ends_and_delivers_nothing(desk: Desk) -> None:
    worker = Worker("page", desk.deliver)
    begun = threading.Event()

    def until_dropped(dropped: threading.Event) -> str:
        begun.set()
        while not dropped.is_set():
            pass
        return "late"

    worker.run("x", until_dropped)
    assert begun.wait(5)
    worker.close()
    worker.run("y", lambda dropped: 1)
    worker.wait(5)
    assert worker.at_rest
    assert desk.got == []
    assert not [t for t in threading.enumerate() if t.name == "nsystui-page" and t.is_alive() and _lives(t)]


def _lives(thread: threading.Thread) -> bool:
    thread.join(5)
    return thread.is_alive()


def test_kinds_do_not_wait_for_each_other(desk: Desk) -> None:
    background = Background(desk.deliver)
    go = threading.Event()
    background.run("slow", 1, lambda dropped: go.wait(5))
    background.run("quick", 2, lambda dropped: "there")
    assert desk.wait(1) == [News("quick", 2, "there")]
    go.set()
    desk.wait(2)
    background.close()


def test_it_is_at_rest_once_the_screen_has_dealt_with_the_news(desk: Desk) -> None:
    background = Background(desk.deliver)
    assert background.at_rest
    background.run("page", 1, lambda dropped: "answer")
    desk.wait(1)
    assert not background.at_rest
    background.arrived(desk.got[0])
    background.deliver(News("part", 2))
    assert not background.at_rest
    background.arrived(desk.got[1])
    for thread in threading.enumerate():
        if thread.name == "nsystui-page":
            background.close()
            thread.join(5)
    assert background.at_rest


def test_news_that_nobody_takes_are_not_waited_for() -> None:
    background = Background(lambda news: False)
    background.deliver(News("part", 1))
    assert background.at_rest
    background.close()


def test_queued_jobs_are_done_though_the_screen_has_gone() -> None:
    begun, go_on = threading.Event(), threading.Event()
    background = Background(lambda news: False)

    def first(dropped: threading.Event) -> str:
        begun.set()
        assert go_on.wait(5)
        return "dropped" if dropped.is_set() else "first"

    background.run("export", 1, first, queue=True)
    background.run("export", 2, lambda dropped: "second", queue=True)
    assert begun.wait(5)
    background.close()
    background.run("export", 3, lambda dropped: "too late", queue=True)
    go_on.set()
    assert background.finish() == [News("export", 1, "first"), News("export", 2, "second")]


def test_what_the_screen_has_dealt_with_is_not_told_again() -> None:
    posted: list[News] = []

    def post(news: News) -> bool:
        posted.append(news)
        background.arrived(news)
        return True

    background = Background(post)
    background.run("export", 1, lambda dropped: "written", queue=True)
    assert background.finish() == []
    assert posted == [News("export", 1, "written")]
