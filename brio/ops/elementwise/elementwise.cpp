#include "brio/ops/elementwise/elementwise.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/complex.h"
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
  if (is_complex(dtype)) return;  // the row checks complex dtypes
  if (!takes(what, dtype))
    throw_invalid(op, cat("takes ", kTakesText[static_cast<int>(what)], ", but got ", dtype, "; cast it first"));
}

// Which dtype the result has: that of the operands, real for complex ones, or bool.
enum class Gives { same, real, truth };

template <Takes what, Gives gives>
void infer_unary(const OpCall& call, std::vector<Aval>& out) {
  const DType dtype = call.in[0]->dtype;
  check_dtype(call.op, what, dtype);
  out.push_back({call.in[0]->shape, gives == Gives::truth  ? boolean
                                    : gives == Gives::real ? real_dtype(dtype)
                                                           : dtype});
}

template <Takes what, Gives gives>
void infer_binary(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = *call.in[0], &b = *call.in[1];
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the operands have dtypes ", a.dtype, " and ", b.dtype,
                               "; tensors are not promoted: cast one of them"));
  check_dtype(call.op, what, a.dtype);
  Aval& result = out.emplace_back();
  result.dtype = gives == Gives::truth ? boolean : a.dtype;
  result.shape = a.shape;
  if (a.shape == b.shape) [[likely]]
    return;
  if (!broadcast(a.shape, b.shape, result.shape))
    throw_invalid(call.op, cat("shapes ", a.shape, " and ", b.shape,
                               " do not broadcast: sizes must be equal or 1 from the right"));
  checked_shape(call.op, result.shape.dims());
}

// Why a row has no gradient; empty where it has one.
constexpr std::string_view no_gradient(Takes what, Gives gives) {
  if (gives == Gives::truth) return "its result is bool";
  return what == Takes::integers ? "it works on bits" : "";
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

// Sets the gradient of a broadcast operand: sums over the repeated elements.
void set_broadcast(GradContext& g, size_t input, const Tensor& gradient) {
  g.set(input, sum_to(gradient, g.in[input].shape()));
}

Tensor zeros_where_not(const Tensor& condition, const Tensor& gradient) {
  return select(condition, gradient, constant(0, gradient.dtype()));
}

// ---- gradients of unary_ops.h: x is the operand, z the result, c its cotangent

Tensor gradient_of_abs(const Tensor& x, const Tensor& z, const Tensor& c) {
  if (!is_complex(x.dtype())) return c * sign(x);
  // If x is 0 the quotient has no value: TensorFlow takes 0.
  const Tensor zero = equal(z, like(z, 0));
  return cast(select(zero, like(c, 0), c / select(zero, like(z, 1), z)), x.dtype()) * x;
}
Tensor gradient_of_bessel_i1(const Tensor& x, const Tensor& c) {
  const Tensor zero = equal(x, like(x, 0));  // I₁(x)/x tends to ½ at 0; TensorFlow takes 1
  return c * select(zero, like(x, 0.5), bessel_i0(x) - bessel_i1(x) / select(zero, like(x, 1), x));
}
#define BRIO_UNARY(name, summary, where, python, doc, takes, also, gives, gradient, ...) \
  void grad_##name(GradContext& g) {                                                     \
    [[maybe_unused]] const Tensor &x = g.in[0], &z = g.out[0], &c = g.cotangent();       \
    g.set(0, gradient);                                                                  \
  }
#include "brio/ops/elementwise/unary_ops.h"

// ---- gradients of binary_ops.h: X and Y are the operands, Z the result, C its cotangent

#define RULE(name) void name([[maybe_unused]] GradContext& g)
#define X g.in[0]
#define Y g.in[1]
#define Z g.out[0]
#define C g.cotangent()
RULE(gradient_of_nothing) {}  // as in TensorFlow: not zeros, but no gradient
RULE(gradient_of_add) {
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, C);
}
RULE(gradient_of_sub) {
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, neg(C));
}
RULE(gradient_of_mul) {
  if (g.needs(0)) set_broadcast(g, 0, C * conj(Y));
  if (g.needs(1)) set_broadcast(g, 1, C * conj(X));
}
RULE(gradient_of_div) {
  if (g.needs(0)) set_broadcast(g, 0, C / conj(Y));
  if (g.needs(1)) set_broadcast(g, 1, neg(C * conj(Z)) / conj(Y));
}
RULE(gradient_of_mod) {  // x - y·floor(x/y)
  if (g.needs(0)) set_broadcast(g, 0, C);
  if (g.needs(1)) set_broadcast(g, 1, neg(C * floor(X / Y)));
}
RULE(gradient_of_pow) {
  if (g.needs(0)) set_broadcast(g, 0, C * conj(Y * pow(X, sub(Y, like(Y, 1)))));
  if (g.needs(1)) {  // log of a base that is not positive (complex: that is 0) is not needed here: TensorFlow takes 0
    const Tensor has_log = is_complex(X.dtype()) ? not_equal(X, like(X, 0)) : greater(X, like(X, 0));
    const Tensor safe = select(has_log, X, like(X, 1));
    set_broadcast(g, 1, C * conj(Z * log(safe)));
  }
}
// If the operands are equal, TensorFlow's maximum and minimum send the gradient to the first.
RULE(gradient_of_max) {
  const Tensor first = greater_equal(X, Y);
  if (g.needs(0)) set_broadcast(g, 0, zeros_where_not(first, C));
  if (g.needs(1)) set_broadcast(g, 1, select(first, constant(0, C.dtype()), C));
}
RULE(gradient_of_min) {
  const Tensor first = less_equal(X, Y);
  if (g.needs(0)) set_broadcast(g, 0, zeros_where_not(first, C));
  if (g.needs(1)) set_broadcast(g, 1, select(first, constant(0, C.dtype()), C));
}
RULE(gradient_of_atan2) {  // atan2(x, y)
  const Tensor scaled = C / add(square(X), square(Y));
  if (g.needs(0)) set_broadcast(g, 0, scaled * Y);
  if (g.needs(1)) set_broadcast(g, 1, neg(scaled * X));
}
RULE(gradient_of_squared_difference) {
  const Tensor difference = sub(X, Y);
  const Tensor twice = C * add(difference, difference);
  if (g.needs(0)) set_broadcast(g, 0, twice);
  if (g.needs(1)) set_broadcast(g, 1, neg(twice));
}
RULE(gradient_of_polygamma) {  // it is not differentiable in its order
  if (g.needs(1)) set_broadcast(g, 1, C * polygamma(add(X, like(X, 1)), Y));
}
RULE(gradient_of_nextafter) {  // a step of one unit; y gives the direction
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

#define BRIO_UNARY(ident, what, where, python, doc, takes_, also, gives, gradient, needs, flops)       \
  const OpDef ident{.name = #ident,                                                                    \
                    .summary = what,                                                                   \
                    .kind = OpKind::elementwise,                                                       \
                    .min_inputs = 1,                                                                   \
                    .max_inputs = 1,                                                                   \
                    .infer = infer_unary<Takes::takes_, Gives::gives>,                                 \
                    .grad = no_gradient(Takes::takes_, Gives::gives).empty() ? grad_##ident : nullptr, \
                    .no_grad = no_gradient(Takes::takes_, Gives::gives),                               \
                    .cost = elementwise_cost<flops>,                                                   \
                    .grad_needs = needs,                                                               \
                    .also_takes = also};
#include "brio/ops/elementwise/unary_ops.h"

#define BRIO_BINARY(ident, builder, what, where, python, first, second, doc, takes_, also, gives, gradient, needs, \
                    flops, commutes)                                                                               \
  const OpDef ident{.name = #ident,                                                                                \
                    .summary = what,                                                                               \
                    .kind = OpKind::elementwise,                                                                   \
                    .min_inputs = 2,                                                                               \
                    .max_inputs = 2,                                                                               \
                    .infer = infer_binary<Takes::takes_, Gives::gives>,                                            \
                    .grad = gradient,                                                                              \
                    .no_grad = no_gradient(Takes::takes_, Gives::gives),                                           \
                    .cost = elementwise_cost<flops>,                                                               \
                    .grad_needs = needs,                                                                           \
                    .commutative = commutes,                                                                       \
                    .also_takes = also};
#include "brio/ops/elementwise/binary_ops.h"

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

void register_elementwise() {
  static const OpDef* const rows[] = {
      &op::constant,
      &op::select,
      &op::cast,
#define BRIO_UNARY(name, ...) &op::name,
#define BRIO_BINARY(name, ...) &op::name,
#include "brio/ops/elementwise/binary_ops.h"
#include "brio/ops/elementwise/unary_ops.h"
  };
  register_ops(rows);
}

Tensor constant(Scalar value, DType dtype) {
  // A constant is one word; complex128 needs two.
  if (is_complex(dtype)) return cast(constant(value, real_dtype(dtype)), dtype);
  const int64_t attrs[] = {static_cast<int64_t>(dtype), static_cast<int64_t>(value.bits_as(dtype))};
  return record(op::constant, std::span<TensorImpl* const>(), attrs);
}

#define BRIO_UNARY(name, ...) \
  Tensor name(const Tensor& x) { return record(op::name, {}, x); }
#include "brio/ops/elementwise/unary_ops.h"

namespace {

Tensor adapt(Scalar value, const Tensor& other) {
  const DType dtype = other.dtype(), part = real_dtype(dtype);
  Tensor number = host_scalar(value.bits_as(part), part);
  return part == dtype ? number : cast(number, dtype);
}

}  // namespace

void check_divisors(std::string_view function, const Tensor& left, const Tensor& right) {
  if (!left.defined() || !right.defined() || !is_integer(right.dtype())) return;
  const void* const data = known_data(*right.impl());
  if (!data || left.shape().elements() == 0) return;
  for (int64_t i = 0; i < right.shape().elements(); ++i)
    if (integer_at(data, right.dtype(), i) == 0)
      throw InvalidArgument(
          cat("[", function, "] an integer is divided by 0, element ", i, " of a divisor of shape ", right.shape()));
}

namespace {

// What a builder records for two tensors: its op, except for the ones below. Inlined, as a call would add to the time
// that recording takes.
template <const OpDef& op>
[[gnu::always_inline]] inline Tensor made(const Tensor& a, const Tensor& b) {
  return record(op, {}, a, b);
}
template <const OpDef& op>
[[gnu::always_inline]] inline Tensor made(const Tensor& a, Scalar b) {
  return made<op>(a, adapt(b, a));
}
// TensorFlow's `/` on integers divides in floating point: float32 for 8 and 16 bits, float64 above.
template <>
Tensor made<op::div>(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined() || !is_integer(a.dtype()) || a.dtype() != b.dtype())
    return record(op::div, {}, a, b);
  const DType wide = size_of(a.dtype()) <= 2 ? f32 : f64;
  return record(op::div, {}, cast(a, wide), cast(b, wide));
}
template <>
Tensor made<op::floor_div>(const Tensor& a, const Tensor& b) {
  check_divisors("floor_div", a, b);
  return record(op::floor_div, {}, a, b);
}
template <>
Tensor made<op::mod>(const Tensor& a, const Tensor& b) {
  check_divisors("mod", a, b);
  return record(op::mod, {}, a, b);
}
template <>
Tensor made<op::pow>(const Tensor& a, Scalar b) {
  return b.real() == 2 ? square(a) : made<op::pow>(a, adapt(b, a));
}
bool are_strings(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.dtype() == DType::string && b.dtype() == DType::string;
}
template <>
Tensor made<op::equal>(const Tensor& a, const Tensor& b) {
  return are_strings(a, b) ? strings::equal(a, b) : record(op::equal, {}, a, b);
}
template <>
Tensor made<op::not_equal>(const Tensor& a, const Tensor& b) {
  return are_strings(a, b) ? logical_not(strings::equal(a, b)) : record(op::not_equal, {}, a, b);
}

}  // namespace

#define BRIO_BINARY(name, builder, ...)                                             \
  Tensor builder(const Tensor& a, const Tensor& b) { return made<op::name>(a, b); } \
  Tensor builder(const Tensor& a, Scalar b) { return made<op::name>(a, b); }        \
  Tensor builder(Scalar a, const Tensor& b) { return made<op::name>(adapt(a, b), b); }
#include "brio/ops/elementwise/binary_ops.h"

#define OPERATOR(name, builder)                                              \
  Tensor name(const Tensor& a, const Tensor& b) { return builder(a, b); }    \
  Tensor name(const Tensor& a, Scalar b) { return builder(a, adapt(b, a)); } \
  Tensor name(Scalar a, const Tensor& b) { return builder(adapt(a, b), b); }
OPERATOR(operator+, add)
OPERATOR(operator-, sub)
OPERATOR(operator*, mul)
OPERATOR(operator/, div)
OPERATOR(operator%, mod)
OPERATOR(operator<, less)
OPERATOR(operator<=, less_equal)
OPERATOR(operator>, greater)
OPERATOR(operator>=, greater_equal)
#undef OPERATOR

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
