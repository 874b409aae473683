// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as the inputs of any calculator: an answer without NaN, or an Error. The first byte chooses the calculator;
// each field takes its kind, and numbers are drawn into their domain, to its ends, or taken as they are.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/error.hpp>

#include "calculators/costly.hpp"

namespace {

using namespace dpcurves;

/// Bytes from the front, 0 after the end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() {
    if (size_ == 0) {
      return 0;
    }
    --size_;
    return *data_++;
  }
  double number() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
      bits = bits << 8U | byte();
    }
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

double number_in(const Domain& domain, Bytes& bytes) {
  switch (bytes.byte() % 4) {
    case 0:
      return domain.lower();
    case 1:
      return domain.upper();
    case 2:
      return bytes.number();
    default: {
      const double start = std::isfinite(domain.lower()) ? domain.lower() : 0.0;
      const double drawn = start + 0.125 * bytes.byte();
      return domain.whole() ? std::floor(drawn) : drawn;
    }
  }
}

Record record_of(const std::vector<FieldInfo>& fields, Bytes& bytes);

Value numbers_of(const FieldInfo& field, int depth, Bytes& bytes) {
  const int size = bytes.byte() % 4;
  std::vector<double> flat;
  List nested;
  for (int i = 0; i < size; ++i) {
    if (depth > 1) {
      nested.push_back(numbers_of(field, depth - 1, bytes));
    } else {
      flat.push_back(number_in(field.domain, bytes));
    }
  }
  return depth > 1 ? Value{nested} : Value{flat};
}

Value value_of(const FieldInfo& field, Bytes& bytes) {
  switch (field.kind) {
    case Kind::number:
    case Kind::integer:
      return {number_in(field.domain, bytes)};
    case Kind::flag:
      return {bytes.byte() % 2 == 0};
    case Kind::text:
      return {field.words.empty() ? std::string("none") : field.words[bytes.byte() % field.words.size()]};
    case Kind::numbers:
    case Kind::any:
      return numbers_of(field, field.depth, bytes);
    case Kind::record:
      return {record_of(field.fields, bytes)};
    case Kind::records: {
      List list;
      for (int i = bytes.byte() % 4; i > 0; --i) {
        list.push_back({record_of(field.fields, bytes)});
      }
      return {list};
    }
  }
  return {};
}

Record record_of(const std::vector<FieldInfo>& fields, Bytes& bytes) {
  Record record;
  for (const auto& field : fields) {
    if (field.required || bytes.byte() % 2 == 0) {
      record.add(field.symbol, value_of(field, bytes));
    }
  }
  return record;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto quick = [] {
    std::vector<const calculators::Calculator*> list;
    for (const auto& one : calculators::all()) {
      if (!test::is_costly(one.name)) {
        list.push_back(&one);
      }
    }
    return list;
  }();
  Bytes bytes(data, size);
  const auto& calculator = *quick[bytes.byte() % quick.size()];
  const Record inputs = record_of(calculator.fields, bytes);
  try {
    if (text({calculator(inputs)}).find("\"nan\"") != std::string::npos) {
      std::abort();
    }
  } catch (const Error&) {
  }
  return 0;
}
