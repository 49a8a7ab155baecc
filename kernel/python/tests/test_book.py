"""The programs of the book's page run, and raise what the page says."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[3] / "docs/book/src/python.md"
RAISES = re.compile(r"^(?P<call>[^#\n]+?)\s+# ValueError: (?P<line>.*)$", re.MULTILINE)


@pytest.mark.skipif(not PAGE.exists(), reason="there is no book beside the tests")
def test_programs_of_the_book(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, raised = {}, 0
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    pictures = importlib.util.find_spec("matplotlib") is not None
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for block in (block for block in blocks if pictures or "matplotlib" not in block):
        end = 0
        for wrong in RAISES.finditer(block):
            exec(block[end : wrong.start()], names)
            with pytest.raises(ValueError) as error:
                exec(wrong["call"], names)
            assert str(error.value) == wrong["line"]
            end, raised = wrong.end(), raised + 1
        exec(block[end:], names)
    if not pictures:
        print("matplotlib is not installed: the picture was left out")
    assert len(blocks) >= 7 and raised == 1
    assert names["robot"].joints["position"][names["elbow"]] == pytest.approx(1.0, abs=0.1)
    assert names["report"].status == "converged" and abs(names["world"].positions[1][2] - 1) < 1e-2
    assert (tmp_path / "stack.db").exists() and names["answer"]["status"] == "converged"
    assert np.isclose(names["r"].linear[-1, 1, 0], 5 - 0.3) and list(names["r"].errors) == [17]
