// Finds where numbers stop being finite: runs a graph op by op, and follows results that are not finite back to the
// first op that made them from finite numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/tensor.h"

namespace brio {

struct BadNumber {
  static constexpr size_t kNone = ~size_t{0};
  size_t node = kNone;          // the node that made it, or
  size_t input = kNone;         // the input of the graph that already had it
  std::vector<Tensor> in, out;  // of that node; for an input, `out` is the input
};

// None: all results are finite. Ops that have only effects are left out; nothing that the program can see changes.
std::optional<BadNumber> first_bad_number(const Graph& graph, const std::vector<Tensor>& inputs);

// Statistics of the numbers in a tensor.
struct NumberStats {
  int64_t count = 0, nan = 0, inf = 0;
  double min = 0, max = 0, mean = 0;  // of the finite ones
  std::string str() const;
};
NumberStats stats_of(const Tensor& x);
bool all_finite(const Tensor& x);                       // always true for integers and strings
std::vector<int64_t> rows_not_finite(const Tensor& x);  // along the first axis

}  // namespace brio
