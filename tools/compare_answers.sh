#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Asks two programs the same questions and prints every difference in exit codes, keys and numbers (relative 1e-12),
# in words, messages and files written: the commands of tools/questions.txt, the schema of every calculator, every
# vector of data/reference, and for every calculator one vector spoilt key by key. Exit 1 if anything differs.
#
#   sh tools/compare_answers.sh OLD_BINARY NEW_BINARY [PATTERN]
#
# PATTERN is a regular expression; only questions that contain it are asked. Answers of the old program are kept in
# a folder beside it.
set -eu
[ $# -ge 2 ] || { sed -n '4,12s/^# \{0,1\}//p' "$0"; exit 2; }
old=$(realpath "$1")
new=$(realpath "$2")
cd "$(dirname "$0")/.."
exec python3 - "$old" "$new" "${3:-}" <<'PYTHON'
import collections, concurrent.futures, glob, hashlib, json, math, os, re, subprocess, sys, tempfile

old, new, pattern = sys.argv[1:]
kept = old + ".answers"
os.makedirs(kept, exist_ok=True)
with open(old, "rb") as program:
    version = hashlib.sha256(program.read()).hexdigest()


def ask(program, line, inputs):
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("TMP/", folder + "/") for word in line.split()]
        run = subprocess.run([program, *words], input=inputs, capture_output=True, text=True, timeout=600)
        answer = {"exit": run.returncode, "out": run.stdout, "err": run.stderr}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                answer["file " + name] = file.read().decode("utf-8", "replace")
        return {key: value.replace(folder, "TMP") if isinstance(value, str) else value for key, value in answer.items()}


def ask_old(line, inputs):
    name = hashlib.sha256("\0".join([version, line, inputs]).encode()).hexdigest()
    path = os.path.join(kept, name)
    if not os.path.exists(path):
        with open(path + ".new", "w") as file:
            json.dump(ask(old, line, inputs), file)
        os.rename(path + ".new", path)
    with open(path) as file:
        return json.load(file)


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def differences(where, a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(k for k in b if k not in a)]:
            at = f"{where}.{key}"
            if key not in b:
                yield f"{at}: gone, was {json.dumps(a[key])[:80]}"
            elif key not in a:
                yield f"{at}: new, {json.dumps(b[key])[:80]}"
            elif not key.endswith("seconds"):
                yield from differences(at, a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(f"{where}[{i}]", x, y)
    elif type(a) in (int, float) and type(b) in (int, float):
        if not (a == b or abs(a - b) <= 1e-12 * abs(a)):
            yield f"{where}: {a!r} became {b!r}"
    elif a != b:
        yield f"{where}: {json.dumps(a)[:200]} became {json.dumps(b)[:200]}"


def questions():
    with open("tools/questions.txt") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                line = line.strip()
                yield line + ("" if re.search("--format|--help| run ", line) else " --format json"), ""
    for entry in json.loads(ask_old("eval --list --format json", "")["out"]):
        yield f"eval {entry['calculator']} --schema", ""
    for path in sorted(glob.glob("data/reference/*.json")):
        spoilt = set()
        with open(path) as file:
            for vector in json.load(file):
                line, inputs = f"eval {vector['calculator']}", vector["inputs"]
                yield line, json.dumps(inputs)
                if vector["calculator"] in spoilt:
                    continue
                spoilt.add(vector["calculator"])
                yield line, json.dumps({**inputs, "unknown": 1})
                for key in inputs:
                    yield line, json.dumps({k: v for k, v in inputs.items() if k != key})
                    for value in (None, "text", -1e300, [], {}, True):
                        yield line, json.dumps({**inputs, key: value})


def compare(question):
    line, inputs = question
    a, b = ask_old(line, inputs), ask(new, line, inputs)
    found = [] if a["exit"] == b["exit"] else [f"exit: {a['exit']} became {b['exit']}: {b['err'].strip()[:200]}"]
    found += differences("", parsed(a["out"]), parsed(b["out"]))
    for name in sorted({key for key in [*a, *b] if key.startswith("file ")}):
        found += differences(name, parsed(a.get(name, "")), parsed(b.get(name, "")))
    if a["exit"] == b["exit"] and a["err"] != b["err"]:
        found.append(f"message: {a['err'].strip()[:150]} became {b['err'].strip()[:150]}")
    return line, inputs, found


asked, differing, kinds = 0, 0, collections.Counter()
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    wanted = [q for q in questions() if re.search(pattern, q[0])]
    for line, inputs, found in pool.map(compare, wanted):
        asked += 1
        differing += bool(found)
        if found:
            print(line, inputs[:300])
        for one in found:
            print("   ", one)
            kinds[one.split(":")[0]] += one.startswith(("exit", "message"))
print(f"{asked} questions, {differing} differ (exit codes {kinds['exit']}, messages {kinds['message']})")
sys.exit(differing > 0)
PYTHON
