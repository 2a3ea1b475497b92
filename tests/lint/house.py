#!/usr/bin/env python3
"""Measures the house: files, their sizes, the largest classes, includes across folders.

usage: house.py [ROOT] [--json]      the product: sourir, native, profiler
"""
import json
import re
import statistics
import sys
from collections import Counter
from pathlib import Path

from classes import classes

PRODUCT = ("sourir", "native", "profiler")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def measure(root):
    files = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
             for folder in PRODUCT for p in sorted((root / folder).rglob("*"))
             if p.suffix in (".cpp", ".h")}
    lines = {path: text.count("\n") for path, text in files.items()}
    largest = sorted(((c, path) for path, text in files.items() for c in classes(text)),
                     key=lambda found: -found[0].methods)[:10]
    across = Counter()
    for path, text in files.items():
        folder = path.rsplit("/", 1)[0]
        for target in INCLUDE.findall(text):
            other = target.rsplit("/", 1)[0]
            across["all"] += 1
            across["across"] += folder != other
            across["upward into cli"] += other.startswith("sourir/cli") and not folder.startswith(
                "sourir/cli")
    folders = Counter(path.rsplit("/", 1)[0] for path in files)
    return {
        "files": len(files),
        "lines": sum(lines.values()),
        "median_lines": statistics.median(lines.values()),
        "folders": len(folders),
        "largest_folder": folders.most_common(1)[0],
        "includes": across["all"],
        "includes_across_folders": across["across"],
        "includes_upward_into_cli": across["upward into cli"],
        "largest_classes": [{"class": c.name, "file": path, "methods": c.methods,
                             "public_methods": c.public_methods, "fields": c.fields}
                            for c, path in largest],
    }


def main(arguments):
    names = [a for a in arguments if not a.startswith("--")]
    found = measure(Path(names[0]) if names else Path(__file__).resolve().parents[2])
    if "--json" in arguments:
        print(json.dumps(found, indent=2))
        return 0
    for key, value in found.items():
        if key != "largest_classes":
            print(f"{key.replace('_', ' '):26} {value if isinstance(value, (int, float)) else ': '.join(map(str, value))}")
    print("largest classes            methods public fields")
    for row in found["largest_classes"]:
        print(f"  {row['class']:24} {row['methods']:7} {row['public_methods']:6} {row['fields']:6}"
              f"  {row['file']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
