// A question about elements, for filter and take_while.
#pragma once

#include "brio/data/tensor_call.h"

namespace brio::data {

class Predicate {
 public:
  Predicate(const char* name, const brio::detail::TracedFunction::Body& f) : name_(name), call_(f) {}
  bool operator()(const Element& element);  // throws InvalidArgument unless the answer is one bool

 private:
  const char* name_;
  TensorCall call_;
};

}  // namespace brio::data
