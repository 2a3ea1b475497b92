#!/usr/bin/env python3
"""Writes plugin_headers.h: which headers a plugin is compiled against (sourir/passes/plugin.h).

usage: plugin_headers.py VERSION OUT ROOT FOLDER..."""
import hashlib
import sys
from pathlib import Path

TEXT = """\
// Which headers of sourir these are (sourir/passes/plugin.h); made when it is built.
#pragma once

#include <array>

namespace sourir {{

inline constexpr std::array<char, 16> kPluginVersion = {{"{version}"}};
inline constexpr std::array<char, 24> kPluginHeaders = {{"{headers}"}};

}} // namespace sourir
"""


def main():
    version, out, root, folders = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:]
    found = hashlib.sha256()
    for header in sorted(path for folder in folders for path in (root / folder).rglob("*.h")):
        found.update(f"{header.relative_to(root)}\n".encode() + header.read_bytes())
    text = TEXT.format(version=version[:15], headers=found.hexdigest()[:16])
    out.parent.mkdir(parents=True, exist_ok=True)
    if not out.exists() or out.read_text(encoding="utf-8") != text: # else nothing is compiled again
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
