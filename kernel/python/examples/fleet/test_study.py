"""The study's digest: the same with any number of workers and size of shards, and whatever is killed in mid-run.

    pytest -rs test_study.py        (-rs prints why tests are skipped)

A test takes some ten seconds, most of them for the start of Ray; on a machine that does other things some minutes. Limits on time
are there for studies that hang.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

for module in ("numpy", "pyarrow", "ray", "stiction"):
    pytest.importorskip(module, reason=f"{module} is not installed")

import stiction
import study

SAMPLES = 48
HANGS = 900  # s
STUDY = pathlib.Path(study.__file__)
HAS_PROC = pathlib.Path("/proc/self/stat").exists()
needs_proc = pytest.mark.skipif(not HAS_PROC, reason="workers are found in /proc, which is not there")


@pytest.fixture(scope="module")
def digest():
    """The digest of the undisturbed study, without Ray."""
    return study.digest_of(study.table_of(study.shard_rows(0, SAMPLES, 1, stiction.__version__)))


def start(folder, *more, shard=3, workers=2):
    command = [sys.executable, STUDY, "--out", folder, "--samples", SAMPLES, "--shard", shard, *more]
    command += ["--workers", workers] if workers else []
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process):
    output, errors = process.communicate(timeout=HANGS)
    assert process.returncode == 0, errors
    return re.search(r"^digest: ([0-9a-f]{64})$", output, re.MULTILINE)[1]


def shards(folder):
    """The shards that are done, by first sample, and when they were written."""
    return {int(path.stem): path.stat().st_mtime_ns for path in (folder / "shards").glob("*.parquet")}


def wait_for(what, process):
    """What a function returns as soon as that is something; fails if the study ends before."""
    until = time.monotonic() + HANGS
    while time.monotonic() < until:
        if found := what():
            return found
        assert process.poll() is None, f"the study ended before it could be disturbed: {process.communicate()[1]}"
        time.sleep(0.005)
    pytest.fail(f"the study did not come so far within {HANGS} s")


def read_proc(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def stat(pid):
    """State and parent of a process."""
    fields = read_proc(pid, "stat").rpartition(")")[2].split()
    return (fields[0], int(fields[1])) if fields else ("gone", 0)


def descendants(pid):
    parents = {int(name): stat(name)[1] for name in os.listdir("/proc") if name.isdigit()}
    found, new = set(), {pid}
    while new:
        found |= new
        new = {child for child, parent in parents.items() if parent in new} - found
    return found - {pid}


def end_all(pids):
    """Waits for processes of Ray whose study was killed, and ends those that Ray leaves behind: its two agents."""
    for seconds, number in ((3, signal.SIGTERM), (5, signal.SIGKILL), (5, None)):
        until = time.monotonic() + seconds
        while (alive := [pid for pid in pids if stat(pid)[0] not in ("gone", "Z")]) and time.monotonic() < until:
            time.sleep(0.05)
        for pid in alive if number else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
    assert not alive


def shard_of(pid):
    """First sample of the shard that a process computes now, from its title, which Ray sets; none without one."""
    title = re.match(r"ray::shard (\d+)", read_proc(pid, "cmdline"))
    return int(title[1]) if title else None


def stop_worker_in_shard(process, folder):
    """Stops a worker that computes a shard while others are done and others are not; returns it and the shard."""
    def stopped():
        if not 2 <= len(shards(folder)) <= SAMPLES // 3 - 4:
            return None
        for pid in descendants(process.pid):
            shard = shard_of(pid)
            if shard is None:
                continue
            os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: stat(pid)[0] == "T", process)
            # Stopped, it still is in that shard, and has handed nothing over.
            time.sleep(0.2)
            if shard_of(pid) == shard and shard not in shards(folder):
                return pid, shard
            os.kill(pid, signal.SIGCONT)
        return None
    return wait_for(stopped, process)


@pytest.mark.parametrize("workers, shard", [(1, 48), (2, 5)])
def test_workers_and_shards_do_not_change_the_digest(tmp_path, digest, workers, shard):
    assert end(start(tmp_path, workers=workers, shard=shard)) == digest
    assert len(shards(tmp_path)) == -(-SAMPLES // shard)
    assert (tmp_path / "results.parquet").exists()


@needs_proc
def test_a_killed_worker_changes_nothing(tmp_path, digest):
    process = start(tmp_path)
    worker, shard = stop_worker_in_shard(process, tmp_path)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: stat(worker)[0] in ("gone", "Z"), process)
    assert shard not in shards(tmp_path), "the worker had finished its shard"
    assert end(process) == digest
    assert sorted(shards(tmp_path)) == list(range(0, SAMPLES, 3))
    print(f"worker {worker} was killed in shard {shard}; another one computed it")


@needs_proc
def test_a_killed_study_goes_on_from_its_shards(tmp_path, digest):
    process = start(tmp_path)
    wait_for(lambda: len(shards(tmp_path)) >= 3, process)
    others = descendants(process.pid)
    process.kill()
    process.communicate()
    end_all(others)
    before = shards(tmp_path)
    assert 3 <= len(before) < SAMPLES // 3, "it was not in mid-run"
    assert end(start(tmp_path)) == digest
    after = shards(tmp_path)
    assert len(after) == SAMPLES // 3
    assert {shard: after[shard] for shard in before} == before, "a finished shard was computed again"


def test_an_interrupted_study_says_how_to_go_on(tmp_path):
    process = start(tmp_path)
    wait_for(lambda: shards(tmp_path), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and "the same command goes on" in errors and "Traceback" not in errors


def test_another_study_in_the_same_folder_is_an_error(tmp_path):
    study.write(tmp_path / "study.json", '{"samples": 48, "shard": 3, "seed": 1}')
    process = start(tmp_path, "--seed", 2)
    _, errors = process.communicate(timeout=HANGS)
    assert process.returncode == 1 and "has another study (seed: 1 there, 2 now" in errors
    assert "Traceback" not in errors and not (tmp_path / "results.parquet").exists()


def test_a_damaged_shard_is_computed_again(tmp_path):
    path = tmp_path / "000000000.parquet"
    study.write(path, study.table_of(study.shard_rows(0, 2, 1, stiction.__version__)))
    assert study.read_shard(path, 0, 2) is not None and study.read_shard(path, 0, 3) is None
    path.write_bytes(path.read_bytes()[:-9])
    assert study.read_shard(path, 0, 2) is None
