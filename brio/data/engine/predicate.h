// A condition on elements, for filter and take_while.
#pragma once

#include "brio/data/engine/seeds.h"
#include "brio/data/engine/tensor_call.h"

namespace brio::data {

class Predicate {
 public:
  Predicate(const char* name, const ElementFunction& f, uint64_t seed) : name_(name), seed_(seed), call_(f) {}
  bool operator()(const Ticket& ticket);  // for its element; throws InvalidArgument unless the result is one bool
  void save(StateWriter& state) const { state.number(seed_); }
  void restore(StateReader& state) { seed_ = state.number(); }

 private:
  const char* name_;
  uint64_t seed_;  // for its random numbers
  TensorCall call_;
};

}  // namespace brio::data
