"""The worked examples are told what their texts tell."""

from __future__ import annotations

import pytest


def test_fine_tune_waits_for_input_and_then_for_pageable_copies(seen):
    case = seen("finetune")
    first, second = case.diagnosis.findings[:2]
    assert (first.fault, second.fault) == ("input-starvation", "pageable-copies")
    assert first.title == "the GPU waits for input at the start of 10 of 10 steps"
    assert first.cost_ns == pytest.approx(case.truth.costs["input-starvation"], rel=0.001)
    assert second.cost_ns == pytest.approx(case.truth.costs["pageable-copies"], rel=0.01)
    assert first.confidence.value == "high"
    assert any("'data_to_gpu'" in reason for reason in first.reasons)
    assert any("pthread_cond_wait" in reason for reason in first.reasons)
    assert any("pin_memory=True" in line for line in second.advice)
    assert any("num_workers" in line for line in first.advice)


def test_fine_tune_gaps_are_where_the_steps_begin(seen):
    case = seen("finetune")
    for evidence in case.diagnosis.findings[0].evidence:
        # The device works off the last step's tail, some 15 ms, while the host already waits.
        step = next(s for s in case.truth.steps if s.start_ns <= evidence.end_ns < s.end_ns)
        assert -100_000 <= evidence.start_ns - step.start_ns < 30_000_000
        assert evidence.value == evidence.end_ns - evidence.start_ns > 140_000_000


def test_resnet_waits_for_its_first_batch_only(seen):
    case = seen("resnet")
    weighty = [f for f in case.diagnosis.findings if not f.minor]
    assert [f.fault for f in weighty] == ["input-starvation"]
    assert weighty[0].title == "the first step waits for its first batch; later waits hide behind queued work"
    assert weighty[0].evidence[0].value == 534_757_000
    assert weighty[0].cost_ns == pytest.approx(534_757_000, rel=0.001)
    assert any("reset" in text for text in weighty[0].also_possible)


def test_resnet_final_drain_is_not_blamed_on_the_steps(seen):
    diagnosis = seen("resnet").diagnosis
    note = (
        "the cudaDeviceSynchronize of 44.268 ms after the last step drains what the steps queued: "
        "it is the end of the measurement, not a cost per step"
    )
    assert diagnosis.notes == (note,)
    assert not any(f.fault == "hidden-sync" for f in diagnosis.findings)
    drain = next(f for f in diagnosis.checked if f.fault == "cuda_api_sync")
    assert (drain.minor, drain.cost_ns, drain.reasons) == (True, 0, (note,))


def test_data_parallel_run_shows_its_exposed_part(seen):
    case = seen("ddp")
    assert [f.fault for f in case.diagnosis.findings if not f.minor] == ["exposed-all-reduce"]
    assert case.diagnosis.cost_ns == sum(d.exposed_comm_ns for d in case.truth.devices)


def test_eager_decoding_is_launch_bound_and_waits_for_every_token(seen):
    faults = [f.fault for f in seen("decode-eager").diagnosis.findings if not f.minor]
    assert faults == ["launch-bound", "hidden-sync"]


def test_decoding_by_whole_graphs_says_what_they_hide(seen):
    faults = [f.fault for f in seen("decode-graph").diagnosis.findings if not f.minor]
    assert faults == ["hidden-sync", "graph-hides-kernels"]
