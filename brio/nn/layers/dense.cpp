#include "brio/nn/layers/dense.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

Shape with_last(Shape shape, int64_t size) {
  shape.set(shape.rank() - 1, size);
  return shape;
}

void list_fields(Fields& f, int64_t& units, DenseOptions& o) {
  f("units", units);
  f("activation", o.activation);
  f("use_bias", o.use_bias);
  f("kernel_initializer", o.kernel_initializer);
  f("bias_initializer", o.bias_initializer);
  f("kernel_regularizer", o.kernel_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("activity_regularizer", o.activity_regularizer);
  f("kernel_constraint", o.kernel_constraint);
  f("bias_constraint", o.bias_constraint);
}

class DenseModule : public Module {
 public:
  DenseModule(int64_t units, DenseOptions options)
      : Module("dense", {.dtype = options.dtype, .name = options.name}), units_(units), options_(std::move(options)) {
    if (units <= 0) refuse(cat("units is ", units, "; a Dense layer needs one or more"));
    will_have_weights();
    supports_masking_ = true;
    activity_regularizer_ = options_.activity_regularizer;
  }

  std::string_view kind() const override { return "Dense"; }
  void describe(Fields& f) override { list_fields(f, units_, options_); }

  Variable kernel, bias;

 protected:
  void create_weights(const Shape& input) override {
    kernel = add_weight("kernel", {input[input.rank() - 1], units_},
                        {.initializer = options_.kernel_initializer,
                         .regularizer = options_.kernel_regularizer,
                         .constraint = options_.kernel_constraint});
    if (options_.use_bias)
      bias = add_weight("bias", {units_},
                        {.initializer = options_.bias_initializer,
                         .regularizer = options_.bias_regularizer,
                         .constraint = options_.bias_constraint});
  }

  void check_input(const Shape& input) const override {
    if (input.rank() < 2)
      refuse(cat("takes inputs of rank 2 or more, (batch, features), but got shape ", input,
                 "; add an axis with expand_dims(x, ", input[0] == units_ ? 0 : -1, ")"));
    if (built() && input[input.rank() - 1] != kernel.shape()[0])
      refuse(cat("was built for ", kernel.shape()[0], " features, but the input of shape ", input, " has ",
                 input[input.rank() - 1]));
  }

  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = cast(inputs, policy().compute());
    // More than two axes become rows: one product, and one for the gradient of the kernel.
    const int rank = x.rank();
    if (rank > 2) x = reshape(x, {-1, x.shape()[rank - 1]});
    Tensor z = matmul(x, kernel);
    if (options_.use_bias) z = z + bias;
    if (rank > 2) z = reshape(z, with_last(inputs.shape(), units_));
    return options_.activation(z);
  }

 private:
  int64_t units_;
  DenseOptions options_;
};

}  // namespace

Dense::Dense(int64_t units, DenseOptions options) : Layer(std::make_shared<DenseModule>(units, std::move(options))) {}
Variable Dense::kernel() const { return static_cast<DenseModule&>(*module_).kernel; }
Variable Dense::bias() const { return static_cast<DenseModule&>(*module_).bias; }
Layer Dense::from_config(Fields& f) {
  auto o = options_from<DenseOptions>(f);
  int64_t units = 0;
  list_fields(f, units, o);
  return Dense(units, o);
}

}  // namespace brio::nn
