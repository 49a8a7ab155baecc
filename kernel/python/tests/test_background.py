"""The interpreter's lock, signals, progress, memory."""

import gc
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import stiction
from problems import random_batch, random_delassus

LONG = {"sweeps": 2000, "tolerance": 0}


def test_the_lock_is_released():
    bodies, contacts = random_batch(1000)
    counted, ended = [0], threading.Event()

    def count():
        while not ended.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before, start = counted[0], time.monotonic()
    stiction.solve_batch(bodies, contacts, settings=LONG, threads=1)
    elapsed, during = time.monotonic() - start, counted[0] - before
    ended.set()
    thread.join()
    assert elapsed > 0.1, "the batch is too short to tell"
    assert during > 10, during


def test_calls_from_several_threads():
    bodies, contacts = random_batch(500)
    expected = stiction.solve_batch(bodies, contacts).scalars
    found = []
    threads = [threading.Thread(target=lambda: found.append(stiction.solve_batch(bodies, contacts).scalars)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((scalars == expected).all() for scalars in found)


def _digest(seed):
    return stiction.solve_batch(*random_batch(500, seed)).scalars.tobytes()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_that_are_forked_after_a_call():
    expected = [_digest(seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_digest, range(4)).get(timeout=60) == expected


@pytest.mark.parametrize("call", ["batch", "delassus", "run"])
def test_a_signal_ends_a_call(call):
    calls = {
        "batch": lambda: stiction.solve_batch(*random_batch(100_000), settings=LONG),
        "delassus": lambda: stiction.delassus_batch(*random_delassus(100_000), sweeps=5000, tolerance=0),
        "run": lambda: stiction.run("stack-16", seconds=100_000),
    }
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(2.0, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        calls[call]()
    timer.cancel()
    assert sent and time.monotonic() - sent[0] < 10


def test_progress_is_told_and_its_exception_ends_the_call():
    told = []
    stiction.solve_batch(*random_batch(1500), settings=LONG, progress=told.append)
    assert told == sorted(told) and told[-1] == 1500 and len(told) > 1
    stiction.delassus_batch(*random_delassus(10), progress=told.append)
    assert told[-1] == 10
    frames = []
    stiction.run("stack-4", seconds=0.5, progress=frames.append)
    assert frames[-1] == 30

    def fail(done):
        raise RuntimeError(f"enough after {done}")

    with pytest.raises(RuntimeError, match="enough after"):
        stiction.solve_batch(*random_batch(100_000), settings=LONG, progress=fail)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow():
    bodies, contacts = random_batch(1500)
    wrong = {**contacts, "mu": contacts["mu"] - 2}
    matrices = random_delassus(200)

    def calls():
        for _ in range(20):
            result = stiction.solve_batch(bodies, contacts)
            assert result.linear.sum() is not None and result.status[0]
            stiction.delassus_batch(*matrices)
            with pytest.raises(ValueError):
                stiction.solve_batch(bodies, wrong)
            world = stiction.World()
            world.add_body(mass=1, inertia=np.eye(3))
            world.step(0.01)

    calls()
    gc.collect()
    before = resident()
    calls()
    gc.collect()
    # One answer takes a megabyte: twenty that stay would be seen.
    assert resident() - before < 8e6
