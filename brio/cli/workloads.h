// The workloads of `brio bench` and `make bench`; bench/README.md defines each.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace brio::cli {

struct Workload {
  std::string_view name, unit;  // unit: "ns", "us" or "ms", of one unit of work
  std::string_view summary;
  // Sets the workload up and returns one iteration, which leaves nothing pending and says how many units of work it
  // did.
  std::function<double()> (*make)();
};
std::span<const Workload> workloads();

// One training step of `mlp` from nothing; returns its loss. For `start`.
double train_one_step();

}  // namespace brio::cli
