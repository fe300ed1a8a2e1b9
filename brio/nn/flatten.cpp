#include "brio/nn/flatten.h"

#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

class FlattenModule : public Module {
 public:
  explicit FlattenModule(std::string name) : Module("flatten", std::move(name)) {}
  std::string_view kind() const override { return "Flatten"; }
  Shape output_shape(const Shape& input) const override {
    int64_t features = 1;
    for (int i = 1; i < input.rank(); ++i) features *= input[i];
    return {input[0], features};
  }

 protected:
  Tensor call(const Tensor& x, bool) override { return x.rank() == 2 ? x : reshape(x, output_shape(x.shape())); }
};

}  // namespace

Flatten::Flatten(LayerOptions options) : Layer(std::make_shared<FlattenModule>(std::move(options.name))) {}

}  // namespace brio::nn
