"""Drawings are kept as long as nothing changes that they depend on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weave import WeaveError, studio
from weave.fences import read
from weave.scenes import scenes

if TYPE_CHECKING:
    from collections.abc import Callable

    Weave = Callable[[str], str]

PAGE = """# Sizes

Text.

```python
from tanglegrad.size import SIZE

half = SIZE / 2
```

```plot
caption: A size.
alt: A number.
---
ax.set_title(f"half of it: {half}")
```
"""


@pytest.fixture
def size(tmp_path: Path) -> Path:
    """A module of the package that lies beside the page."""
    package = tmp_path / "src" / "tanglegrad"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "size.py").write_text("SIZE = 6\n", encoding="utf-8")
    return package / "size.py"


def kept(root: Path) -> list[Path]:
    """The files of drawings below a root."""
    return sorted((root / "build" / "drawn").iterdir())


def titles(page: str) -> list[str]:
    return re.findall(r">half of it: (.*?)<", page)


# Keeping ---------------------------------------------------------------------


@pytest.mark.usefixtures("size")
def test_a_drawing_that_is_there_is_taken(tmp_path: Path, weave: Weave) -> None:
    assert titles(weave(PAGE)) == ["3.0"]
    (file,) = kept(tmp_path)
    file.write_text(json.dumps(["<svg>taken</svg>"]), encoding="utf-8")
    assert "<svg>taken</svg>" in weave(PAGE)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Text.", "Another text.\n\nAnd more of it."),
        ("caption: A size", "caption: The size"),
    ],
    ids=["text", "caption"],
)
def test_other_words_on_the_page_do_not_matter(
    tmp_path: Path, weave: Weave, old: str, new: str
) -> None:
    weave(PAGE)
    before = kept(tmp_path)
    weave(PAGE.replace(old, new))
    assert kept(tmp_path) == before


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(
    ("old", "new", "shows"),
    [
        ("SIZE / 2", "SIZE / 4", ">half of it: 1.5<"),
        ("half of it: {half}", "{half}, half of it", ">3.0, half of it<"),
        ("alt: A number", "alt: A fraction", 'aria-label="A fraction."'),
        (
            PAGE[:1],
            "```python\n```\n```plot\ncaption: c\nalt: a\n---\n```\n#",
            "plot-2",
        ),
    ],
    ids=["example", "plot", "alt", "number"],
)
def test_a_change_on_the_page_is_seen(
    tmp_path: Path, weave: Weave, old: str, new: str, shows: str
) -> None:
    assert shows not in weave(PAGE)
    before = kept(tmp_path)
    assert shows in weave(PAGE.replace(old, new, 1))
    assert set(before) < set(kept(tmp_path))


def test_a_change_of_the_package_is_seen(weave: Weave, size: Path) -> None:
    assert titles(weave(PAGE)) == ["3.0"]
    size.write_text("SIZE = 8\n", encoding="utf-8")
    assert titles(weave(PAGE)) == ["4.0"]


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("what", ["our own modules", "Python", "a package"])
def test_a_change_of_what_draws_is_seen(
    tmp_path: Path, weave: Weave, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    weave(PAGE)
    (file,) = kept(tmp_path)
    file.write_text(json.dumps(["old"]), encoding="utf-8")
    if what == "our own modules":
        monkeypatch.setattr(studio, "DRAWING", [*studio.DRAWING, "fences.py"])
    elif what == "Python":
        monkeypatch.setattr(sys, "version", "4.0")
    else:
        (tmp_path / "later" / "matplotlib-99.dist-info").mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path / "later")
    studio._installed.cache_clear()
    assert titles(weave(PAGE)) == ["3.0"]
    monkeypatch.undo()
    studio._installed.cache_clear()


def test_the_modules_that_draw_are_all_that_drawing_imports() -> None:
    for name in studio.DRAWING:
        text = (studio.HERE / name).read_text(encoding="utf-8")
        used = {f"{m}.py" for m in re.findall(r"(?m)^from \.(\w+) import", text)}
        assert used - {"fences.py"} <= {*studio.DRAWING}, name


def test_what_was_drawn_while_the_package_changed_is_not_kept(
    tmp_path: Path, weave: Weave, size: Path
) -> None:
    saving = "from pathlib import Path\n\nhalf = SIZE / 2\n"
    saving += f'Path({str(size)!r}).write_text("SIZE = 4")'
    assert titles(weave(PAGE.replace("half = SIZE / 2", saving))) == ["3.0"]
    assert not (tmp_path / "build").exists()


@pytest.mark.usefixtures("size")
def test_what_no_page_has_asked_for_in_a_month_is_removed(
    tmp_path: Path, weave: Weave
) -> None:
    weave(PAGE)
    other = PAGE.replace("SIZE / 2", "SIZE / 4")
    weave(other)
    long_ago = time.time() - 40 * 24 * 60 * 60
    for file in kept(tmp_path):
        os.utime(file, (long_ago, long_ago))
    weave(PAGE)
    weave(PAGE.replace("SIZE / 2", "SIZE / 8"))
    drawn = [json.loads(file.read_text(encoding="utf-8")) for file in kept(tmp_path)]
    assert {title for page in drawn for title in titles(page[0])} == {"3.0", "0.75"}


# Several processes -----------------------------------------------------------


@pytest.mark.usefixtures("size")
def test_two_that_make_the_same_drawing_leave_one(tmp_path: Path) -> None:
    (scene,) = scenes(read(PAGE))
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        drawn = list(pool.map(studio.make, [scene] * 4, [tmp_path] * 4))
    (file,) = kept(tmp_path)
    assert drawn == [json.loads(file.read_text(encoding="utf-8"))] * 4


def test_the_scenes_of_all_pages_are_drawn_ahead_by_others(
    shelve: Callable[..., Path], weave: Weave, size: Path
) -> None:
    process = 'import os\n\nax.set_title(f"half of it: {os.getpid()}")\n```\n'
    other = PAGE.partition("ax.set_title")[0] + process
    wrong = PAGE.replace("half = SIZE / 2", "half = SIZE / 0")
    root = shelve(PAGE, wrong, other)
    with pytest.raises(WeaveError, match="line 8: ZeroDivisionError"):
        weave(wrong)
    assert titles(weave(PAGE)) == ["3.0"]
    (painter,) = titles(weave(other))
    assert painter != str(os.getpid())
    assert len(kept(root)) == 2
    size.write_text("SIZE = 2\n", encoding="utf-8")
    assert titles(weave(PAGE)) == ["1.0"]


def test_the_process_that_is_copied_has_nothing_in_it_that_may_change() -> None:
    code = f"import sys, {', '.join(studio.LOADED)}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"matplotlib.figure", "weave.studio"} <= {*loaded}
    assert not {"tanglegrad", "weave.running", "weave.drawing"} & {*loaded}


@pytest.mark.usefixtures("size")
def test_what_a_page_finds_ahead_of_others_does_not_tell_their_faults(
    shelve: Callable[..., Path], weave: Weave
) -> None:
    circle = (
        "``` {.python #a file=src/a.py}\n<<b>>\n```\n``` {.python #b}\n<<a>>\n```\n"
    )
    root = shelve(PAGE, circle, "The formula $\\frac{1$ is not one.\n")
    assert titles(weave(PAGE)) == ["3.0"]
    assert [*studio._ahead(root)]
    with pytest.raises(WeaveError, match="frac"):
        weave("The formula $\\frac{1$ is not one.\n")


@pytest.mark.usefixtures("size")
def test_a_process_that_is_ended_is_told_with_the_page(
    shelve: Callable[..., Path], weave: Weave
) -> None:
    ending = "import os\n\nos._exit(1)"
    page = PAGE.replace("half = SIZE / 2", ending).replace("# Sizes", "# An end")
    shelve(PAGE, page)
    with pytest.raises(WeaveError, match="An end, line 5: the figures below are not"):
        weave(page)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes")
@pytest.mark.usefixtures("size")
def test_the_keys_that_end_a_build_end_those_that_draw(
    shelve: Callable[..., Path],
) -> None:
    long = 'import time\n\nopen("begun", "w").close()\ntime.sleep(99)  # '
    pages = [PAGE.replace("half = SIZE / 2", f"{long}{n}") for n in range(9)]
    root = shelve(*pages)
    # A shell may have had the tests ignore the keys, and a build inherits that.
    code = """if True:
        from pathlib import Path
        from signal import SIGINT, default_int_handler, signal
        signal(SIGINT, default_int_handler)
        from weave.fences import read
        from weave.scenes import scenes
        from weave.studio import studio
        (scene,) = scenes(read(Path("docs/1.md").read_text(encoding="utf-8")))
        studio(Path()).drawings(scene)
    """
    command = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=root, stderr=pipe, text=True, start_new_session=True
    ) as build:
        try:
            while not (root / "begun").exists():
                assert build.poll() is None
                time.sleep(0.1)
            os.killpg(build.pid, signal.SIGINT)
            assert "KeyboardInterrupt" in build.communicate(timeout=30)[1]
        finally:
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGKILL)
