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
from itertools import chain
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal
from tempfile import NamedTemporaryFile
from threading import Lock
from time import sleep, time

from . import WeaveError
from .book import Book
from .fences import read
from .listing import in_colour, shown
from .scenes import Scene, scenes
from .formulas import draw
from .prose import blocks
from .uses import uses

HERE = Path(__file__).parent
DRAWING = ["running.py", "scenes.py", "drawing.py"]
LOADED = ["weave.studio", "matplotlib.figure", "matplotlib.style"]
LOADED += ["matplotlib.backends.backend_svg"]
MONTH = 30 * 24 * 60 * 60


class Studio:
    """Where the drawings for the pages below a root are made and kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.awaited: dict[Path, Future[list[str]]] = {}
        self.found_ahead: Iterator[object] = iter(())
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
        context = _ready_to_draw()
        self._clear_away()
        wanted = {_file(s, self.root): s for s in self._needed()}
        for file in [f for f in wanted if f.exists() or f in self.awaited]:
            del wanted[file]
        if wanted:
            count = min(os.cpu_count() or 1, len(wanted), 4)
            pool = ProcessPoolExecutor(count, context, initializer=_prepare)
            for file, scene in wanted.items():
                self.awaited[file] = pool.submit(make, scene, self.root)
            pool.shutdown(wait=False)
            self.found_ahead = _ahead(self.root)

    def open(self) -> None:
        """Make ready to draw if no drawing has been kept so far."""
        if not (self.root / "build" / "drawn").exists():
            _ready_to_draw()

    def _needed(self) -> Iterator[Scene]:
        """The scenes of all pages, in the order of the pages."""
        for text in _texts(self.root):
            with suppress(WeaveError):
                yield from scenes(read(text))

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
        """Look ahead until some work is done."""
        for _ in self.found_ahead:
            if work.done():
                break

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


def _ready_to_draw() -> BaseContext:
    """How processes are begun in which Matplotlib is at hand."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    from multiprocessing import forkserver  # noqa: PLC0415 (as above)

    context = get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    forkserver.ensure_running()
    return context


def _prepare() -> None:
    """Make a process ready to draw."""
    gc.disable()
    signal(SIGINT, SIG_DFL)


def _texts(root: Path) -> list[str]:
    """The texts of all pages, that of the front page first."""
    files = sorted((root / "docs").rglob("*.md"))
    files.sort(key=lambda file: len(file.parts))
    return [file.read_text("utf-8") for file in files]


def _ahead(root: Path) -> Iterator[object]:
    """Find what pages will ask for, a little at each step."""
    book, texts = Book.load(root), _texts(root)
    for piece in book.pieces:
        yield in_colour(piece.fence)
    for fence in chain.from_iterable(map(read, texts)):
        if fence.kind == "example":
            yield shown(fence.body, "python")
    for text in texts:
        yield blocks(text)
    for block in chain.from_iterable(map(blocks, texts)):
        for bit in block.of("formula", "display"):
            with suppress(WeaveError):
                yield draw(bit.says, display=bit.kind == "display")
    if not book.faults:
        yield uses(book)


@cache
def studio(root: Path) -> Studio:
    """The studio for the pages below a root."""
    return Studio(root)
