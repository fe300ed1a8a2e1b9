#include "brio/nn/dropout.h"

#include "brio/base/error.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/random.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

class DropoutModule : public Module {
 public:
  DropoutModule(double rate, DropoutOptions options) : Module("dropout", options.name), rate_(rate) {
    if (!(rate >= 0 && rate <= 1))
      throw InvalidArgument(cat("[", name(), "] the rate is ", rate, "; it is the share to drop, from 0 to 1"));
    if (options.seed) generator_.emplace(*options.seed);
  }
  std::string_view kind() const override { return "Dropout"; }
  Shape output_shape(const Shape& input) const override { return input; }

 protected:
  Tensor call(const Tensor& x, bool training) override {
    if (!training || rate_ == 0) return x;
    if (rate_ == 1) return zeros_like(x);
    const DType drawn = is_floating(x.dtype()) ? x.dtype() : f32;
    const Tensor unit =
        random::uniform(x.shape(), {.dtype = drawn, .generator = generator_ ? &*generator_ : nullptr});
    const Tensor keep = greater_equal(unit, constant(rate_, drawn));
    return select(keep, x * constant(1 / (1 - rate_), x.dtype()), constant(0, x.dtype()));
  }

 private:
  double rate_;
  std::optional<Generator> generator_;
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : Layer(std::make_shared<DropoutModule>(rate, std::move(options))) {}

}  // namespace brio::nn
