// Structures of tensors: lists, tuples, named tuples and dictionaries, as deep as you like. flatten() takes the
// tensors out in order (dictionaries by sorted keys) and leaves the rest; unflatten() puts others in their place.
#pragma once

#include <vector>

#include "brio/python/convert.h"

namespace brio::python {

// One level of a structure deeper. One that holds itself has no end: Python's limit stops it with a RecursionError.
class OneDeeper {
 public:
  OneDeeper() {
    if (Py_EnterRecursiveCall(" in a structure of tensors")) throw nb::python_error();
  }
  ~OneDeeper() { Py_LeaveRecursiveCall(); }
  OneDeeper(const OneDeeper&) = delete;
};

class Nest {
 public:
  enum class Kind : uint8_t { tensor, other, list, tuple, dict, named_tuple };

  // What becomes a tensor: tensors and arrays; numbers too where `numbers` is true. The rest is kept as it is.
  struct Options {
    bool numbers = false;
    bool variables = false;  // read now; otherwise they are kept as they are
  };
  static Nest flatten(nb::handle object, std::vector<Tensor>& tensors, const Options& options);
  nb::object unflatten(const std::vector<Tensor>& tensors) const;

  bool operator==(const Nest& other) const;  // what is kept is compared as Python compares
  uint64_t hash() const;                     // equal structures have equal ones
  Kind kind() const { return kind_; }
  const std::vector<Nest>& items() const { return items_; }
  const nb::object& object() const { return object_; }

 private:
  nb::object unflatten(const std::vector<Tensor>& tensors, size_t& next) const;

  Kind kind_ = Kind::other;
  nb::object object_;  // of other: the object; of dict: its keys; of named_tuple: the class
  nb::object order_;   // of dict: its keys as they were
  std::vector<Nest> items_;
};

}  // namespace brio::python
