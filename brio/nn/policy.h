// Precision policies: the dtype in which a layer computes, and the dtype of its weights.
//
//   nn::set_global_policy("mixed_bfloat16");             // for layers made from here on
//   nn::Dense(10, {.dtype = "float32"});                 // this one computes in float32 all the same
//   nn::set_global_policy("auto");                       // fit measures float32 and mixed_bfloat16, and takes one
//
// A mixed policy keeps weights in float32 and computes in the short format: a layer casts its floating-point inputs,
// and its weights are cast where it reads them. Losses, metrics and the statistics of normalisation stay in float32.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "brio/tensor/dtype.h"

namespace brio::nn {

// The dtype in which layers under the policy "auto" compute on this thread: float32, unless it was set otherwise.
DType automatic_compute();
class AutomaticPrecision {
 public:
  explicit AutomaticPrecision(DType compute);
  ~AutomaticPrecision();
  AutomaticPrecision(const AutomaticPrecision&) = delete;

 private:
  DType before_;
};

// While it lives, layers of this thread with float32 weights compute in this dtype, whatever their policy: for steps
// that are only tried.
class TriedPrecision {
 public:
  explicit TriedPrecision(DType compute);
  ~TriedPrecision();
  TriedPrecision(const TriedPrecision&) = delete;
  static bool any() { return living_.load(std::memory_order_relaxed) != 0; }  // on any thread
  static std::optional<DType> of_this_thread();

 private:
  static inline constinit std::atomic<int> living_{0};
  std::optional<DType> before_;
};

class alignas(4) Policy {
 public:
  Policy();                       // the current global one
  Policy(std::string_view name);  // a floating-point dtype, "mixed_float16", "mixed_bfloat16" or "auto"
  Policy(const char* name) : Policy(std::string_view(name)) {}
  Policy(const std::string& name) : Policy(std::string_view(name)) {}
  Policy(DType dtype);  // for both; an integer dtype is for layers without weights

  std::string name() const;
  DType compute() const {
    if (TriedPrecision::any() && variable_ == f32) [[unlikely]]
      if (const auto tried = TriedPrecision::of_this_thread()) return *tried;
    return automatic_ ? automatic_compute() : compute_;
  }
  DType variable() const { return variable_; }
  bool mixed() const { return compute() != variable_; }
  bool automatic() const { return automatic_; }
  bool operator==(const Policy&) const = default;

 private:
  DType compute_ = f32, variable_ = f32;
  bool automatic_ = false;
};

void set_global_policy(const Policy& policy);
Policy global_policy();

}  // namespace brio::nn
