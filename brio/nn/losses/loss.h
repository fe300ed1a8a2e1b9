// A loss: values that compare y_true with y_pred, and how they become one number.
//
//   nn::Loss loss = "binary_crossentropy";
//   nn::Loss loss = nn::Huber({.delta = 2, .reduction = nn::Reduction::sum});
//   Tensor value = loss(y_true, y_pred);            // a scalar: the mean over the batch
//   nn::Loss own("mine", [](const Tensor& t, const Tensor& p) { return mean(abs(t - p), -1); });
//
// The losses themselves, with Keras 3's formulas, defaults and names, are in the headers that losses.h lists: each as
// a class with options, and as a function that gives one value per sample.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "brio/base/value_names.h"
#include "brio/ir/tensor.h"
#include "brio/nn/settings.h"

namespace brio::nn {

// `mean` is another name of sum_over_batch_size; mean_with_sample_weight divides by the sum of the weights.
enum class Reduction : uint8_t { sum_over_batch_size, sum, none, mean, mean_with_sample_weight };
constexpr auto value_names(Reduction) {
  return std::to_array<ValueName<Reduction>>({{"sum_over_batch_size", Reduction::sum_over_batch_size},
                                              {"sum", Reduction::sum},
                                              {"none", Reduction::none},
                                              {"mean", Reduction::mean},
                                              {"mean_with_sample_weight", Reduction::mean_with_sample_weight}});
}

// One value per sample, of shape (batch, d0, … dN-1), and optionally which of them count (as booleans).
struct SampleValues {
  SampleValues(Tensor each, Tensor counted = {}) : values(std::move(each)), mask(std::move(counted)) {}
  Tensor values, mask;
};

class Loss {
 public:
  // From y_true and y_pred; a function that returns a Tensor works, too.
  using Function = std::function<SampleValues(const Tensor&, const Tensor&)>;

  Loss() = default;             // none
  Loss(std::string_view name);  // throws InvalidArgument for an unknown one
  Loss(const char* name) : Loss(std::string_view(name)) {}
  Loss(const std::string& name) : Loss(std::string_view(name)) {}
  // `settings`: its arguments, for its config; empty for a user's function.
  Loss(std::string name, Function function, Reduction reduction = Reduction::sum_over_batch_size,
       Settings settings = {});
  static Loss from(const Settings& settings);

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const;
  bool made_by_name() const;  // for example Loss("mse")
  const Settings& settings() const;
  // Weights and mask (which values count) broadcast against the values; a last axis of size 1 may be missing or
  // added. If a mask leaves values out, the mean is that of the others. 16-bit predictions are widened first.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                    const Tensor& mask = {}) const {
    return reduce(y_true, y_pred, sample_weight, mask).value;
  }

  // The same with a count for combining batches: the mean over several batches is the mean of their values, weighted
  // by their counts. A sum has no count: sums add up.
  struct Reduced {
    Tensor value, count;
    bool by_rows = false;  // every row has the same weight
  };
  Reduced reduce(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                 const Tensor& mask = {}) const;

 private:
  struct Impl {
    std::string name;
    Function function;
    Reduction reduction;
    Settings settings = {};
    bool by_name = false;
  };
  std::shared_ptr<const Impl> impl_;
};

struct LossOptions {
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};

}  // namespace brio::nn
