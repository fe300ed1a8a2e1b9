#include "brio/ops/elementwise/maths.h"

#include <limits>
#include <numbers>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

Tensor is_zero(const Tensor& x) { return equal(x, like(x, 0)); }
Tensor signs_differ(const Tensor& x, const Tensor& y) { return not_equal(less(x, like(x, 0)), less(y, like(y, 0))); }

[[noreturn]] void refuse(std::string_view function, const std::string& why) {
  throw InvalidArgument(cat("[", function, "] ", why));
}
// What is asked of operands before an op sees them.
void check_given(std::string_view function, std::initializer_list<Tensor> inputs) {
  for (int i = 0; const Tensor& x : inputs) {
    if (!x.defined()) refuse(function, cat("input ", i, " is none; give it a tensor"));
    ++i;
  }
}
void check_floating(std::string_view function, std::initializer_list<Tensor> inputs) {
  check_given(function, inputs);
  for (const Tensor& x : inputs)
    if (!is_floating(x.dtype()))
      refuse(function, cat("takes floating-point tensors, but got ", x.dtype(), "; cast it first"));
}
// An input of the plan, not part of it.
Tensor number(Scalar value, DType dtype) { return host_scalar(value.bits_as(dtype), dtype); }

}  // namespace

// An operand that could make the result infinite or NaN is replaced before it is used: so its gradient is 0 as well,
// where a product with 0 could be NaN.
Tensor xlogy(const Tensor& x, const Tensor& y) {
  check_floating("xlogy", {x, y});
  return x * log(select(is_zero(x), like(y, 1), y));
}
Tensor xlog1py(const Tensor& x, const Tensor& y) {
  check_floating("xlog1py", {x, y});
  return x * log1p(select(is_zero(x), like(y, 0), y));
}
Tensor xdivy(const Tensor& x, const Tensor& y) {
  check_floating("xdivy", {x, y});
  const Tensor zero = is_zero(x);
  return select(zero, like(x, 0), x / select(zero, like(y, 1), y));
}
Tensor multiply_no_nan(const Tensor& x, const Tensor& y) {
  check_floating("multiply_no_nan", {x, y});
  // Where y is 0 its gradient is still x: only what is not finite is replaced.
  return select(logical_and(is_zero(y), logical_not(is_finite(x))), like(x, 0), x) * y;
}
Tensor divide_no_nan(const Tensor& x, const Tensor& y) {
  check_floating("divide_no_nan", {x, y});
  const Tensor zero = is_zero(y);
  return select(zero, like(x, 0), x / select(zero, like(y, 1), y));
}
Tensor reciprocal_no_nan(const Tensor& x) {
  check_floating("reciprocal_no_nan", {x});
  return divide_no_nan(like(x, 1), x);
}

Tensor rint(const Tensor& x) { return round(x); }
Tensor trunc(const Tensor& x) {
  check_given("trunc", {x});
  if (is_integer(x.dtype())) return x;
  return select(less(x, like(x, 0)), ceil(x), floor(x));
}
Tensor floordiv(const Tensor& x, const Tensor& y) { return floor_div(x, y); }
Tensor floormod(const Tensor& x, const Tensor& y) { return mod(x, y); }
Tensor truncatediv(const Tensor& x, const Tensor& y) {
  check_given("truncatediv", {x, y});
  if (is_floating(x.dtype())) return trunc(x / y);
  check_divisors("truncatediv", x, y);
  const Tensor up = logical_and(not_equal(mod(x, y), like(x, 0)), signs_differ(x, y));
  return floor_div(x, y) + cast(up, x.dtype());
}
Tensor truncatemod(const Tensor& x, const Tensor& y) {
  check_given("truncatemod", {x, y});
  if (is_floating(x.dtype())) {  // adding y and taking it away again would round
    const Tensor remainder = mod(abs(x), abs(y));
    return select(less(x, like(x, 0)), neg(remainder), remainder);
  }
  check_divisors("truncatemod", x, y);
  const Tensor remainder = mod(x, y);
  const Tensor other_sign = logical_and(not_equal(remainder, like(x, 0)), signs_differ(x, y));
  return select(other_sign, remainder - y, remainder);
}

Tensor exp2(const Tensor& x) {
  check_floating("exp2", {x});
  return pow(like(x, 2), x);
}
Tensor log2(const Tensor& x) {
  check_floating("log2", {x});
  return log(x) / like(x, std::numbers::ln2);
}
Tensor log10(const Tensor& x) {
  check_floating("log10", {x});
  return log(x) / like(x, std::numbers::ln10);
}
Tensor hypot(const Tensor& x, const Tensor& y) {
  check_floating("hypot", {x, y});
  const Tensor a = abs(x), b = abs(y), most = maximum(a, b);
  const Tensor length = most * sqrt(like(x, 1) + square(divide_no_nan(minimum(a, b), most)));
  const Tensor infinite = equal(most, like(x, std::numeric_limits<double>::infinity()));  // ∞ / ∞ is NaN
  return select(infinite, most, length);
}
Tensor logaddexp(const Tensor& x, const Tensor& y) {
  check_floating("logaddexp", {x, y});
  const Tensor difference = x - y;
  return select(is_nan(difference), x + y, maximum(x, y) + log1p(exp(neg(abs(difference)))));  // NaN: ∞ - ∞
}
Tensor erfcinv(const Tensor& x) {
  check_floating("erfcinv", {x});
  return ndtri(x * like(x, 0.5)) * like(x, -std::numbers::sqrt2 / 2);
}
Tensor deg2rad(const Tensor& x) {
  check_floating("deg2rad", {x});
  return x * like(x, std::numbers::pi / 180);
}
Tensor rad2deg(const Tensor& x) {
  check_floating("rad2deg", {x});
  return x * like(x, 180 / std::numbers::pi);
}

Tensor polyval(std::span<const Tensor> coefficients, const Tensor& x) {
  if (coefficients.empty()) return zeros_like(x);
  Tensor result = coefficients[0];
  for (const Tensor& c : coefficients.subspan(1)) result = c + result * x;
  return result;
}

Tensor nan_to_num(const Tensor& x, double nan) {
  check_floating("nan_to_num", {x});
  const double largest = x.dtype() == f64   ? std::numeric_limits<double>::max()
                         : x.dtype() == f32 ? double{std::numeric_limits<float>::max()}
                         : x.dtype() == f16 ? 65504
                                            : 0x1.fep127;
  const Tensor infinity = like(x, std::numeric_limits<double>::infinity()), most = like(x, largest);
  const Tensor number = select(is_nan(x), like(x, nan), x);
  return select(equal(number, infinity), most, select(equal(number, neg(infinity)), neg(most), number));
}

Tensor bitwise_not(const Tensor& x) {
  check_given("bitwise_not", {x});
  const DType dtype = x.dtype();
  if (!is_integer(dtype)) refuse("bitwise_not", cat("takes integer tensors, but got ", dtype, "; cast it first"));
  const uint64_t ones = ~uint64_t{0} >> (64 - 8 * size_of(dtype));
  return bitwise_xor(x, is_signed(dtype) ? constant(-1, dtype) : constant(ones, dtype));
}

Tensor clip_by_value(const Tensor& x, const Tensor& low, const Tensor& high) {
  Tensor result = minimum(maximum(x, low), high);
  if (result.shape() != x.shape())
    refuse("clip_by_value", cat("the limits have shapes ", low.shape(), " and ", high.shape(),
                                ", which do not broadcast to ", x.shape(), "; reshape them"));
  return result;
}
Tensor clip_by_value(const Tensor& x, Scalar low, Scalar high) {
  check_given("clip_by_value", {x});
  return minimum(maximum(x, low), high);
}

Tensor clip_by_norm(const Tensor& x, const Tensor& clip_norm, const Axes& axes) {
  check_floating("clip_by_norm", {x, clip_norm});
  const Tensor squares = sum(square(x), axes, true), some = greater(squares, like(x, 0));
  // The root of 0 has no gradient.
  const Tensor length = select(some, sqrt(select(some, squares, like(x, 1))), squares);
  return x * clip_norm / maximum(length, clip_norm);
}
Tensor clip_by_norm(const Tensor& x, Scalar clip_norm, const Axes& axes) {
  check_floating("clip_by_norm", {x});
  return clip_by_norm(x, number(clip_norm, x.dtype()), axes);
}

Tensor global_norm(std::span<const Tensor> tensors) {
  Tensor squares;
  for (const Tensor& x : tensors) {
    if (!x.defined()) continue;
    check_floating("global_norm", {x});
    squares = squares.defined() ? squares + cast(sum(square(x)), squares.dtype()) : sum(square(x));
  }
  if (!squares.defined()) refuse("global_norm", "got no tensor; give it one or more that are not none");
  return sqrt(squares);
}

ClippedByGlobalNorm clip_by_global_norm(std::span<const Tensor> tensors, const Tensor& clip_norm) {
  ClippedByGlobalNorm result{{}, global_norm(tensors)};
  const Tensor& norm = result.norm;
  const Tensor one = like(norm, 1);
  const Tensor finite = clip_norm * minimum(one / norm, one / clip_norm);
  const Tensor scale = finite + (norm - norm);  // NaN for a norm that is not finite
  for (const Tensor& x : tensors) result.tensors.push_back(x.defined() ? x * cast(scale, x.dtype()) : x);
  return result;
}
ClippedByGlobalNorm clip_by_global_norm(std::span<const Tensor> tensors, Scalar clip_norm) {
  const DType dtype = global_norm(tensors).dtype();
  return clip_by_global_norm(tensors, number(clip_norm, dtype));
}

}  // namespace brio
