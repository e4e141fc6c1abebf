"""The built site, served on this machine and read in a real Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from weave.browser import FLAGS, find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

ROOT = Path(__file__).parents[2]

# The site --------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """A built site: its files, the address it is served at, the builder's words."""

    folder: Path
    address: str
    log: str

    def pages(self) -> list[str]:
        """The addresses of all pages, below that of the site."""
        files = sorted(self.folder.rglob("*.html"))
        names = [file.relative_to(self.folder).as_posix() for file in files]
        return [name.removesuffix("index.html") for name in names]


class Quiet(SimpleHTTPRequestHandler):
    """A file server that does not write a line for each request."""

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site, built once and strictly, served below a path as on GitHub Pages."""
    top = tmp_path_factory.mktemp("served")
    folder = top / "tanglegrad"
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert build.returncode == 0, build.stdout
    subprocess.run(
        [sys.executable, "-m", "weave", "twins", folder], cwd=ROOT, check=True
    )

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=top)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{folder.name}/"
        yield Site(folder, address, build.stdout)
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
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium for all tests, installed if there is none."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        if find_chromium(own) is None:
            with capture.global_and_fixture_disabled():
                install_chromium()
        path = find_chromium(own)
        if path is None:
            reason = "no Chromium could be found or installed; name one by CHROMIUM"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
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


Scheme = Literal["light", "dark"]


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


# The survey ------------------------------------------------------------------


@dataclass(frozen=True)
class Visit:
    """What one page of the site showed, at one width and in one scheme."""

    page: str
    width: int
    scheme: Scheme
    asked: list[str]
    wrong: list[str]
    seen: dict[str, Any]  # what SURVEY returns

    def __str__(self) -> str:
        return f"{self.page or 'the front page'} at {self.width}, {self.scheme}"


SURVEY = (Path(__file__).parent / "survey.js").read_text(encoding="utf-8")
VIEWS: tuple[tuple[int, Scheme], ...] = ((1300, "light"), (390, "dark"))


@pytest.fixture(scope="session")
def visits(site: Site, browser: Browser) -> list[Visit]:
    """Every page of the site, seen wide and light, then narrow and dark."""
    context = browser.new_context()
    page = context.new_page()
    reader = Reader(page)
    visits = []
    for width, scheme in VIEWS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        for path in site.pages():
            reader.asked, reader.wrong = [], []
            page.goto(site.address + path)
            seen = page.evaluate(SURVEY)
            visits.append(Visit(path, width, scheme, reader.asked, reader.wrong, seen))
    context.close()
    return visits
