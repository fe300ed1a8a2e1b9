#include "brio/nn/dropout.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/random.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, double& rate, DropoutOptions& o) {
  f("rate", rate);
  f("seed", o.seed);
  f("noise_shape", o.noise_shape);
}

class DropoutModule : public Module {
 public:
  DropoutModule(double rate, DropoutOptions options)
      : Module("dropout", {.dtype = options.dtype, .name = options.name}), rate_(rate), options_(std::move(options)) {
    if (!(rate >= 0 && rate <= 1))
      throw InvalidArgument(cat("[", name(), "] the rate is ", rate, "; it is the share to drop, from 0 to 1"));
    if (options_.seed) generator_.emplace(*options_.seed);
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Dropout"; }
  void describe(Fields& f) override { list_fields(f, rate_, options_); }

 protected:
  Tensor call(const Tensor& x, const Call& how) override {
    if (!how.training || rate_ == 0) return x;
    if (rate_ == 1) return zeros_like(x);
    const DType drawn = is_floating(x.dtype()) ? x.dtype() : f32;
    const Tensor unit =
        random::uniform(noise_shape(x.shape()), {.dtype = drawn, .generator = generator_ ? &*generator_ : nullptr});
    const Tensor keep = greater_equal(unit, constant(rate_, drawn));
    return select(keep, x * constant(1 / (1 - rate_), x.dtype()), constant(0, x.dtype()));
  }

 private:
  Shape noise_shape(const Shape& input) const {
    if (options_.noise_shape.empty()) return input;
    Shape shape = input, both;
    if (static_cast<int>(options_.noise_shape.size()) == input.rank())
      for (int i = 0; i < input.rank(); ++i)
        if (const int64_t dim = options_.noise_shape[static_cast<size_t>(i)]; dim != kUnknown) shape.set(i, dim);
    if (static_cast<int>(options_.noise_shape.size()) != input.rank() || !broadcast(shape, input, both) ||
        !(both == input))
      throw InvalidArgument(cat("[", name(), "] noise_shape ", Spec(options_.noise_shape).str(),
                                " does not broadcast to the input's shape ", input));
    return shape;
  }

  double rate_;
  DropoutOptions options_;
  std::optional<Generator> generator_;
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : Layer(std::make_shared<DropoutModule>(rate, std::move(options))) {}
Layer Dropout::from_config(Fields& f) {
  auto o = options_from<DropoutOptions>(f);
  double rate = 0;
  list_fields(f, rate, o);
  return Dropout(rate, o);
}

}  // namespace brio::nn
