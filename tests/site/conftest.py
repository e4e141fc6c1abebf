"""The built site, served on this machine and read in a real Chromium."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import sync_playwright

from tests.site import crawl, tools
from weave.browser import FLAGS, find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

ROOT = Path(__file__).parents[2]


def give_up(reason: str) -> NoReturn:
    """Skip a test that this machine cannot run; where CI is set, let it fail."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    raise AssertionError  # both have raised


# The site --------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """A built site: its files, the address it is served at, the builder's words."""

    folder: Path
    address: str
    log: str

    def pages(self) -> list[str]:
        """The addresses of all pages, below that of the site."""
        return crawl.pages(self.folder)

    def chapters(self) -> list[str]:
        """The addresses of the chapters of the book."""
        return [page for page in self.pages() if page.startswith("book/")]


@cache
def packed(file: Path) -> bytes:
    """A file as a host sends it: all but pictures and faces, which are packed."""
    plain = file.suffix in {".woff2", ".png", ".jpg", ".wasm"}
    return file.read_bytes() if plain else gzip.compress(file.read_bytes(), 6)


def longest_chapter(site: Site) -> str:
    """The chapter whose page has the most bytes."""
    chapters = site.chapters()
    return max(
        chapters, key=lambda page: len(packed(site.folder / page / "index.html"))
    )


class Host(SimpleHTTPRequestHandler):
    """A quiet file server that packs and lets keep for as long as GitHub Pages."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> io.BytesIO | None:
        """Answer with the headers of a file; what comes after them."""
        file = Path(self.translate_path(self.path))
        if file.is_dir() and urlsplit(self.path).path.endswith("/"):
            file /= "index.html"
        if not file.is_file():
            self.send_error(404)
            return None
        body = packed(file)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if body.startswith(b"\x1f\x8b"):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def alone(shared: Path) -> FileLock:
    """Held by the one process that installs or builds what all of them use."""
    return FileLock(shared / "alone.lock")


def build(folder: Path) -> str:
    """Build the site into a folder, strictly; the builder's words."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    subprocess.run(
        [sys.executable, "-m", "weave", "twins", folder], cwd=ROOT, check=True
    )
    return done.stdout


@pytest.fixture(scope="session")
def site(shared: Path, alone: FileLock, report: list[str]) -> Iterator[Site]:
    """The site, built once and strictly, served below a path as on GitHub Pages."""
    top = shared / "served"
    folder, log = top / "tanglegrad", shared / "build.log"
    with alone:
        if not log.exists():
            words = build(folder)
            log.write_text(words, encoding="utf-8")
            took = re.findall(r"built in ([\d.]+) seconds", words)
            report.append(f"strict build: {took} s (wanted: below 15)")

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=top)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{folder.name}/"
        yield Site(folder, address, log.read_text(encoding="utf-8"))
        server.shutdown()


# The browser -----------------------------------------------------------------


def install_chromium() -> None:
    """Install a Chromium: the system's where we may, else Playwright's own."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root and shutil.which("apt-get"):
        commands = [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
    else:
        commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    for command in commands:
        print(f"\ntests/site: no Chromium was found; running {' '.join(command)}")
        subprocess.run(
            command,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            stdout=subprocess.DEVNULL,
            check=False,
        )


@pytest.fixture(scope="session")
def port() -> int:
    """The port at which Lighthouse finds the browser."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


@pytest.fixture(scope="session")
def browser(
    request: pytest.FixtureRequest, alone: FileLock, port: int
) -> Iterator[Browser]:
    """One Chromium for all tests, installed if there is none."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        with alone, capture.global_and_fixture_disabled():
            if find_chromium(own) is None:
                install_chromium()
        path = find_chromium(own)
        if path is None:
            give_up("no Chromium could be found or installed; name one by CHROMIUM")
        flags = [*FLAGS, f"--remote-debugging-port={port}"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


# The reader ------------------------------------------------------------------


@dataclass
class Reader:
    """A page of the browser that keeps what it asked for and what went wrong."""

    page: Page
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("response", self.note_response)
        self.page.on("requestfailed", self.note_failure)
        self.page.on("console", self.note_console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.wrong.append(f"{response.url}: {response.status}")

    def note_failure(self, request: Request) -> None:
        # Leaving a page aborts what it still loads: no fault of the page.
        if request.failure != "net::ERR_ABORTED":
            self.wrong.append(f"{request.url}: {request.failure}")

    def note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def hosts(self) -> set[str]:
        """The hosts asked so far; data: and blob: addresses have none."""
        return {host for url in self.asked if (host := urlsplit(url).netloc)}


@pytest.fixture
def reader(site: Site, browser: Browser) -> Iterator[Reader]:
    """A reader before a wide, light page, who may use the clipboard."""
    context = browser.new_context(
        base_url=site.address,
        viewport={"width": 1300, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    yield Reader(context.new_page())
    context.close()


# The tools -------------------------------------------------------------------


@pytest.fixture(scope="session")
def missing(request: pytest.FixtureRequest, alone: FileLock) -> str:
    """Why axe-core and Lighthouse are not there; nothing if they are."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with alone, capture.global_and_fixture_disabled():
        return tools.install()


# The survey ------------------------------------------------------------------


WIDTHS = (1300, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
Views = list[dict[int, Literal["light", "dark"]]]


def views(page: str, number: int) -> Views:
    """In which scheme a page, the number-th, is seen at each width, in turns.

    The front page and the chapters are seen in all four ways. The others are alike,
    and are seen as on a phone, every second one in the dark. With THOROUGH=1 in the
    environment all pages are seen in all ways.
    """
    if page == "" or page.startswith("book/") or os.environ.get("THOROUGH"):
        return [dict.fromkeys(WIDTHS, scheme) for scheme in SCHEMES]
    return [{min(WIDTHS): SCHEMES[number % 2]}]


@dataclass(frozen=True)
class Visit:
    """What one page of the site showed in one view."""

    page: str
    width: int
    scheme: str
    asked: list[str]
    wrong: list[str]
    seen: dict[str, Any]  # what survey.js returns

    def __str__(self) -> str:
        page = self.page or "the front page"
        return f"{page} at {self.width}, {self.scheme}"


SURVEY = (Path(__file__).parent / "survey.js").read_text(encoding="utf-8")


class Tab:
    """A tab of the browser, in which the pages are seen at one width."""

    def __init__(self, site: Site, browser: Browser, width: int) -> None:
        self.site, self.width = site, width
        self.context = browser.new_context(viewport={"width": width, "height": 900})
        self.reader = Reader(self.context.new_page())
        self.scheme = ""

    def open(self, path: str, axe: str) -> None:
        """Open a page."""
        self.path, self.scheme = path, ""
        self.reader.asked, self.reader.wrong = [], []
        self.reader.page.emulate_media(color_scheme=SCHEMES[0])
        self.reader.page.goto(self.site.address + path)
        self.reader.page.evaluate(f"{axe}; 0")

    def start(self, scheme: Literal["light", "dark"]) -> None:
        """Begin the survey, without waiting for its end."""
        before, self.scheme = self.scheme, scheme
        self.reader.page.emulate_media(color_scheme=scheme)
        self.reader.page.evaluate(f"window.survey = ({SURVEY})({bool(before):d}); 0")

    def end(self) -> Visit:
        """What the survey found."""
        seen = self.reader.page.evaluate("window.survey")
        asked, wrong = self.reader.asked, self.reader.wrong
        return Visit(self.path, self.width, self.scheme, asked, wrong, seen)


@pytest.fixture(scope="session")
def visits(
    site: Site, browser: Browser, missing: str, report: list[str]
) -> list[Visit]:
    """Every page of the site, seen in two tabs that work at the same time.

    This takes minutes, and each process that runs a test of them does it. Hence all
    tests of what the pages show stand in one file, test_pages.py.
    """
    start = time.perf_counter()
    axe = "" if missing else tools.AXE.read_text(encoding="utf-8")
    tabs = [Tab(site, browser, width) for width in WIDTHS]
    visits = []
    for number, path in enumerate(site.pages()):
        ways = views(path, number)
        looking = [tab for tab in tabs if tab.width in ways[0]]
        for tab in looking:
            tab.open(path, axe)
        for way in ways:
            for tab in looking:
                tab.start(way[tab.width])
            visits += [tab.end() for tab in looking]
    for tab in tabs:
        tab.context.close()
    took = time.perf_counter() - start
    report.append(f"{len(visits)} visits, each with axe-core: {took:.0f} s")
    return visits
