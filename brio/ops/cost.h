// Costs that many ops share.
#pragma once

#include "brio/ir/op.h"

namespace brio {

inline double total_bytes(const OpCall& call, std::span<const Aval> out) {
  double bytes = 0;
  for (const Aval* in : call.in) bytes += static_cast<double>(in->bytes());
  for (const Aval& aval : out) bytes += static_cast<double>(aval.bytes());
  return bytes;
}
template <int flops_per_element>
Cost elementwise_cost(const OpCall& call, std::span<const Aval> out) {
  return {flops_per_element * static_cast<double>(out[0].shape.elements()), total_bytes(call, out)};
}
inline Cost movement_cost(const OpCall& call, std::span<const Aval> out) { return {0, total_bytes(call, out)}; }
inline Cost free_cost(const OpCall&, std::span<const Aval>) { return {}; }

}  // namespace brio
