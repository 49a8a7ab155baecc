"""`run`: scenes, as the command runs them."""

import json
import os
import sqlite3
import subprocess

import numpy as np
import pytest

import stiction

BOX = {
    "seconds": 1,
    "bodies": [
        {"name": "floor", "shape": {"half_space": {"normal": [0, 0, 1]}}, "fixed": True, "mu": 0.5},
        {"name": "box", "shape": {"box": {"half_extents": [0.5, 0.5, 0.5]}}, "mass": 1, "position": [0, 0, 0.6], "mu": 0.5},
    ],
}


def test_scenes_have_names_and_run():
    names = stiction.scenes()
    assert len(names) == len(set(names)) > 10
    for name in names[:3]:
        assert stiction.run(name, seconds=0.1)["frames"] == 6


def test_a_scene_is_a_dict_or_a_file(tmp_path):
    summary = stiction.run(BOX)
    assert summary["frames"] == 60 and abs(summary["bodies"][1]["position"][2] - 0.5) < 1e-3
    path = tmp_path / "box.json"
    path.write_text(json.dumps(BOX))
    assert stiction.run(path) == stiction.run(str(path)) == summary
    single = stiction.run(BOX, precision="f32")
    assert single["digest"] != summary["digest"]
    assert single["bodies"][1]["position"] == np.float32(single["bodies"][1]["position"]).tolist()


def test_a_recording_is_written(tmp_path):
    path = tmp_path / "stack.db"
    assert stiction.run("stack-4", seconds=0.5, record=path) == stiction.run("stack-4", seconds=0.5)
    with sqlite3.connect(path) as recording:
        tables = {name for (name,) in recording.execute("select name from sqlite_master where type = 'table'")}
    assert tables
    with pytest.raises(ValueError):
        stiction.run("stack-4", seconds=0.5, record=tmp_path / "no" / "folder.db")


@pytest.mark.skipif("STICTION_COMMAND" not in os.environ, reason="STICTION_COMMAND names no command `stiction`")
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_run_is_what_the_command_writes(tmp_path, precision):
    path = tmp_path / "summary.json"
    given = ["run", "stack-4", "--seconds", "1", "--precision", precision, "--summary", path]
    subprocess.run([os.environ["STICTION_COMMAND"], *given], check=True, capture_output=True)
    assert stiction.run("stack-4", seconds=1, precision=precision) == json.loads(path.read_text())
