// The workloads of `brio bench` and `make bench`; bench/README.md defines each.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "brio/data/dataset.h"

namespace brio::cli {

// A workload that is set up.
struct Work {
  template <std::invocable F>
  Work(F one_iteration, std::shared_ptr<data::Iterator> reads = nullptr)
      : iterate(std::move(one_iteration)), input(std::move(reads)) {}
  std::function<double()> iterate;        // leaves nothing pending, and says how many units of work it did
  std::shared_ptr<data::Iterator> input;  // none: it reads no pipeline
};

struct Workload {
  std::string_view name, unit;  // unit: "ns", "us" or "ms", of one unit of work
  std::string_view summary;
  Work (*make)();
};
std::span<const Workload> workloads();

// One training step of `mlp` from nothing; returns its loss. For `start`.
double train_one_step();

}  // namespace brio::cli
