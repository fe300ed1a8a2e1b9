#include "brio/ops/elementwise/elementwise.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/strings.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

// Which dtypes an op takes.
enum class Takes { any, numbers, floats, wide_floats, signed_numbers, integers, bools };

bool takes(Takes what, DType dtype) {
  switch (what) {
    case Takes::any: return true;
    case Takes::numbers: return dtype != boolean;
    case Takes::floats: return is_floating(dtype);
    case Takes::wide_floats: return dtype == f32 || dtype == f64;
    case Takes::signed_numbers: return is_signed(dtype);
    case Takes::integers: return is_integer(dtype);
    case Takes::bools: return dtype == boolean;
  }
  return false;
}
constexpr std::string_view kTakesText[] = {
    "any dtype",       "numbers",     "floating-point tensors", "float32 and float64 tensors", "signed numbers",
    "integer tensors", "bool tensors"};

void check_dtype(const OpDef& op, Takes what, DType dtype) {
  if (is_complex(dtype)) return;  // the row says so
  if (!takes(what, dtype))
    throw_invalid(op, cat("takes ", kTakesText[static_cast<int>(what)], ", but got ", dtype, "; cast it first"));
}

template <Takes what, bool to_bool = false>
void infer_unary(const OpCall& call, std::vector<Aval>& out) {
  check_dtype(call.op, what, call.in[0]->dtype);
  out.push_back({call.in[0]->shape, to_bool ? boolean : call.in[0]->dtype});
}

void infer_abs(const OpCall& call, std::vector<Aval>& out) {
  infer_unary<Takes::numbers>(call, out);
  out[0].dtype = real_dtype(out[0].dtype);
}

template <Takes what, bool to_bool = false>
void infer_binary(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = *call.in[0], &b = *call.in[1];
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the operands have dtypes ", a.dtype, " and ", b.dtype,
                               "; tensors are not promoted: cast one of them"));
  check_dtype(call.op, what, a.dtype);
  Aval& result = out.emplace_back();
  result.dtype = to_bool ? boolean : a.dtype;
  result.shape = a.shape;
  if (a.shape == b.shape) [[likely]]
    return;
  if (!broadcast(a.shape, b.shape, result.shape))
    throw_invalid(call.op, cat("shapes ", a.shape, " and ", b.shape,
                               " do not broadcast: sizes must be equal or 1 from the right"));
  checked_shape(call.op, result.shape.dims());
}

void infer_constant(const OpCall& call, std::vector<Aval>& out) {
  if (call.attrs[0] < 0 || call.attrs[0] >= kRealDTypeCount)
    throw_invalid(call.op, cat("no dtype has number ", call.attrs[0]));
  out.push_back({Shape(), static_cast<DType>(call.attrs[0])});
}

void infer_select(const OpCall& call, std::vector<Aval>& out) {
  const Aval &condition = *call.in[0], &a = *call.in[1], &b = *call.in[2];
  if (condition.dtype != boolean) throw_invalid(call.op, cat("the condition must be bool, but is ", condition.dtype));
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the branches have dtypes ", a.dtype, " and ", b.dtype, "; cast one of them"));
  Shape both;
  Aval& result = out.emplace_back();
  result.dtype = a.dtype;
  if (!broadcast(a.shape, b.shape, both) || !broadcast(both, condition.shape, result.shape))
    throw_invalid(call.op, cat("shapes ", condition.shape, ", ", a.shape, " and ", b.shape,
                               " do not broadcast: sizes must be equal or 1 from the right"));
  checked_shape(call.op, result.shape.dims());
}

void infer_cast(const OpCall& call, std::vector<Aval>& out) {
  if (call.attrs[0] < 0 || call.attrs[0] >= static_cast<int64_t>(DType::string))
    throw_invalid(call.op, cat("no dtype has number ", call.attrs[0]));
  out.push_back({call.in[0]->shape, static_cast<DType>(call.attrs[0])});
}

Tensor unary(const OpDef& op, const Tensor& x) { return record(op, {}, x); }

// Sets the gradient of a broadcast operand: what was repeated is summed.
void set_broadcast(GradContext& g, size_t input, const Tensor& gradient) {
  g.set(input, sum_to(gradient, g.in[input].shape()));
}

Tensor zeros_where_not(const Tensor& condition, const Tensor& gradient) {
  return select(condition, gradient, constant(0, gradient.dtype()));
}

// Gradient rules. c is the cotangent of the output, x and y the inputs, z the output.
#define RULE(name) void name([[maybe_unused]] GradContext& g)
#define X g.in[0]
#define Y g.in[1]
#define Z g.out[0]
#define C g.cotangent()
RULE(grad_neg) { g.set(0, neg(C)); }
RULE(grad_abs) {
  if (!is_complex(X.dtype())) return g.set(0, C * sign(X));
  // Where x is 0 the quotient has no value: TensorFlow takes 0.
  const Tensor zero = equal(Z, like(Z, 0));
  g.set(0, cast(select(zero, like(C, 0), C / select(zero, like(Z, 1), Z)), X.dtype()) * X);
}
RULE(grad_zero) { g.set(0, zeros_like(X)); }
RULE(grad_none) { (void)g; }  // as TensorFlow: not zeros, but nothing to follow
RULE(grad_exp) { g.set(0, C * conj(Z)); }
RULE(grad_expm1) { g.set(0, C * exp(X)); }
RULE(grad_log) { g.set(0, C / conj(X)); }
RULE(grad_log1p) { g.set(0, C / add(X, like(X, 1))); }
RULE(grad_sqrt) { g.set(0, C * like(X, 0.5) / conj(Z)); }
RULE(grad_rsqrt) { g.set(0, C * like(X, -0.5) * Z / X); }
RULE(grad_square) { g.set(0, C * conj(add(X, X))); }
RULE(grad_reciprocal) { g.set(0, neg(C * conj(square(Z)))); }
RULE(grad_sin) { g.set(0, C * conj(cos(X))); }
RULE(grad_cos) { g.set(0, neg(C * conj(sin(X)))); }
RULE(grad_tan) { g.set(0, C * add(like(X, 1), square(Z))); }
RULE(grad_asin) { g.set(0, C / sqrt(sub(like(X, 1), square(X)))); }
RULE(grad_acos) { g.set(0, neg(C / sqrt(sub(like(X, 1), square(X))))); }
RULE(grad_atan) { g.set(0, C / add(like(X, 1), square(X))); }
RULE(grad_sinh) { g.set(0, C * cosh(X)); }
RULE(grad_cosh) { g.set(0, C * sinh(X)); }
RULE(grad_asinh) { g.set(0, C / cosh(Z)); }  // sqrt(1 + x²) would overflow
RULE(grad_acosh) { g.set(0, C / sinh(Z)); }
RULE(grad_atanh) { g.set(0, C / sub(like(X, 1), square(X))); }
RULE(grad_tanh) { g.set(0, C * conj(sub(like(X, 1), square(Z)))); }
RULE(grad_sigmoid) { g.set(0, C * (Z * sub(like(X, 1), Z))); }
RULE(grad_softplus) { g.set(0, C * sigmoid(X)); }
RULE(grad_erf) { g.set(0, C * (like(X, 1.1283791670955126) * exp(neg(square(X))))); }  // 2/√π
RULE(grad_erfc) { g.set(0, C * (like(X, -1.1283791670955126) * exp(neg(square(X))))); }
RULE(grad_erfinv) { g.set(0, C * (like(X, 0.88622692545275801) * exp(square(Z)))); }               // √π/2
RULE(grad_ndtr) { g.set(0, C * (like(X, 0.3989422804014327) * exp(like(X, -0.5) * square(X)))); }  // 1/√2π
RULE(grad_ndtri) { g.set(0, C * (like(X, 2.5066282746310005) * exp(like(X, 0.5) * square(Z)))); }  // √2π
RULE(grad_lgamma) { g.set(0, C * digamma(X)); }
RULE(grad_bessel_i0) { g.set(0, C * bessel_i1(X)); }
RULE(grad_bessel_i1) {  // I₁(x)/x tends to ½ at 0, where TensorFlow says 1
  const Tensor zero = equal(X, like(X, 0));
  g.set(0, C * select(zero, like(X, 0.5), bessel_i0(X) - bessel_i1(X) / select(zero, like(X, 1), X)));
}
RULE(grad_digamma) { g.set(0, C * polygamma(like(X, 1), X)); }
RULE(grad_relu) { g.set(0, zeros_where_not(greater(Z, like(Z, 0)), C)); }
RULE(grad_add) {
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, C);
}
RULE(grad_sub) {
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, neg(C));
}
RULE(grad_mul) {
  if (g.needs(0)) set_broadcast(g, 0, C * conj(Y));
  if (g.needs(1)) set_broadcast(g, 1, C * conj(X));
}
RULE(grad_div) {
  if (g.needs(0)) set_broadcast(g, 0, C / conj(Y));
  if (g.needs(1)) set_broadcast(g, 1, neg(C * conj(Z)) / conj(Y));
}
RULE(grad_mod) {  // x - y·floor(x/y)
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, neg(C * floor(X / Y)));
}
RULE(grad_pow) {
  if (g.needs(0)) set_broadcast(g, 0, C * conj(Y * pow(X, sub(Y, like(Y, 1)))));
  if (g.needs(1)) {  // log of a base that is not positive (complex: that is 0) has no use here: TensorFlow takes 0
    const Tensor has_log = is_complex(X.dtype()) ? not_equal(X, like(X, 0)) : greater(X, like(X, 0));
    const Tensor safe = select(has_log, X, like(X, 1));
    set_broadcast(g, 1, C * conj(Z * log(safe)));
  }
}
// Where the operands are equal TensorFlow's maximum and minimum send the gradient to the first.
RULE(grad_max) {
  const Tensor first = greater_equal(X, Y);
  if (g.needs(0)) set_broadcast(g, 0, zeros_where_not(first, C));
  if (g.needs(1)) set_broadcast(g, 1, select(first, constant(0, C.dtype()), C));
}
RULE(grad_min) {
  const Tensor first = less_equal(X, Y);
  if (g.needs(0)) set_broadcast(g, 0, zeros_where_not(first, C));
  if (g.needs(1)) set_broadcast(g, 1, select(first, constant(0, C.dtype()), C));
}
RULE(grad_atan2) {  // atan2(x, y)
  const Tensor scaled = C / add(square(X), square(Y));
  if (g.needs(0)) set_broadcast(g, 0, scaled * Y);
  if (g.needs(1)) set_broadcast(g, 1, neg(scaled * X));
}
RULE(grad_squared_difference) {
  const Tensor difference = sub(X, Y);
  const Tensor twice = C * add(difference, difference);
  if (g.needs(0)) set_broadcast(g, 0, twice);
  if (g.needs(1)) set_broadcast(g, 1, neg(twice));
}
RULE(grad_polygamma) {  // in its order it is not differentiable
  if (g.needs(1)) set_broadcast(g, 1, C * polygamma(add(X, like(X, 1)), Y));
}
RULE(grad_nextafter) {  // a step of one unit, whose direction y gives
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) g.set(1, zeros_like(Y));
}
RULE(grad_select) {
  const Tensor zero = constant(0, C.dtype());
  if (g.needs(1)) set_broadcast(g, 1, select(X, C, zero));
  if (g.needs(2)) set_broadcast(g, 2, select(X, zero, C));
}
RULE(grad_cast) {
  if (has_gradients(X.dtype()) && has_gradients(Z.dtype())) g.set(0, cast(C, X.dtype()));
}
#undef RULE
#undef X
#undef Y
#undef Z
#undef C

constexpr AttrSpec kConstantAttrs[] = {{"dtype", AttrKind::dtype}, {"bits", AttrKind::integer}};
constexpr AttrSpec kCastAttrs[] = {{"dtype", AttrKind::dtype}};
constexpr std::string_view kBoolResult = "its result is bool", kIntegers = "it works on bits";

}  // namespace

namespace op {

const OpDef constant{.name = "constant",
                     .summary = "one number, part of the plan's structure",
                     .kind = OpKind::constant,
                     .min_inputs = 0,
                     .max_inputs = 0,
                     .attrs = kConstantAttrs,
                     .infer = infer_constant,
                     .no_grad = "it has no inputs",
                     .cost = free_cost};

// What follows the flops says which dtypes the row takes beyond the real ones.
#define UNARY(ident, what, takes_, grad_, needs, flops, ...) \
  const OpDef ident{.name = #ident,                          \
                    .summary = what,                         \
                    .kind = OpKind::elementwise,             \
                    .min_inputs = 1,                         \
                    .max_inputs = 1,                         \
                    .infer = infer_unary<Takes::takes_>,     \
                    .grad = grad_,                           \
                    .cost = elementwise_cost<flops>,         \
                    .grad_needs = needs,                     \
                    .also_takes = 0 __VA_OPT__(|) __VA_ARGS__};
UNARY(neg, "-x", signed_numbers, grad_neg, kNeedsNothing, 1, kComplex)
const OpDef abs{.name = "abs",
                .summary = "|x|",
                .kind = OpKind::elementwise,
                .min_inputs = 1,
                .max_inputs = 1,
                .infer = infer_abs,
                .grad = grad_abs,
                .cost = elementwise_cost<1>,
                .grad_needs = kNeedsFirst | kNeedsOutput,
                .also_takes = kComplex};
UNARY(sign, "-1, 0 or 1; NaN stays", numbers, grad_zero, kNeedsNothing, 1)
UNARY(exp, "e to the x", floats, grad_exp, kNeedsOutput, 10, kComplex)
UNARY(expm1, "exp(x) - 1, exact near 0", floats, grad_expm1, kNeedsFirst, 12)
UNARY(log, "natural logarithm", floats, grad_log, kNeedsFirst, 10, kComplex)
UNARY(log1p, "log(1 + x), exact near 0", floats, grad_log1p, kNeedsFirst, 12)
UNARY(sqrt, "square root", floats, grad_sqrt, kNeedsOutput, 4, kComplex)
UNARY(rsqrt, "1 / sqrt(x)", floats, grad_rsqrt, kNeedsFirst | kNeedsOutput, 5)
UNARY(square, "x * x", numbers, grad_square, kNeedsFirst, 1, kComplex)
UNARY(reciprocal, "1 / x", floats, grad_reciprocal, kNeedsOutput, 4, kComplex)
UNARY(sin, "sine of radians", floats, grad_sin, kNeedsFirst, 12, kComplex)
UNARY(cos, "cosine of radians", floats, grad_cos, kNeedsFirst, 12, kComplex)
UNARY(tan, "tangent of radians", floats, grad_tan, kNeedsOutput, 20)
UNARY(asin, "arc sine, in radians", floats, grad_asin, kNeedsFirst, 20)
UNARY(acos, "arc cosine, in radians", floats, grad_acos, kNeedsFirst, 20)
UNARY(atan, "arc tangent, in radians", floats, grad_atan, kNeedsFirst, 20)
UNARY(sinh, "hyperbolic sine", floats, grad_sinh, kNeedsFirst, 16)
UNARY(cosh, "hyperbolic cosine", floats, grad_cosh, kNeedsFirst, 16)
UNARY(asinh, "inverse hyperbolic sine", floats, grad_asinh, kNeedsOutput, 24)
UNARY(acosh, "inverse hyperbolic cosine; NaN below 1", floats, grad_acosh, kNeedsOutput, 24)
UNARY(atanh, "inverse hyperbolic tangent; NaN beyond 1", floats, grad_atanh, kNeedsFirst, 24)
UNARY(tanh, "hyperbolic tangent", floats, grad_tanh, kNeedsOutput, 14, kComplex)
UNARY(sigmoid, "1 / (1 + exp(-x))", floats, grad_sigmoid, kNeedsOutput, 14)
UNARY(softplus, "log(1 + exp(x)), without overflow", floats, grad_softplus, kNeedsFirst, 20)
UNARY(erf, "error function", floats, grad_erf, kNeedsFirst, 16)
UNARY(erfc, "1 - erf(x), exact where that is small", floats, grad_erfc, kNeedsFirst, 26)
UNARY(erfinv, "inverse of erf; NaN beyond 1", floats, grad_erfinv, kNeedsOutput, 50)
UNARY(ndtr, "the standard normal distribution up to x", floats, grad_ndtr, kNeedsFirst, 26)
UNARY(ndtri, "where the standard normal distribution reaches x", floats, grad_ndtri, kNeedsOutput, 50)
UNARY(lgamma, "logarithm of the gamma function's magnitude", floats, grad_lgamma, kNeedsFirst, 60)
UNARY(bessel_i0, "modified Bessel function of order 0", floats, grad_bessel_i0, kNeedsFirst, 60)
UNARY(bessel_i1, "modified Bessel function of order 1", floats, grad_bessel_i1, kNeedsFirst, 60)
UNARY(digamma, "derivative of lgamma; NaN at 0, -1, -2, ...", floats, grad_digamma, kNeedsFirst, 60)
UNARY(relu, "max(x, 0); NaN stays", numbers, grad_relu, kNeedsOutput, 1)
UNARY(floor, "largest integer not above x", floats, grad_none, kNeedsNothing, 1)
UNARY(ceil, "smallest integer not below x", floats, grad_none, kNeedsNothing, 1)
UNARY(round, "nearest integer, halves to even", floats, grad_none, kNeedsNothing, 1)
#undef UNARY

#define TO_BOOL(ident, what, takes_)                           \
  const OpDef ident{.name = #ident,                            \
                    .summary = what,                           \
                    .kind = OpKind::elementwise,               \
                    .min_inputs = 1,                           \
                    .max_inputs = 1,                           \
                    .infer = infer_unary<Takes::takes_, true>, \
                    .no_grad = kBoolResult,                    \
                    .cost = elementwise_cost<1>};
TO_BOOL(logical_not, "not x", bools)
TO_BOOL(is_nan, "is it not a number?", floats)
TO_BOOL(is_finite, "is it neither infinite nor NaN?", floats)
TO_BOOL(is_inf, "is it infinite?", floats)
#undef TO_BOOL

#define BINARY(ident, what, takes_, grad_, needs, flops, commutes, ...) \
  const OpDef ident{.name = #ident,                                     \
                    .summary = what,                                    \
                    .kind = OpKind::elementwise,                        \
                    .min_inputs = 2,                                    \
                    .max_inputs = 2,                                    \
                    .infer = infer_binary<Takes::takes_>,               \
                    .grad = grad_,                                      \
                    .cost = elementwise_cost<flops>,                    \
                    .grad_needs = needs,                                \
                    .commutative = commutes,                            \
                    .also_takes = 0 __VA_OPT__(|) __VA_ARGS__};
BINARY(add, "x + y", numbers, grad_add, kNeedsNothing, 1, true, kComplex)
BINARY(sub, "x - y", numbers, grad_sub, kNeedsNothing, 1, false, kComplex)
BINARY(mul, "x * y", numbers, grad_mul, kNeedsBoth, 1, true, kComplex)
BINARY(div, "x / y of floating-point tensors", floats, grad_div, kNeedsSecond | kNeedsOutput, 4, false, kComplex)
BINARY(floor_div, "floor(x / y), as Python's //; an integer divided by 0 gives 0", numbers, grad_none, kNeedsNothing,
       5, false)
BINARY(mod, "x - y * floor(x / y), as Python's %; an integer modulo 0 gives 0", numbers, grad_mod, kNeedsBoth, 6,
       false)
BINARY(polygamma, "the x-th derivative of digamma at y; NaN unless x is 0, 1, 2, ...", floats, grad_polygamma,
       kNeedsBoth, 200, false)
BINARY(nextafter, "the next number after x on the way to y", wide_floats, grad_nextafter, kNeedsNothing, 4, false)
BINARY(pow, "x to the y; of integers it wraps, and a negative y gives the power cut towards 0", numbers, grad_pow,
       kNeedsBoth | kNeedsOutput, 25, false, kComplex)
BINARY(max, "the larger one; NaN wins", numbers, grad_max, kNeedsBoth, 1, true)
BINARY(min, "the smaller one; NaN wins", numbers, grad_min, kNeedsBoth, 1, true)
BINARY(atan2, "angle of the point (y, x), x being the ordinate", floats, grad_atan2, kNeedsBoth, 25, false)
BINARY(squared_difference, "(x - y)²", numbers, grad_squared_difference, kNeedsBoth, 2, true)
#undef BINARY

#define COMPARE(ident, what, takes_, commutes, ...)             \
  const OpDef ident{.name = #ident,                             \
                    .summary = what,                            \
                    .kind = OpKind::elementwise,                \
                    .min_inputs = 2,                            \
                    .max_inputs = 2,                            \
                    .infer = infer_binary<Takes::takes_, true>, \
                    .no_grad = kBoolResult,                     \
                    .cost = elementwise_cost<1>,                \
                    .commutative = commutes,                    \
                    .also_takes = 0 __VA_OPT__(|) __VA_ARGS__};
COMPARE(equal, "x == y", any, true, kComplex)
COMPARE(not_equal, "x != y", any, true, kComplex)
COMPARE(less, "x < y", numbers, false)
COMPARE(less_equal, "x <= y", numbers, false)
COMPARE(greater, "x > y", numbers, false)
COMPARE(greater_equal, "x >= y", numbers, false)
COMPARE(logical_and, "x and y", bools, true)
COMPARE(logical_or, "x or y", bools, true)
COMPARE(logical_xor, "x or y, not both", bools, true)
#undef COMPARE

#define BITWISE(ident, what, commutes)                      \
  const OpDef ident{.name = #ident,                         \
                    .summary = what,                        \
                    .kind = OpKind::elementwise,            \
                    .min_inputs = 2,                        \
                    .max_inputs = 2,                        \
                    .infer = infer_binary<Takes::integers>, \
                    .no_grad = kIntegers,                   \
                    .cost = elementwise_cost<1>,            \
                    .commutative = commutes};
BITWISE(bitwise_and, "bits in both", true)
BITWISE(bitwise_or, "bits in either", true)
BITWISE(bitwise_xor, "bits in one of the two", true)
BITWISE(left_shift, "x * 2 to the y, wrapping; y is limited to the bits of x", false)
BITWISE(right_shift, "floor(x / 2 to the y); y is limited to the bits of x", false)
#undef BITWISE

const OpDef select{.name = "select",
                   .summary = "x where the condition holds, y elsewhere",
                   .kind = OpKind::elementwise,
                   .min_inputs = 3,
                   .max_inputs = 3,
                   .infer = infer_select,
                   .grad = grad_select,
                   .cost = elementwise_cost<1>,
                   .grad_needs = kNeedsFirst,
                   .also_takes = kComplex | kStrings};
const OpDef cast{
    .name = "cast",
    .summary =
        "the value in another dtype; floats are cut towards 0, and clamped to the range; of complex numbers "
        "the real part is left",
    .kind = OpKind::elementwise,
    .min_inputs = 1,
    .max_inputs = 1,
    .attrs = kCastAttrs,
    .infer = infer_cast,
    .grad = grad_cast,
    .cost = elementwise_cost<1>,
    .grad_needs = kNeedsNothing,
    .also_takes = kComplex};

}  // namespace op

namespace op {
static const OpDef* const elementwise_rows[] = {
    &constant,    &neg,         &abs,         &sign,        &exp,        &expm1,
    &log,         &log1p,       &sqrt,        &rsqrt,       &square,     &reciprocal,
    &sin,         &cos,         &tan,         &asin,        &acos,       &atan,
    &sinh,        &cosh,        &tanh,        &asinh,       &acosh,      &atanh,
    &sigmoid,     &softplus,    &erf,         &erfc,        &erfinv,     &ndtr,
    &ndtri,       &lgamma,      &digamma,     &bessel_i0,   &bessel_i1,  &relu,
    &floor,       &ceil,        &round,       &logical_not, &is_nan,     &is_finite,
    &is_inf,      &add,         &sub,         &mul,         &div,        &floor_div,
    &mod,         &pow,         &max,         &min,         &atan2,      &squared_difference,
    &equal,       &not_equal,   &less,        &less_equal,  &greater,    &greater_equal,
    &logical_and, &logical_or,  &logical_xor, &bitwise_and, &bitwise_or, &bitwise_xor,
    &left_shift,  &right_shift, &polygamma,   &nextafter,   &select,     &cast};
}
void register_elementwise() { register_ops(op::elementwise_rows); }

Tensor constant(Scalar value, DType dtype) {
  // A constant is one word, which complex128 exceeds.
  if (is_complex(dtype)) return cast(constant(value, real_dtype(dtype)), dtype);
  const int64_t attrs[] = {static_cast<int64_t>(dtype), static_cast<int64_t>(value.bits_as(dtype))};
  return record(op::constant, std::span<TensorImpl* const>(), attrs);
}

#define UNARY(name) \
  Tensor name(const Tensor& x) { return unary(op::name, x); }
UNARY(neg)
UNARY(abs)
UNARY(sign)
UNARY(exp)
UNARY(expm1)
UNARY(log)
UNARY(log1p)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(square)
UNARY(reciprocal)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(sigmoid)
UNARY(softplus)
UNARY(erf)
UNARY(erfc)
UNARY(erfinv)
UNARY(ndtr)
UNARY(ndtri)
UNARY(lgamma)
UNARY(digamma)
UNARY(bessel_i0)
UNARY(bessel_i1)
UNARY(relu)
UNARY(floor)
UNARY(ceil)
UNARY(round)
UNARY(logical_not)
UNARY(is_nan)
UNARY(is_finite)
UNARY(is_inf)
#undef UNARY

namespace {

Tensor adapt(Scalar value, const Tensor& other) {
  const DType dtype = other.dtype(), part = real_dtype(dtype);
  Tensor number = host_scalar(value.bits_as(part), part);
  return part == dtype ? number : cast(number, dtype);
}

// TensorFlow's `/` on integers divides in floating point: float32 for 8 and 16 bits, float64 above.
Tensor true_divide(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined() || !is_integer(a.dtype()) || a.dtype() != b.dtype())
    return record(op::div, {}, a, b);
  const DType wide = size_of(a.dtype()) <= 2 ? f32 : f64;
  return record(op::div, {}, cast(a, wide), cast(b, wide));
}

bool are_strings(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.dtype() == DType::string && b.dtype() == DType::string;
}
Tensor compare_equal(const Tensor& a, const Tensor& b) {
  return are_strings(a, b) ? strings::equal(a, b) : record(op::equal, {}, a, b);
}
Tensor compare_not_equal(const Tensor& a, const Tensor& b) {
  return are_strings(a, b) ? logical_not(strings::equal(a, b)) : record(op::not_equal, {}, a, b);
}

}  // namespace

#define BINARY(name, make)                                                \
  Tensor name(const Tensor& a, const Tensor& b) { return make(a, b); }    \
  Tensor name(const Tensor& a, Scalar b) { return make(a, adapt(b, a)); } \
  Tensor name(Scalar a, const Tensor& b) { return make(adapt(a, b), b); }
#define RECORD(name) [](const Tensor& left, const Tensor& right) { return record(op::name, {}, left, right); }
BINARY(add, RECORD(add))
BINARY(sub, RECORD(sub))
BINARY(mul, RECORD(mul))
BINARY(div, true_divide)
BINARY(floor_div, RECORD(floor_div))
BINARY(mod, RECORD(mod))
Tensor pow(const Tensor& a, const Tensor& b) { return record(op::pow, {}, a, b); }
Tensor pow(const Tensor& a, Scalar b) { return b.real() == 2 ? square(a) : pow(a, adapt(b, a)); }
Tensor pow(Scalar a, const Tensor& b) { return pow(adapt(a, b), b); }
BINARY(maximum, RECORD(max))
BINARY(minimum, RECORD(min))
BINARY(atan2, RECORD(atan2))
BINARY(squared_difference, RECORD(squared_difference))
BINARY(equal, compare_equal)
BINARY(not_equal, compare_not_equal)
BINARY(less, RECORD(less))
BINARY(less_equal, RECORD(less_equal))
BINARY(greater, RECORD(greater))
BINARY(greater_equal, RECORD(greater_equal))
BINARY(logical_and, RECORD(logical_and))
BINARY(logical_or, RECORD(logical_or))
BINARY(logical_xor, RECORD(logical_xor))
BINARY(bitwise_and, RECORD(bitwise_and))
BINARY(bitwise_or, RECORD(bitwise_or))
BINARY(bitwise_xor, RECORD(bitwise_xor))
BINARY(left_shift, RECORD(left_shift))
BINARY(right_shift, RECORD(right_shift))
BINARY(polygamma, RECORD(polygamma))
BINARY(nextafter, RECORD(nextafter))
BINARY(operator+, add)
BINARY(operator-, sub)
BINARY(operator*, mul)
BINARY(operator/, div)
BINARY(operator%, mod)
BINARY(operator<, less)
BINARY(operator<=, less_equal)
BINARY(operator>, greater)
BINARY(operator>=, greater_equal)
#undef BINARY
#undef RECORD

Tensor operator-(const Tensor& x) { return neg(x); }

Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return record(op::select, {}, condition, a, b);
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.defined() && x.dtype() == dtype) return x;
  const int64_t attrs[] = {static_cast<int64_t>(dtype)};
  return record(op::cast, attrs, x);
}

}  // namespace brio
