// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators: dictionaries to records and back.
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

constexpr int most_levels = 64;  // of nested lists and dictionaries, as in files

Value value_of(py::handle object, const std::string& where, int level);

/// What Python raised, with the key before its words.
[[noreturn]] void refuse(const std::string& where, const std::string& words) {
  throw py::type_error((where.empty() ? "" : where + ": ") + words);
}

/// Its class; its repr may be long, or raise.
std::string kind_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

std::string text_of(py::handle object, const std::string& where) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throw py::value_error(where + ": a text with half a character");
  }
  return {text, static_cast<std::size_t>(size)};
}

Record record_of(const py::dict& dictionary, const std::string& where, int level) {
  Record record;
  for (const auto& [key, value] : dictionary) {
    if (!py::isinstance<py::str>(key)) {
      refuse(where, "keys are text, not of type " + kind_of(key));
    }
    const std::string name = text_of(key, where);
    record.add(name, value_of(value, where.empty() ? name : where + "." + name, level));
  }
  return record;
}

/// A number by its __float__, as fractions and decimals have it; nothing where there is none.
std::optional<double> float_of(py::handle object) {
  if (!PyNumber_Check(object.ptr()) || PyComplex_Check(object.ptr())) {
    return std::nullopt;
  }
  const double number = PyFloat_AsDouble(object.ptr());
  if (PyErr_Occurred() == nullptr) {
    return number;
  }
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) {  // Ctrl-C
    throw py::error_already_set();
  }
  PyErr_Clear();
  return std::nullopt;
}

Value list_of(const py::sequence& sequence, const std::string& where, int level) {
  List list;
  bool numbers = true;
  for (const auto& item : sequence) {
    list.push_back(value_of(item, where, level + 1));
    double number = 0.0;
    numbers = numbers && list.back().get<std::string>() == nullptr && list.back().number(number);
  }
  if (!numbers) {
    return {std::move(list)};
  }
  std::vector<double> plain;
  for (const Value& item : list) {
    double number = 0.0;
    static_cast<void>(item.number(number));
    plain.push_back(number);
  }
  return {std::move(plain)};
}

/// \param where  the key, for messages. \param level  of lists, dictionaries and arrays around it.
Value value_of(py::handle object, const std::string& where, int level) {
  if (level > most_levels) {
    throw py::value_error(where + ": more than 64 levels of lists and dictionaries");
  }
  if (object.is_none()) {
    return {};
  }
  if (py::isinstance<py::bool_>(object)) {
    return {object.cast<bool>()};
  }
  if (py::isinstance<py::int_>(object)) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) {
      return {static_cast<std::int64_t>(whole)};
    }
  }
  if (py::isinstance<py::str>(object)) {
    return {text_of(object, where)};
  }
  if (py::isinstance<py::dict>(object)) {
    return {record_of(py::reinterpret_borrow<py::dict>(object), where, level + 1)};
  }
  if (!py::isinstance<py::float_>(object) && py::hasattr(object, "tolist")) {  // arrays and scalars of numpy
    const py::object listed = object.attr("tolist")();
    if (Py_TYPE(listed.ptr()) != Py_TYPE(object.ptr())) {  // the list of a long double is one
      return value_of(listed, where, level + 1);
    }
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    return list_of(py::reinterpret_borrow<py::sequence>(object), where, level);
  }
  if (const auto number = float_of(object)) {
    return {*number};
  }
  refuse(where, "neither a number, a text, a list nor a dictionary, but of type " + kind_of(object));
}

std::vector<py::dict> schema(const std::vector<FieldInfo>& fields) {
  std::vector<py::dict> list;
  for (const FieldInfo& field : fields) {
    py::dict row;
    row["name"] = field.name;
    row["key"] = field.symbol;
    row["kind"] = kind_name(field);
    row["domain"] = field.domain.text();
    row["meaning"] = field.meaning;
    row["required"] = field.required;
    row["default"] = object_of(field.fallback);
    row["words"] = field.words;
    row["fields"] = schema(field.fields);
    list.push_back(row);
  }
  return list;
}

}  // namespace

py::object object_of(const Value& value) {
  return std::visit(
      []<class T>(const T& held) -> py::object {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return py::none();
        } else if constexpr (std::is_same_v<T, Record>) {
          py::dict dictionary;
          for (const Entry& entry : held.entries()) {
            dictionary[py::str(entry.name)] = object_of(entry.value);
          }
          return dictionary;
        } else if constexpr (std::is_same_v<T, List>) {
          py::list list;
          for (const Value& item : held) {
            list.append(object_of(item));
          }
          return list;
        } else {
          return py::cast(held);
        }
      },
      value.data);
}

void bind_records(py::module_& module) {
  module.def(
      "calculator_names",
      [] { return mapped(calculators::all(), [&](const auto& calculator) { return calculator.name; }); },
      "PAPER/NAME of each.");
  module.def(
      "calculator_summary", [](const std::string& name) { return calculators::find(name).summary; }, "One line.",
      py::arg("name"));
  module.def(
      "calculator_theorems", [](const std::string& name) { return calculators::find(name).theorems; },
      "The theorems that it computes.", py::arg("name"));
  module.def(
      "calculator_schema", [](const std::string& name) { return schema(calculators::find(name).fields); },
      "Its inputs: name, key, kind, domain, meaning, ...", py::arg("name"));
  module.def(
      "evaluate",
      [](const std::string& name, const py::dict& inputs) {
        const auto& calculator = calculators::find(name);
        const Record given = record_of(inputs, "", 0);
        Record answer;
        {
          const py::gil_scoped_release release;
          answer = calculator(given);
        }
        return py::dict(object_of({answer}));
      },
      "The outputs of a calculator.", py::arg("name"), py::arg("inputs"));
}

}  // namespace dpcurves::python
