// Where numbers stop being finite: a graph is run op by op, and what is not finite in its results is followed back to
// the first op that made it of finite numbers.
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
  size_t node = kNone;          // that made it, or
  size_t input = kNone;         // the input of the graph that had it already
  std::vector<Tensor> in, out;  // of that node; of an input, `out` is itself
};

// None: all results are finite. Ops with effects only are left out; nothing that the program can see changes.
std::optional<BadNumber> first_bad_number(const Graph& graph, const std::vector<Tensor>& inputs);

// Of the numbers in a tensor.
struct NumberStats {
  int64_t count = 0, nan = 0, inf = 0;
  double min = 0, max = 0, mean = 0;  // of those that are finite
  std::string str() const;
};
NumberStats stats_of(const Tensor& x);
bool all_finite(const Tensor& x);                       // of whole numbers and strings, always
std::vector<int64_t> rows_not_finite(const Tensor& x);  // along the first axis

}  // namespace brio
