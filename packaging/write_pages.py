"""Writes what sourir prints of its own commands into files: manual pages and completions.

usage: write_pages.py SOURIR FOLDER"""
import subprocess
import sys
from pathlib import Path

COMPLETIONS = {"bash": "sourir.bash", "zsh": "_sourir", "fish": "sourir.fish"}


def main():
    sourir, folder = sys.argv[1], Path(sys.argv[2])

    def printed(*words):
        return subprocess.run([sourir, *words], stdout=subprocess.PIPE, check=True).stdout

    pages = folder / "man1"
    pages.mkdir(parents=True, exist_ok=True)
    main_page = printed("manual")
    (pages / "sourir.1").write_bytes(main_page)
    for line in main_page.decode().splitlines():
        if line.startswith(".BR sourir\\-"):
            name = line.split()[1].replace("\\-", "-")
            words = name.removeprefix("sourir-").split("-")
            (pages / f"{name}.1").write_bytes(printed("manual", *words))
    for shell, file in COMPLETIONS.items():
        (folder / file).write_bytes(printed("completion", shell))


if __name__ == "__main__":
    main()
