#include "brio/nn/dense.h"

#include "brio/base/error.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/products.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

Shape with_last(Shape shape, int64_t size) {
  shape.set(shape.rank() - 1, size);
  return shape;
}

class DenseModule : public Module {
 public:
  DenseModule(int64_t units, DenseOptions options)
      : Module("dense", options.name), units_(units), options_(std::move(options)) {
    if (units <= 0)
      throw InvalidArgument(cat("[", name(), "] units is ", units, "; a Dense layer needs one or more"));
    if (!is_floating(options_.dtype))
      throw InvalidArgument(cat("[", name(), "] weights cannot be ", options_.dtype, "; use a floating-point dtype"));
    has_weights_ = true;
  }

  std::string_view kind() const override { return "Dense"; }
  Shape output_shape(const Shape& input) const override {
    return options_.activation.output_shape(with_last(input, units_));
  }

  Variable kernel, bias;

 protected:
  void create_weights(const Shape& input) override {
    kernel =
        add_weight("kernel", {input[input.rank() - 1], units_}, options_.kernel_initializer, true, options_.dtype);
    if (options_.use_bias) bias = add_weight("bias", {units_}, options_.bias_initializer, true, options_.dtype);
  }

  void check_input(const Shape& input) const override {
    if (input.rank() < 2)
      throw InvalidArgument(cat("[", name(), "] takes inputs of rank 2 or more, (batch, features), but got shape ",
                                input, "; add an axis with expand_dims(x, ", input[0] == units_ ? 0 : -1, ")"));
    if (built() && input[input.rank() - 1] != kernel.shape()[0])
      throw InvalidArgument(cat("[", name(), "] was built for ", kernel.shape()[0],
                                " features, but the input of shape ", input, " has ", input[input.rank() - 1]));
  }

  Tensor call(const Tensor& inputs, bool) override {
    Tensor x = inputs.dtype() == options_.dtype ? inputs : cast(inputs, options_.dtype);
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

}  // namespace brio::nn
