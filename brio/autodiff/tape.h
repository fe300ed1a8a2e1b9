// GradientTape, with TensorFlow's meaning. A tape follows ops on watched tensors and on the trainable variables that
// are read while it lives:
//
//   GradientTape tape;
//   Tensor loss = mean(square(matvec(X, theta) - y));
//   Tensor gradient = tape.gradient(loss, {theta})[0];
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "brio/ir/recording.h"
#include "brio/ops/control/variable.h"

namespace brio {

class GradientTape {
 public:
  struct Options {
    // gradient() may be called more than once. The tape follows its own gradients too, so that they can be
    // differentiated again; stop_recording() spares what that takes.
    bool persistent = false;
    bool watch_accessed_variables = true;
  };
  // What a gradient is taken with respect to.
  class Source {
   public:
    Source(const Tensor& tensor) : tensor_(tensor) {}
    Source(const Variable& variable) : variable_(variable) {}
    bool is(const void* variable) const { return variable_.impl() && variable_.impl().get() == variable; }

   private:
    friend class GradientTape;
    Tensor tensor_;
    Variable variable_;
  };

  GradientTape() : GradientTape(Options{}) {}
  explicit GradientTape(Options options);
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  // One gradient per source; "none" if the target does not depend on it, or it was not watched. The elements of
  // targets are summed, weighted by the output gradients if these are given.
  std::vector<Tensor> gradient(const Tensor& target, std::initializer_list<Source> sources);
  std::vector<Tensor> gradient(const Tensor& target, std::span<const Variable> sources);
  std::vector<Tensor> gradient(std::span<const Tensor> targets, std::span<const Source> sources,
                               std::span<const Tensor> output_gradients = {});

  // The tape does not follow ops in the scope of the returned guard.
  class Pause {
   public:
    explicit Pause(GradientTape& tape);
    ~Pause();
    Pause(const Pause&) = delete;

   private:
    GradientTape& tape_;
  };
  [[nodiscard]] Pause stop_recording() { return Pause(*this); }
  void reset();  // forgets everything that it followed so far

 private:
  void release() noexcept;
  void forget(Recording& recording) noexcept;
  void require_open(const char* what) const;

  Options options_;
  Recording::Tape tape_{};
  ValueId first_ = 0;  // it does not follow values before this one
  bool used_ = false;
};

// The gradient of f (a scalar, or summed) with respect to its arguments, as a function of these arguments.
using TensorFn = std::function<Tensor(const std::vector<Tensor>&)>;
std::function<std::vector<Tensor>(const std::vector<Tensor>&)> grad(TensorFn f);
std::function<std::pair<Tensor, std::vector<Tensor>>(const std::vector<Tensor>&)> value_and_grad(TensorFn f);

// f returns its result, and a function from the result's cotangent to those of the arguments.
struct CustomResult {
  Tensor value;
  std::function<std::vector<Tensor>(const Tensor&)> gradient;
};
std::function<Tensor(const std::vector<Tensor>&)> custom_gradient(
    std::function<CustomResult(const std::vector<Tensor>&)> f);

}  // namespace brio
