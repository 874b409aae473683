# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Every function of the theorems by its name."""

from __future__ import annotations

import difflib
import inspect
import keyword
from typing import Any, Iterator, Mapping

from . import _native


class Calculator:
    """One function: ``calculator(mu=1, eps=2)`` gives a dictionary of its outputs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.summary: str = _native.calculator_summary(name)
        self.theorems: list[str] = _native.calculator_theorems(name)
        self.fields: list[dict[str, Any]] = _native.calculator_schema(name)
        self.__doc__ = self._text()
        self.__signature__ = self._signature()

    def __call__(self, **inputs: Any) -> dict[str, Any]:
        return dict(_native.evaluate(self.name, inputs))

    def __repr__(self) -> str:
        return f"<calculator {self.name}: {self.summary}>"

    def _text(self) -> str:
        lines = [self.summary, ""]
        for field in self.fields:
            domain = f", in {field['domain']}" if field["domain"] else ""
            default = "" if field["required"] else f"; default {field['default']}"
            lines.append(f"{field['key']}: {field['meaning']} ({field['kind']}{domain}{default})")
        return "\n".join(lines)

    def _signature(self) -> inspect.Signature:
        parameters = []
        for field in self.fields:
            if not str(field["key"]).isidentifier() or keyword.iskeyword(field["key"]):
                return inspect.Signature([inspect.Parameter("inputs", inspect.Parameter.VAR_KEYWORD)])
            default = inspect.Parameter.empty if field["required"] else field["default"]
            parameters.append(inspect.Parameter(field["key"], inspect.Parameter.KEYWORD_ONLY, default=default))
        return inspect.Signature(parameters)


class Calculators(Mapping[str, Calculator]):
    """All of them by their names."""

    def __init__(self) -> None:
        self._made: dict[str, Calculator] = {}

    def __getitem__(self, name: str) -> Calculator:
        if not isinstance(name, str):
            raise KeyError(name)
        if name not in self._made:
            try:
                self._made[name] = Calculator(name)
            except _native.UsageError:
                near = difflib.get_close_matches(name, list(self), 1)
                raise KeyError(f"there is no calculator {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")) from None
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_native.calculator_names())

    def __len__(self) -> int:
        return len(_native.calculator_names())

    def __repr__(self) -> str:
        return f"<{len(self)} calculators; dpcurves.calculators['shifted-interpolation/gdp-delta'] is one>"

