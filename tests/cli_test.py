#!/usr/bin/env python3
"""The command line: what a file test cannot say. Exit codes, pipes, Ctrl-C, odd files and flags.

usage: cli_test.py [--sourir PATH] [-k PATTERN] [FILE]
"""
import argparse
import os
import sys
import unittest
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir", help="the program to test")
    parser.add_argument("-k", metavar="PATTERN", help="only tests whose name contains it")
    parser.add_argument("file", nargs="?", default="*_test.py", help="only tests/cli/FILE")
    options = parser.parse_args()
    os.environ["SOURIR"] = str(Path(options.sourir).resolve())
    loader = unittest.TestLoader()
    if options.k:
        loader.testNamePatterns = [f"*{options.k}*"]
    folder = str(Path(__file__).resolve().parent / "cli")
    suite = loader.discover(folder, pattern=options.file)
    return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
