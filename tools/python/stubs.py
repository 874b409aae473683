# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the stubs of the package: what type checkers and editors know of what is made when it is imported.

    python tools/python/stubs.py [FOLDER]

``_native.pyi`` has the signatures and words of the extension module as it says them itself, ``tables.pyi`` the options
of the algorithms and the inputs of the calculators. They are written beside the package that is imported, or into FOLDER.
A test holds those that are kept to this.
"""

from __future__ import annotations

import keyword
import pathlib
import re
import sys
import textwrap
from typing import Any, Iterable, Iterator

sys.path.remove(str(pathlib.Path(__file__).resolve().parent))  # there the package has no module

import dpcurves
from dpcurves import _native, tables
from dpcurves.algorithms import argument_of

HEAD = """# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Written by tools/python/stubs.py.
"""

# How versions of pybind11 name types, in parameters and elsewhere.
NAMES = [
    (r"dpcurves\._native\.", ""),
    (r"\b(?:collections\.abc|typing)\.", ""),
    (r"\bAnnotated\[([^\[\],]+|\w+\[[^\]]*\]), [^\]]*\]", r"\1"),
    (r"\bSupportsFloat(?: \| SupportsIndex)?\b", "float"),
    (r"\bSupportsInt(?: \| SupportsIndex)?\b", "int"),
    (r"\bOptional\[(.*)\]$", r"\1 | None"),
    (r"\b(?:List|Sequence)\b", "list"),
    (r"\b(?:Dict|Mapping)\b", "dict"),
    (r"\bTuple\b", "tuple"),
    (r"\bSet\b", "set"),
    (r"(?:\b\w+\.)*\b[Bb]uffer\b", "_Floats"),
    (r"\b(?:function|Callable)\b(?!\[)", "Callable[[float], float]"),
    (r"\bdict\b(?!\[)", "dict[str, Any]"),
]
READ = [(r"\blist\[", "Sequence["), (r"\bdict\[str, (?!Any)", "Mapping[str, ")]


def typed(text: str, of_parameter: bool) -> str:
    """A type of pybind11 in words that do not depend on its version."""
    text = re.sub(r"\bfloat\[\d+\]", "float", text)  # of an array of so many
    for pattern, name in NAMES + (READ if of_parameter else []):
        text = re.sub(pattern, name, text)
    return text.strip()


def split(text: str) -> Iterator[str]:
    """The parts between commas, but for those in brackets."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            yield text[begin:place].strip()
            begin = place + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def function(name: str, words: str) -> str:
    """A line for a function from its docstring, whose first line is the signature."""
    first = words.split("\n")[0]
    found = re.fullmatch(rf"{name}\((.*)\) -> (.*)", first)
    if found is None:
        raise SystemExit(f"{name}: {first!r} is no signature")
    parameters = []
    for one in split(found[1]):
        key, _, kind = one.partition(":")
        parameters.append("self" if key == "self" else f"{key}: {typed(kind, True)}")
    line = f"def {name}({', '.join(parameters)}) -> {typed(found[2], False)}: ..."
    if len(line) > 110:
        line = "\n".join([f"def {name}(", *(f"    {one}," for one in parameters), f") -> {typed(found[2], False)}: ..."])
    return line


def attribute(name: str, value: property) -> str:
    """A property by the docstring of its getter."""
    kind = re.search(r" -> (.*)", (value.fget.__doc__ or "").split("\n")[0])
    return f"@property\ndef {name}(self) -> {typed(kind[1] if kind else 'Any', False)}: ..."


def of_class(name: str, kind: type) -> str:
    base = kind.__mro__[1].__name__ if issubclass(kind, Exception) else ""
    members = []
    for key in sorted(vars(kind)):
        value = vars(kind)[key]
        if isinstance(value, property):
            members.append(attribute(key, value))
        elif callable(value) and not key.startswith("_"):
            members.append(function(key, value.__doc__))
    body = textwrap.indent("\n".join(members), "    ") if members else ""
    return f"class {name}{f'({base})' if base else ''}:" + (f"\n{body}" if body else " ...")


def native_stub() -> str:
    """The extension module."""
    names = [name for name in sorted(vars(_native)) if not name.startswith("_")]
    kinds = [name for name in names if isinstance(getattr(_native, name), type)]
    parts = [of_class(name, getattr(_native, name)) for name in kinds]
    parts += [function(name, getattr(_native, name).__doc__) for name in names if name not in kinds]
    body = "\n".join(parts)
    used = [name for name in ("Any", "Callable", "Mapping", "Sequence") if re.search(rf"\b{name}\b", body)]
    return (
        f"{HEAD}from typing import {', '.join(used)}\n\nimport numpy as np\nfrom numpy.typing import NDArray\n\n"
        f"_Floats = NDArray[np.float64]\n\n__version__: str\n\n{body}\n"
    )


OPTION_TYPES = {  # of one run, and of arrays of parameters
    "number": ("Scalar | str", "ArrayLike | str"),
    "count": ("Scalar | str", "ArrayLike | str"),
    "numbers": ("Scalar | str | Sequence[Scalar]", "Scalar | str | Sequence[Scalar]"),
    "text": ("str | PathLike[str]", "str | PathLike[str]"),
    "texts": ("str | Sequence[str]", "str | Sequence[str]"),
    "flag": ("bool", "bool"),
}


def of_algorithm(class_name: str, name: str) -> str:
    """A kind of algorithm: a constructor for numbers, one for arrays of them."""
    lines = [f"class {class_name}(Algorithm[One]):"]
    options = _native.algorithm_options(name)
    for arrays, answer in enumerate(("Bracket", "Brackets")):
        lines += ["    @overload", "    def __init__(", f"        self: {class_name}[{answer}],", "        *,"]
        for option in options:
            kind = OPTION_TYPES[option["kind"]][arrays]
            lines += [f"        {argument_of(one)}: {kind} = ..." + "," for one in (option["name"], *option["aliases"])]
        lines += ["    ) -> None: ..."]
    return "\n".join(lines)


INPUT_TYPES = {
    "number": "Scalar", "integer": "Scalar", "flag": "bool", "text": "str", "list of numbers": "ArrayLike",
    "object": "dict[str, Any]", "list of objects": "Sequence[dict[str, Any]]",
}  # fmt: skip


def input_type(field: dict[str, Any]) -> str:
    kind = INPUT_TYPES.get(field["kind"], "Any")
    if field["words"] and kind == "str":
        kind = f"Literal[{', '.join(repr(word) for word in field['words'])}]"
    return kind if field["required"] or kind == "Any" else f"{kind} | None"


def callable_name(name: str) -> str:
    return "_" + "".join(part.capitalize() for part in re.split(r"[^0-9A-Za-z]+", name))


def of_calculator(name: str) -> str:
    """A calculator with its inputs by their keys."""
    fields = _native.calculator_schema(name)
    keys = [str(field["key"]) for field in fields]
    head = f"class {callable_name(name)}(Calculator):"
    if not keys or not all(key.isidentifier() and not keyword.iskeyword(key) for key in keys):
        return f"{head} ..."
    inputs = ", ".join(
        f"{field['key']}: {input_type(field)}" + ("" if field["required"] else " = ...") for field in fields
    )
    return f"{head}\n    def __call__(self, *, {inputs}) -> dict[str, Any]: ...  # type: ignore[override]"


def overloads(names: Iterable[str]) -> str:
    lines = []
    for name in names:
        lines += ["    @overload"]
        lines += [f'    def __getitem__(self, name: Literal["{name}"]) -> {callable_name(name)}: ...']
    return "\n".join([*lines, "    @overload", "    def __getitem__(self, name: str) -> Calculator: ..."])


def tables_stub() -> str:
    """The kinds of algorithms and the calculators."""
    names = sorted(_native.calculator_names())
    parts = [of_algorithm(class_name, name) for class_name, name in tables.KINDS.items()]
    parts += [of_calculator(name) for name in names]
    parts += [f"class _Calculators(Calculators):\n{overloads(names)}", "calculators: _Calculators"]
    return (
        f"{HEAD}from os import PathLike\nfrom typing import Any, Literal, Sequence, overload\n\n"
        "from numpy.typing import ArrayLike\n\nfrom .algorithms import Algorithm\nfrom .arguments import Scalar\n"
        "from .bracket import Bracket, Brackets\nfrom .calculators import Calculator, Calculators\n"
        "from .questions import One\n\nKINDS: dict[str, str]\n\n" + "\n".join(parts) + "\n"
    )


STUBS = {"_native.pyi": native_stub, "tables.pyi": tables_stub}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else dpcurves.__file__)
    for file, stub in STUBS.items():
        ((folder if folder.is_dir() else folder.parent) / file).write_text(stub())
