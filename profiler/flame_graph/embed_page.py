"""Writes a C++ source with a page as a string (flame_graph_page() of profiler/sample_log.cpp).

usage: embed_page.py OUT.cpp PAGE.html"""

import sys
from pathlib import Path

END = ")page\""


def main():
    out, page = Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8")
    if END in page:
        sys.exit(f"embed_page.py: the page contains {END}")
    out.write_text("#include <string_view>\n\nnamespace sourir::profiler {\n\n"
                   "std::string_view flame_graph_page();\n"
                   f"std::string_view flame_graph_page() {{\n  return R\"page({page}{END};\n}}\n\n"
                   "} // namespace sourir::profiler\n", encoding="utf-8")


if __name__ == "__main__":
    main()
