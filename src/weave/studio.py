"""The studio: drawings are made here, ahead of their pages, and kept."""

import gc
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from time import sleep, time

from . import WeaveError
from .book import Book
from .fences import read
from .listing import in_colour
from .scenes import Scene, scenes

HERE = Path(__file__).parent
DRAWING = ["running.py", "scenes.py", "drawing.py"]
MONTH = 30 * 24 * 60 * 60


class Studio:
    """Where the drawings for the pages below a root are made and kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.awaited: dict[Path, Future[list[str]]] = {}
        self.lock = Lock()

    def drawings(self, scene: Scene) -> list[str]:
        """The drawings of a scene as HTML, in the order of its plots."""
        file = _file(scene, self.root)
        if file.exists():
            os.utime(file)
            return list(json.loads(file.read_text("utf-8")))
        with self.lock:
            if file not in self.awaited:
                self._begin()
        work = self.awaited.pop(file, None)
        return self._result(work, scene) if work else make(scene, self.root)

    def _begin(self) -> None:
        """Have all missing drawings made that the pages need."""
        self._clear_away()
        wanted = {_file(s, self.root): s for s in self._needed()}
        for file in [f for f in wanted if f.exists() or f in self.awaited]:
            del wanted[file]
        if len(wanted) > 1:
            count = min(os.cpu_count() or 1, len(wanted), 4)
            context, calm = get_context("spawn"), gc.disable
            pool = ProcessPoolExecutor(count, context, initializer=calm)
            for file, scene in wanted.items():
                self.awaited[file] = pool.submit(make, scene, self.root)
            pool.shutdown(wait=False)

    def _needed(self) -> Iterator[Scene]:
        """The scenes of all pages, those of the front page first."""
        files = sorted((self.root / "docs").rglob("*.md"))
        for file in sorted(files, key=lambda file: len(file.parts)):
            with suppress(WeaveError):
                yield from scenes(read(file.read_text("utf-8")))

    def _result(self, work: Future[list[str]], scene: Scene) -> list[str]:
        """What comes of work that was begun on a scene."""
        self._pass_time(work)
        try:
            return work.result()
        except BrokenProcessPool as error:
            self.awaited.clear()
            where = f"line {scene.example.line}: the figures below"
            says = "are not drawn, since a process that draws was ended"
            raise WeaveError(f"{where} {says}; build again") from error

    def _pass_time(self, work: Future[list[str]]) -> None:
        """Colour fragments until some work is done."""
        for piece in Book.load(self.root).pieces:
            if work.done():
                break
            in_colour(piece.fence)

    def _clear_away(self) -> None:
        """Remove the drawings that were of no use for a month."""
        for file in (self.root / "build" / "drawn").glob("*"):
            with suppress(FileNotFoundError):
                if time() - file.stat().st_mtime > MONTH:
                    file.unlink()


def _file(scene: Scene, root: Path) -> Path:
    """The file for a scene, named after all that it depends on."""
    files = [*_package(root), *(HERE / name for name in DRAWING)]
    texts = [[file.name, file.read_text("utf-8")] for file in files]
    whole = json.dumps([scene.told, texts, _installed()])
    name = sha256(whole.encode()).hexdigest()
    return root / "build" / "drawn" / f"{name}.json"


def _package(root: Path) -> list[Path]:
    """The files of the package, in order."""
    return sorted((root / "src/tanglegrad").rglob("*.py"))


@cache
def _installed() -> list[str]:
    """The versions of Python and of the packages beside it."""
    folders = [Path(folder) for folder in sys.path]
    infos = {info.name for f in folders for info in f.glob("*.dist-info")}
    return [sys.version, *sorted(infos)]


def make(scene: Scene, root: Path) -> list[str]:
    """The drawings of a scene, made now; they are kept for later."""
    from .drawing import drawn  # noqa: PLC0415 (it takes a while)

    file = _file(scene, root)
    _settle(root)
    drawings = drawn(scene, root / "src")
    if file == _file(scene, root):
        _keep(drawings, file)
    return drawings


def _settle(root: Path) -> None:
    """Wait until the package was last saved in a second that is over."""
    saved = max((f.stat().st_mtime for f in _package(root)), default=0.0)
    while int(time()) == int(saved):
        sleep(0.05)


def _keep(drawings: list[str], file: Path) -> None:
    """Write drawings into a file, which is there only when complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, delete=False) as part:
        json.dump(drawings, part)
    Path(part.name).replace(file)


@cache
def studio(root: Path) -> Studio:
    """The studio for the pages below a root."""
    return Studio(root)
