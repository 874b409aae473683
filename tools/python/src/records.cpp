// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators: dictionaries to records and back.
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

constexpr int most_levels = 64;  // of nested lists and dictionaries, as in files

Value value_of(py::handle object, int level = 0);

Record record_of(const py::dict& dictionary, int level) {
  Record record;
  for (const auto& [key, value] : dictionary) {
    if (!py::isinstance<py::str>(key)) {
      throw py::type_error("keys are text, not " + py::repr(key).cast<std::string>());
    }
    record.add(key.cast<std::string>(), value_of(value, level));
  }
  return record;
}

Value value_of(py::handle object, int level) {
  if (level > most_levels) {
    throw py::value_error("more than 64 levels of lists and dictionaries");
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
    return overflow == 0 ? Value{static_cast<std::int64_t>(whole)} : Value{object.cast<double>()};
  }
  if (py::isinstance<py::float_>(object)) {
    return {object.cast<double>()};
  }
  if (py::isinstance<py::str>(object)) {
    return {object.cast<std::string>()};
  }
  if (py::isinstance<py::dict>(object)) {
    return {record_of(py::reinterpret_borrow<py::dict>(object), level + 1)};
  }
  if (py::hasattr(object, "tolist")) {  // arrays and scalars of numpy
    return value_of(object.attr("tolist")(), level);
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    List list;
    bool numbers = true;
    for (const auto& item : py::reinterpret_borrow<py::sequence>(object)) {
      list.push_back(value_of(item, level + 1));
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
  throw py::type_error("neither a number, a text, a list nor a dictionary: " + py::repr(object).cast<std::string>());
}

py::list schema(const std::vector<FieldInfo>& fields) {
  py::list list;
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
    list.append(row);
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
  module.def("calculator_names", [] {
    std::vector<std::string> names;
    for (const auto& calculator : calculators::all()) {
      names.push_back(calculator.name);
    }
    return names;
  });
  module.def("calculator_summary", [](const std::string& name) { return calculators::find(name).summary; });
  module.def("calculator_theorems", [](const std::string& name) { return calculators::find(name).theorems; });
  module.def("calculator_schema", [](const std::string& name) { return schema(calculators::find(name).fields); });
  module.def("evaluate", [](const std::string& name, const py::dict& inputs) {
    const auto& calculator = calculators::find(name);
    const Record given = record_of(inputs, 0);
    Record answer;
    {
      const py::gil_scoped_release release;
      answer = calculator(given);
    }
    return object_of({answer});
  });
}

}  // namespace dpcurves::python
