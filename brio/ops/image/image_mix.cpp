#include "brio/ops/image/image_mix.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::image {
namespace {

struct Labelled : Batch {
  Labelled(std::string_view name, const Tensor& x, const Tensor& given) : Batch(name, x), labels(given) {
    if (alone) throw_invalid(function, cat("mixes the pictures of a batch, but got shape ", x.shape()));
    if (!labels.defined()) throw_invalid(function, "the labels are none; give it a tensor");
    if (labels.rank() < 1 || labels.shape()[0] != count())
      throw_invalid(function, cat("labels are (", count(), ", …), as the pictures, but have shape ", labels.shape()));
    if (!is_floating(labels.dtype()))
      throw_invalid(function, cat("labels that are mixed are floating-point, not ", labels.dtype(),
                                  "; make class numbers one_hot, or cast them"));
  }
  void check_order(const Tensor& order) const {
    if (!order.defined()) throw_invalid(function, "the order is none; give it a tensor");
    if (order.rank() != 1 || order.shape()[0] != count() || !is_integer(order.dtype()))
      throw_invalid(function, cat("the order is integers of shape (", count(), ",), but is ", order.dtype(),
                                  " of shape ", order.shape()));
  }
  Tensor labels;
};

// weight · x + (1 - weight) · other, with a weight for each row.
Tensor blended(const Tensor& x, const Tensor& other, const Tensor& weights) {
  std::vector<int64_t> along(static_cast<size_t>(x.rank()), 1);
  along[0] = x.shape()[0];
  const Tensor w = reshape(cast(weights, x.dtype()), along);
  return w * x + (constant(1, x.dtype()) - w) * other;
}

random::Source next(random::Source source, uint64_t streams) {
  source.stream += streams;
  return source;
}

// Beta(alpha, alpha) from two gammas, as logarithms, since those of a small alpha are too small for float32: a gamma
// of alpha is one of alpha + 1 times u^(1/alpha). Takes two streams.
Tensor symmetric_beta(int64_t count, const Tensor& alpha, const random::Source& source) {
  const Tensor one = constant(1, f32);
  const Tensor larger = random::gamma({2, count}, alpha + one, {}, source);
  const Tensor u = one - uniform({2, count}, next(source, 1));
  const std::vector<Tensor> parts = unstack(log(larger) + log(u) / alpha);
  return sigmoid(parts[0] - parts[1]);
}

Tensor random_order(int64_t count, const random::Source& source) { return random::shuffle(iota(count, i32), source); }

}  // namespace

Mixed mixup(const Tensor& pictures, const Tensor& labels, const Tensor& weights, const Tensor& order) {
  const Labelled batch("image::mixup", pictures, labels);
  batch.check_order(order);
  if (!weights.defined()) throw_invalid(batch.function, "the weights are none; give it a tensor");
  if (weights.rank() != 1 || weights.shape()[0] != batch.count())
    throw_invalid(batch.function, cat("the weights are (", batch.count(), ",), but have shape ", weights.shape()));
  const Tensor x = as_floats(pictures), rows = cast(order, i32);
  return {blended(x, gather(x, rows), weights), blended(labels, gather(labels, rows), weights)};
}

Mixed random_mixup(const Tensor& pictures, const Tensor& labels, double alpha, random::Source source) {
  const Labelled batch("image::random_mixup", pictures, labels);
  if (!(alpha > 0 && std::isfinite(alpha)))
    throw_invalid(batch.function, cat("alpha is ", alpha, "; it must be above 0"));
  return mixup(pictures, labels, symmetric_beta(batch.count(), constant(alpha, f32), source),
               random_order(batch.count(), next(source, 2)));
}

Mixed cutmix(const Tensor& pictures, const Tensor& labels, const Tensor& boxes, const Tensor& order) {
  const Labelled batch("image::cutmix", pictures, labels);
  batch.check_order(order);
  const int64_t n = batch.count(), height = batch.height(), width = batch.width();
  const std::vector<Tensor> sides = unstack(broadcast_to(rows_of(batch, "boxes", boxes, 4), {n, 4}), 1);
  auto within = [](const Tensor& begin, const Tensor& end, int64_t size) {  // (n, size)
    const Tensor at = reshape(iota(size, f32), {1, size});
    return logical_and(greater_equal(at, expand_dims(begin, 1)), less(at, expand_dims(end, 1)));
  };
  const Tensor inside = logical_and(reshape(within(sides[0], sides[2], height), {n, height, 1, 1}),
                                    reshape(within(sides[1], sides[3], width), {n, 1, width, 1}));
  const Tensor rows = cast(order, i32);
  const Tensor area = (sides[2] - sides[0]) * (sides[3] - sides[1]);
  const Tensor kept = constant(1, f32) - area / constant(std::max<int64_t>(1, height * width), f32);
  return {select(inside, gather(pictures, rows), pictures), blended(labels, gather(labels, rows), kept)};
}

Mixed random_cutmix(const Tensor& pictures, const Tensor& labels, CutMixOptions o, random::Source source) {
  const Labelled batch("image::random_cutmix", pictures, labels);
  if (!(o.factor_low >= 0 && o.factor_low <= o.factor_high && o.factor_high <= 1))
    throw_invalid(batch.function, cat("the factor goes from ", o.factor_low, " to ", o.factor_high,
                                      "; it lies in [0, 1], the smaller number first"));
  auto number = [](double value) { return constant(value, f32); };
  const int64_t n = batch.count();
  // Keras adds 1e-6, so that the distribution exists at 0.
  const Tensor alpha = number(o.factor_low + 1e-6) + uniform({}, source) * number(o.factor_high - o.factor_low);
  const Tensor kept = symmetric_beta(n, alpha, next(source, 1));
  const Tensor share = sqrt(maximum(number(1) - kept, number(0)));
  const std::vector<Tensor> places = unstack(uniform({2, n}, next(source, 3)));
  auto side = [&](const Tensor& place, int64_t size) {
    const Tensor length = share * constant(size, f32), begin = place * (constant(size, f32) - length);
    return std::pair(begin, begin + length);
  };
  const auto [top, bottom] = side(places[0], batch.height());
  const auto [left, right] = side(places[1], batch.width());
  return cutmix(pictures, labels, stack({top, left, bottom, right}, 1), random_order(n, next(source, 4)));
}

}  // namespace brio::image
