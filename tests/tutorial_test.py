#!/usr/bin/env python3
"""docs/writing-a-pass.md does what it says. From top to bottom, in a folder with a copy of sourir/passes:

  - a block after a path alone in backticks and a colon is written to that file;
  - a ```diff block changes the copy (`git apply`);
  - `./dev build` compiles sourir/passes of the copy, what is new included, and links `sourir` anew;
  - the ```console blocks are as in book_test.py.

The last line is `tutorial: N commands, N wrong`.

usage: tutorial_test.py [--sourir PATH] [--bless]
       tutorial_test.py --build FOLDER --sourir PATH      what `./dev build` is there
"""
import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import book_test
import showcases

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/writing-a-pass.md"
STEP = re.compile(r"(?m)(?:^`([\w./-]+)`:\n\n)?^```(\w+)\n((?:.*\n)*?)```$")


# --- `./dev build` -----------------------------------------------------------------------------------
def build(folder, sourir):
    """Objects go before the libraries: with all of what one of sourir_passes defines, nobody needs it."""
    place = sourir.parents[1]
    commands = subprocess.run(["ninja", "-C", place, "-t", "commands", "sourir"], check=True,
                              capture_output=True, text=True).stdout.splitlines()
    compile_line = next(line for line in commands if "sourir_passes.dir/" in line and " -c " in line)
    words = shlex.split(compile_line)
    flags = [f"-I{folder}", *words[words.index("/usr/bin/c++") + 1:words.index("-o")], "-O0"]
    flags = [word for word in flags if not word.startswith(("-M", "CMakeFiles"))]
    passes = folder / "sourir/passes"
    sources = [path for path in passes.rglob("*.cpp")
               if path.parent == passes or not (ROOT / path.relative_to(folder)).exists()]
    objects = []
    for source in sorted(sources):
        kept = folder / ".objects" / source.stem
        kept.parent.mkdir(exist_ok=True)
        objects.append(str(kept.with_suffix(".o")))
        if not kept.exists() or kept.read_bytes() != source.read_bytes():
            subprocess.run(["/usr/bin/c++", *flags, "-o", objects[-1], "-c", source], cwd=place, check=True)
            shutil.copyfile(source, kept)
    link = commands[-1].replace(" -o bin/sourir ", f" {' '.join(objects)} -o {folder}/.tool ")
    subprocess.run(link, shell=True, cwd=place, check=True)


# --- The page ----------------------------------------------------------------------------------------
class Tutorial:
    def __init__(self, sourir, folder):
        self.folder, self.count, self.wrong = folder, 0, 0
        shutil.copytree(ROOT / "sourir/passes", folder / "sourir/passes")
        (folder / "tests/filetests/opt").mkdir(parents=True)
        for script in ("run_filetests.py", "filetest.py", "tool.py"):
            (folder / "tests" / script).symlink_to(ROOT / "tests" / script)
        (folder / "docs").symlink_to(ROOT / "docs")
        showcases.recorded_sourir(folder, folder / ".tool")
        dev = folder / "dev"
        dev.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" --build "{folder}" '
                       f'--sourir "{sourir}"\n', encoding="utf-8")
        dev.chmod(0o755)

    def step(self, match):
        """Does what the block says; the block as it should be."""
        path, language, text = match.groups()
        if path:
            (self.folder / path).write_text(text, encoding="utf-8")
        elif language == "diff":
            done = subprocess.run(["git", "apply", "-"], cwd=self.folder, input=text, text=True,
                                  capture_output=True)
            if done.returncode:
                self.complain("a diff does not fit: " + done.stderr, text.splitlines()[1:])
        elif language == "console":
            return "```console\n" + "".join(self.command(*pair) for pair in book_test.commands(text)) + "```"
        return match[0]

    def command(self, command, expected):
        self.count += 1
        exits = book_test.EXITS.search(command)
        status, found = book_test.run(book_test.EXITS.sub("", command), self.folder)
        empty = book_test.nothing_shown(showcases.calls(self.folder), status)
        right = book_test.fits(expected, found) and status == (int(exits[1]) if exits else 0)
        if not right or empty:
            self.complain(f"$ {command}\n  exits with {status} and prints", [*found, *empty])
        lines = expected if right or "..." in expected else found
        return "".join(line + "\n" for line in ["$ " + command, *lines])

    def complain(self, what, lines):
        self.wrong += 1
        print(f"{PAGE.relative_to(ROOT)}: {what}", *lines, sep="\n    ")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", type=Path, default=ROOT / "build/bin/sourir")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--build", type=Path)
    options = parser.parse_args()
    if options.build:
        return build(options.build, options.sourir.resolve())
    text = PAGE.read_text(encoding="utf-8")
    book_test.find_package_in(options.sourir.resolve())
    with tempfile.TemporaryDirectory() as folder:
        tutorial = Tutorial(options.sourir.resolve(), Path(folder))
        blessed = STEP.sub(tutorial.step, text)
    if options.bless and blessed != text:
        PAGE.write_text(blessed, encoding="utf-8")
    print(f"tutorial: {tutorial.count} commands, {tutorial.wrong} wrong")
    return 1 if tutorial.wrong or not tutorial.count else 0


if __name__ == "__main__":
    sys.exit(main())
