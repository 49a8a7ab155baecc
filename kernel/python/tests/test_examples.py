"""The examples run, and what they check holds. Each ends with 2 where a package that it needs is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", ["pinocchio_quadruped.py", "mujoco_dynamics.py"])
def test_example(name):
    run = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=1200)
    print(run.stdout, run.stderr)
    if run.returncode == 2:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0 and "ok" in run.stdout and "FAIL" not in run.stdout
