#include "brio/nn/layers/flatten.h"

#include "brio/nn/config.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

class FlattenModule : public Module {
 public:
  explicit FlattenModule(const FlattenOptions& o)
      : Module("flatten", {.dtype = o.dtype, .name = o.name}), data_format_(o.data_format) {}
  std::string_view kind() const override { return "Flatten"; }
  void describe(Fields& f) override { f("data_format", data_format_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    if (x.rank() == 2) return x;
    Size features = 1;
    for (int i = 1; i < x.rank(); ++i) features *= x.shape()[i];
    return reshape(x.rank() > 2 ? to_channels_last(x, data_format_) : x, {x.shape()[0], features});
  }

 private:
  DataFormat data_format_;
};

}  // namespace

Flatten::Flatten(FlattenOptions options) : Layer(std::make_shared<FlattenModule>(options)) {}
Layer Flatten::from_config(Fields& f) {
  auto o = options_from<FlattenOptions>(f);
  f("data_format", o.data_format);
  return Flatten(o);
}

}  // namespace brio::nn
