#include "brio/nn/layers/pooling.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/pooling.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

void check_rank(const Module& module, const Shape& input, int axes) {
  if (input.rank() != axes + 2)
    throw InvalidArgument(cat("[", module.name(), "] takes inputs of rank ", axes + 2,
                              ", batch, channels and spatial axes, but got shape ", input));
}

void list_fields(Fields& f, std::vector<int64_t>& window, PoolingOptions& o) {
  f("pool_size", window);
  f("padding", o.padding);
  f("strides", o.strides);
  f("data_format", o.data_format);
}
void list_fields(Fields& f, GlobalPoolingOptions& o) {
  f("data_format", o.data_format);
  f("keepdims", o.keepdims);
}

class PoolingModule : public Module {
 public:
  PoolingModule(int axes, bool is_max, const std::vector<int64_t>& pool_size, PoolingOptions options)
      : Module(cat(is_max ? "max" : "average", "_pooling", axes, "d"),
               {.dtype = options.dtype, .name = options.name}),
        kind_(cat(is_max ? "Max" : "Average", "Pooling", axes, "D")),
        axes_(axes),
        is_max_(is_max),
        options_(std::move(options)) {
    window_ = per_axis(op::max_pool, cat("[", name(), "] pool_size"), pool_size, axes);
    if (options_.strides.empty()) options_.strides = window_;
    options_.strides = per_axis(op::max_pool, cat("[", name(), "] strides"), options_.strides, axes);
    for (size_t i = 0; i < window_.size(); ++i)
      if (window_[i] < 1 || options_.strides[i] < 1)
        throw InvalidArgument(cat("[", name(), "] pool_size and strides must be ≥ 1, but are ", window_[i], " and ",
                                  options_.strides[i], " for axis ", i));
  }
  std::string_view kind() const override { return kind_; }
  void describe(Fields& f) override { list_fields(f, window_, options_); }

 protected:
  void check_input(const Shape& input) const override { check_rank(*this, input, axes_); }
  Tensor call(const Tensor& x, const Call&) override {
    const PoolOptions options{options_.strides, options_.padding, options_.data_format};
    return is_max_ ? max_pool(x, window_, options) : avg_pool(x, window_, options);
  }

 private:
  std::string kind_;
  int axes_;
  bool is_max_;
  std::vector<int64_t> window_;
  PoolingOptions options_;
};

class GlobalPoolingModule : public Module {
 public:
  GlobalPoolingModule(int axes, bool is_max, GlobalPoolingOptions options)
      : Module(cat("global_", is_max ? "max" : "average", "_pooling", axes, "d"),
               {.dtype = options.dtype, .name = options.name}),
        kind_(cat("Global", is_max ? "Max" : "Average", "Pooling", axes, "D")),
        axes_(axes),
        is_max_(is_max),
        options_(std::move(options)) {
    supports_masking_ = averages_steps();
  }
  std::string_view kind() const override { return kind_; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void check_input(const Shape& input) const override { check_rank(*this, input, axes_); }
  Tensor call(const Tensor& x, const Call& how) override {
    if (const Tensor mask = how.mask(); mask.defined() && averages_steps()) return masked_average(x, mask);
    return is_max_ ? global_max_pool(x, options_.keepdims, options_.data_format)
                   : global_avg_pool(x, options_.keepdims, options_.data_format);
  }

  Tensor compute_mask(const Tensor&, const Tensor&) const override { return {}; }

 private:
  bool averages_steps() const { return axes_ == 1 && !is_max_; }
  Tensor masked_average(const Tensor& x, const Tensor& mask) const {
    const int steps = options_.data_format == DataFormat::channels_last ? 1 : 2;
    const Tensor counts = expand_dims(cast(mask, x.dtype()), steps == 1 ? 2 : 1);
    return sum(x * counts, steps, options_.keepdims) / sum(counts, steps, options_.keepdims);
  }

  std::string kind_;
  int axes_;
  bool is_max_;
  GlobalPoolingOptions options_;
};

}  // namespace

#define BRIO_POOLING(Name, axes, is_max)                                                       \
  Name::Name(const std::vector<int64_t>& pool_size, PoolingOptions options)                    \
      : Layer(std::make_shared<PoolingModule>(axes, is_max, pool_size, std::move(options))) {} \
  Layer Name::from_config(Fields& f) {                                                         \
    auto options = options_from<PoolingOptions>(f);                                            \
    std::vector<int64_t> window = {2};                                                         \
    list_fields(f, window, options);                                                           \
    return Name(window, std::move(options));                                                   \
  }
BRIO_POOLING(MaxPooling1D, 1, true)
BRIO_POOLING(MaxPooling2D, 2, true)
BRIO_POOLING(MaxPooling3D, 3, true)
BRIO_POOLING(AveragePooling1D, 1, false)
BRIO_POOLING(AveragePooling2D, 2, false)
BRIO_POOLING(AveragePooling3D, 3, false)
#undef BRIO_POOLING

#define BRIO_GLOBAL_POOLING(Name, axes, is_max)                                           \
  Name::Name(GlobalPoolingOptions options)                                                \
      : Layer(std::make_shared<GlobalPoolingModule>(axes, is_max, std::move(options))) {} \
  Layer Name::from_config(Fields& f) {                                                    \
    auto options = options_from<GlobalPoolingOptions>(f);                                 \
    list_fields(f, options);                                                              \
    return Name(std::move(options));                                                      \
  }
BRIO_GLOBAL_POOLING(GlobalMaxPooling1D, 1, true)
BRIO_GLOBAL_POOLING(GlobalMaxPooling2D, 2, true)
BRIO_GLOBAL_POOLING(GlobalMaxPooling3D, 3, true)
BRIO_GLOBAL_POOLING(GlobalAveragePooling1D, 1, false)
BRIO_GLOBAL_POOLING(GlobalAveragePooling2D, 2, false)
BRIO_GLOBAL_POOLING(GlobalAveragePooling3D, 3, false)
#undef BRIO_GLOBAL_POOLING

}  // namespace brio::nn
