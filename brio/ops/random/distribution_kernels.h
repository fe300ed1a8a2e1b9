// The numbers of random_integers, random_gamma and random_poisson: one definition for all backends in host memory,
// any part of a tensor at a time.
#pragma once

#include <span>

#include "brio/ir/op.h"

namespace brio {

struct DistributionDraw {
  const OpDef& op;
  std::span<const Aval> in;
  const Aval& out;
  Attrs attrs;

  // Throws InvalidArgument for parameters out of their range.
  void check(const void* const* inputs) const;
  // Elements [begin, end).
  void fill(const void* const* inputs, void* result, int64_t begin, int64_t end) const;
};

}  // namespace brio
