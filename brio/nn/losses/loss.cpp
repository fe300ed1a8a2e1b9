#include "brio/nn/losses/loss.h"

#include "brio/base/error.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {
namespace {

bool is_mean(Reduction reduction) {
  return reduction == Reduction::mean || reduction == Reduction::sum_over_batch_size;
}

Loss::Reduced reduced(const Tensor& values, const Tensor& weight, const Tensor& valid, Reduction reduction) {
  if (reduction == Reduction::none) return {values, {}, false};
  if (reduction == Reduction::sum) return {values.rank() == 0 ? values : sum(values), {}, false};
  if (reduction == Reduction::mean_with_sample_weight && weight.defined() && values.rank() > 0) {
    const Tensor total = sum(weight);
    return {divide_no_nan(sum(values), total), total, false};
  }
  const Tensor count = valid.defined() ? valid : constant(values.size(), values.dtype());
  const bool by_rows = !valid.defined();
  if (values.rank() == 0) return {values, count, by_rows};
  return {values.size() == 0 ? sum(values) : mean(values), count, by_rows};
}

bool is_narrow(const Tensor& x) { return x.defined() && (x.dtype() == bf16 || x.dtype() == f16); }

}  // namespace

Loss::Loss(std::string name, Function function, Reduction reduction, Settings settings) {
  for (auto& [key, value] : settings.values)
    if (key == "name") value = name;
  impl_ = std::make_shared<const Impl>(Impl{std::move(name), std::move(function), reduction, std::move(settings)});
  if (!impl_->function) throw InvalidArgument(cat("[", impl_->name, "] the function is none; give it one"));
}

const std::string& Loss::name() const {
  static const std::string none = "none";
  return impl_ ? impl_->name : none;
}

bool Loss::made_by_name() const { return impl_ && impl_->by_name; }
const Settings& Loss::settings() const {
  static const Settings none;
  return impl_ ? impl_->settings : none;
}

Loss::Reduced Loss::reduce(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                           const Tensor& mask) const {
  if (!impl_) throw InvalidArgument("[loss] this loss is none; name one, such as \"mse\"");
  const Reduction reduction = impl_->reduction;
  const auto [values, own_mask] = impl_->function(y_true, is_narrow(y_pred) ? cast(y_pred, f32) : y_pred);
  const DType dtype = values.dtype();
  Tensor weight = sample_weight.defined() ? cast(sample_weight, dtype) : Tensor(), valid;
  if (mask.defined() || own_mask.defined()) {
    const Tensor both = both_masks(impl_->name, mask, own_mask);
    Tensor counts = cast(both, dtype);
    // What is left counts for all: the mean over everything is then the mean over what is left.
    valid = sum(counts);
    if (is_mean(reduction)) counts = counts * divide_no_nan(constant(both.size(), dtype), valid);
    weight = with_mask(impl_->name, weight, counts);
  }
  if (!weight.defined()) return reduced(values, {}, {}, reduction);
  const auto [v, w] = to_same_rank(values, weight);
  Shape both;
  if (!broadcast(v.shape(), w.shape(), both))
    throw InvalidArgument(cat("[", impl_->name, "] ", sample_weight.defined() ? "sample_weight" : "the mask",
                              " has shape ", sample_weight.defined() ? sample_weight.shape() : weight.shape(),
                              ", but there are losses of shape ", values.shape(), "; give one weight for each"));
  return reduced(v * w, w, valid, reduction);
}

}  // namespace brio::nn
