#include "brio/nn/policy.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "brio/base/error.h"
#include "brio/nn/names.h"

namespace brio::nn {
namespace {

constexpr std::string_view kNames[] = {"float32", "float64", "mixed_bfloat16", "mixed_float16", "bfloat16",
                                       "float16", "auto"};

constinit thread_local DType chosen_compute = f32;
constinit thread_local std::optional<DType> tried_compute;

std::atomic<Policy>& global() {
  static std::atomic<Policy> policy{Policy(f32)};
  return policy;
}

}  // namespace

DType automatic_compute() { return chosen_compute; }
AutomaticPrecision::AutomaticPrecision(DType compute) : before_(std::exchange(chosen_compute, compute)) {}
AutomaticPrecision::~AutomaticPrecision() { chosen_compute = before_; }

TriedPrecision::TriedPrecision(DType compute) : before_(std::exchange(tried_compute, compute)) { ++living_; }
TriedPrecision::~TriedPrecision() {
  tried_compute = before_;
  --living_;
}
std::optional<DType> TriedPrecision::of_this_thread() { return tried_compute; }

Policy::Policy() : Policy(global_policy()) {}
Policy::Policy(DType dtype) : compute_(dtype), variable_(dtype) {}

Policy::Policy(std::string_view name) {
  constexpr std::string_view kMixed = "mixed_";
  if (name == "auto") {
    automatic_ = true;
    return;
  }
  const bool mixed = name.starts_with(kMixed);
  if (mixed && std::ranges::find(kNames, name) == std::end(kNames)) throw_unknown("dtype policy", name, kNames);
  try {
    compute_ = dtype_from_name(mixed ? name.substr(kMixed.size()) : name);
  } catch (const InvalidArgument&) {
    throw_unknown("dtype policy", name, kNames);
  }
  variable_ = mixed ? f32 : compute_;
}

std::string Policy::name() const { return automatic_ ? "auto" : mixed() ? cat("mixed_", compute_) : cat(compute_); }

void set_global_policy(const Policy& policy) {
  if (!is_floating(policy.compute()))
    throw InvalidArgument(
        cat("[dtype policy] '", policy.name(), "' cannot be that of all layers; use a floating one"));
  global().store(policy);
}
Policy global_policy() { return global().load(); }

}  // namespace brio::nn
