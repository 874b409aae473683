#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What the pages say that a command prints, held to what it prints.

    python3 docs/outputs.py DPCURVES [--write]

Every block of the pages that has a line `$ dpcurves ...` is run from the top of the project. Each line shown below
must be a line of the output, in this order; `...` and blank lines leave something out. With --write, lines that
differ in their numbers alone are replaced. Exit code 1 if a line is not printed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```(?:console|text|sh|)\n(.*?)```", re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def questions(block):
    """The commands of a block, with the lines that are shown of each."""
    command, shown, open_command = None, [], False
    for line in block.split("\n"):
        if open_command:
            command = command[:-1] + line.strip()
        elif line.startswith("$ "):
            if command and command.startswith("dpcurves "):
                yield command, shown
            command, shown = line[2:], []
        elif line.strip() not in ("", "..."):
            shown.append(line)
        open_command = command is not None and not shown and command.endswith("\\")
    if command and command.startswith("dpcurves "):
        yield command, shown


def shape(line):
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def printed(program, command, folder):
    """The lines of a command, which finds the project's data but writes into a folder of its own."""
    environment = dict(os.environ, PATH=f"{pathlib.Path(program).resolve().parent}:{os.environ['PATH']}", COLUMNS="80")
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)
    return (done.stdout + done.stderr).split("\n")


def missing(shown, lines):
    """Pairs of a line that is not printed where it is shown, and the printed one of its shape, if any."""
    place = 0
    for line in shown:
        if line in lines[place:]:
            place = lines.index(line, place) + 1
            continue
        alike = [at for at in range(place, len(lines)) if shape(lines[at]) == shape(line)]
        yield line, lines[alike[0]] if alike else None
        place = alike[0] + 1 if alike else place


def main(program, write):
    stale = commands = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(PROJECT / "data", pathlib.Path(folder) / "data")
        for page in [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]:
            text = page.read_text()
            for block in BLOCK.findall(text):
                new = block
                for command, shown in questions(block):
                    if not shown:
                        continue
                    commands += 1
                    for line, other in missing(shown, printed(program, command, folder)):
                        stale += 1
                        print(f"{page.relative_to(PROJECT)}: not printed by {command}\n  - {line}")
                        if other is not None:
                            print(f"  + {other}")
                            new = new.replace(line + "\n", other + "\n", 1)
                if write:
                    text = text.replace(block, new)
            if write:
                page.write_text(text)
    print(f"{commands} commands, {stale} lines that are not printed")
    return 1 if stale or not commands else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], len(sys.argv) == 3))
