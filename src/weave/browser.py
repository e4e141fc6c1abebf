"""The Chromium that reads the site for us, and prints it."""

import os
import shutil
import sys
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
)
FOLDERS = {
    "darwin": ["/Applications", "~/Applications"],
    "win32": ["$PROGRAMFILES", "$PROGRAMFILES(X86)", "$LOCALAPPDATA"],
}
BELOW = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Google/Chrome/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
# Headless, and quiet: a browser that asks nobody for anything of its own.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium(playwrights_own: str) -> str | None:
    """The Chromium to use: the one named by CHROMIUM, else the first."""
    if named := os.environ.get("CHROMIUM"):
        return named
    on_path = [path for name in NAMES if (path := shutil.which(name))]
    tops = [
        Path(os.path.expandvars(top)).expanduser()
        for top in FOLDERS.get(sys.platform, [])
    ]
    elsewhere = [top / rest for top in tops for rest in BELOW]
    files = [f for f in [*elsewhere, Path(playwrights_own)] if f.is_file()]
    return next((str(found) for found in [*on_path, *files]), None)
