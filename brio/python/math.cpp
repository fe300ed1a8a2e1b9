// tf.math: elementwise functions and products. Those that TensorFlow has at the top too lie at the top.
#include <array>
#include <span>

#include "brio/base/error.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"
#include "brio/python/operators.h"
#include "brio/python/quick_call.h"

namespace brio::python {
namespace {

// Of integers, as TensorFlow has them.
Tensor nearest_integer(const Tensor& x) { return is_integer(x.dtype()) ? identity(x) : round(x); }
Tensor quotient_or_zero(const Tensor& a, const Tensor& b) {
  if (!is_integer(a.dtype()) || a.dtype() != b.dtype()) return divide_no_nan(a, b);
  const DType wide = size_of(a.dtype()) < 4 ? f32 : f64;
  return divide_no_nan(cast(a, wide), cast(b, wide));
}

// Where a function lies: at the top of tf, in tf.math, in tf.bitwise, or bound elsewhere.
enum class Where : uint8_t { tf, math, bitwise, nowhere };

struct UnaryRow {
  Where where;
  const char* name;
  Unary f;
  const char* doc;
};
// What Python's function does where it is more than the op.
constexpr Unary in_python(const OpDef& op, Unary builder) { return &op == &op::round ? nearest_integer : builder; }
constexpr UnaryRow kUnary[] = {
#define BRIO_UNARY(op_name, summary, where, name, doc, ...) \
  {Where::where, name, in_python(op::op_name, op_name), doc},
#include "brio/ops/elementwise/unary_ops.h"
    {Where::math, "log_sigmoid", log_sigmoid, "log(sigmoid(x)) of each element, which never overflows."},
    {Where::math, "reciprocal_no_nan", reciprocal_no_nan, "1 / x of each element, and 0 where x is 0."},
    {Where::math, "erfcinv", erfcinv, "The inverse of erfc for each element."},
    {Where::math, "rint", rint, "The nearest integer of each element; halves go to the even one."},
    {Where::math, "conj", conj, "The complex conjugate of each element."},
};
constexpr UnaryRow kParts[] = {
    {Where::math, "real", real, "The real part of each element."},
    {Where::math, "imag", imag, "The imaginary part of each element."},
    {Where::math, "angle", angle, "The angle of each element in the complex plane."},
};

struct BinaryRow {
  Where where;
  const char* name;
  Binary f;
  const char *first, *second;
  const char* doc;
};
constexpr Binary in_python(const OpDef& op, Binary builder) {
  return &op == &op::add ? plus : &op == &op::div ? true_divide : &op == &op::pow ? power : builder;
}
constexpr BinaryRow kBinary[] = {
#define BRIO_BINARY(op_name, builder, summary, where, name, first, second, doc, ...) \
  {Where::where, name, in_python(op::op_name, builder), first, second, doc},
#include "brio/ops/elementwise/binary_ops.h"
    {Where::tf, "truediv", true_divide, "x", "y", "x / y, element by element; integers give floats."},
    {Where::tf, "realdiv", true_divide, "x", "y", "x / y, element by element."},
    {Where::tf, "truncatediv", truncatediv, "x", "y", "x / y, element by element, cut towards 0."},
    {Where::tf, "truncatemod", truncatemod, "x", "y", "What truncatediv leaves, with the sign of x."},
    {Where::math, "mod", floormod, "x", "y", "Python's x % y, element by element."},
    {Where::math, "xlogy", xlogy, "x", "y", "x log(y), and 0 where x is 0."},
    {Where::math, "xlog1py", xlog1py, "x", "y", "x log(1 + y), and 0 where x is 0."},
    {Where::math, "xdivy", xdivy, "x", "y", "x / y, and 0 where x is 0."},
    {Where::math, "multiply_no_nan", multiply_no_nan, "x", "y", "x y, and 0 where y is 0."},
    {Where::math, "divide_no_nan", quotient_or_zero, "x", "y", "x / y, and 0 where y is 0."},
};

// The modules by Where.
using Modules = std::array<nb::module_, 3>;

void define_rows(Modules& modules, std::span<const UnaryRow> rows, const char* argument = "x") {
  for (const UnaryRow& row : rows) {
    if (row.where == Where::nowhere) continue;
    nb::module_& m = modules[static_cast<size_t>(row.where)];
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg(argument), row.doc);
    make_quick(m, row.name, row.f);
  }
}
void define_rows(Modules& modules, std::span<const BinaryRow> rows) {
  for (const BinaryRow& row : rows) {
    nb::module_& m = modules[static_cast<size_t>(row.where)];
    m.def(
        row.name, [f = row.f](Given a, Given b, Given) { return perform_binary(f, a.object, b.object); },
        nb::arg(row.first).none(), nb::arg(row.second).none(), nb::arg("name") = nb::none(), row.doc);
    make_quick(m, row.name, row.f);
  }
}

// t scaled to length 1 along axes, as TensorFlow: t · rsqrt(max(Σ t², epsilon)).
Tensor l2_normalize(const Tensor& x, const Axes& axes, double epsilon) {
  return mul(x, rsqrt(maximum(sum(square(x), axes, true), epsilon)));
}

void bind_clipping(nb::module_& m) {
  m.def(
      "clip_by_value",
      [](Given t, Given low, Given high, Given) {
        return perform([](const std::vector<Tensor>& x) { return clip_by_value(x[0], x[1], x[2]); },
                       std::tuple{alike({t.object, low.object, high.object})});
      },
      nb::arg("t"), nb::arg("clip_value_min"), nb::arg("clip_value_max"), nb::arg("name") = nb::none(),
      "t with what lies outside of [clip_value_min, clip_value_max] moved to its ends.");
  m.def(
      "clip_by_norm",
      [](Given t, Given norm, Given axes, Given) {
        return perform(
            [over = axes_from(axes.object)](const std::vector<Tensor>& x) { return clip_by_norm(x[0], x[1], over); },
            std::tuple{alike({t.object, norm.object})});
      },
      nb::arg("t"), nb::arg("clip_norm"), nb::arg("axes") = nb::none(), nb::arg("name") = nb::none(),
      "t scaled down to this length along axes, where it is longer.");
  m.def(
      "_clip_by_global_norm",
      [](const std::vector<nb::object>& t_list, Given clip_norm, Given use_norm) {
        std::vector<Tensor> tensors;
        for (const nb::object& t : t_list) tensors.push_back(t.is_none() ? Tensor() : tensor_of(t));
        const Tensor limit = tensor_of(clip_norm.object, {.preferred = f32});
        if (use_norm.object.is_none()) {
          auto [clipped, norm] = clip_by_global_norm(tensors, limit);
          return nb::make_tuple(to_python(std::move(clipped)), wrap(norm));
        }
        const Tensor norm = tensor_of(use_norm.object, {.preferred = f32});
        const Tensor scale = mul(limit, minimum(div(1., norm), div(1., limit)));
        for (Tensor& t : tensors)
          if (t.defined()) t = mul(t, cast(scale, t.dtype()));
        return nb::make_tuple(to_python(std::move(tensors)), wrap(norm));
      },
      nb::arg("t_list"), nb::arg("clip_norm"), nb::arg("use_norm") = nb::none());
}

}  // namespace

void bind_math(nb::module_& m) {
  Modules modules{m, m.def_submodule("_math", "What tf.math has and tf has not."),
                  m.def_submodule("_bitwise", "tf.bitwise.")};
  define_rows(modules, kUnary);
  define_rows(modules, kParts, "input");
  define_rows(modules, kBinary);
  define(
      modules[static_cast<size_t>(Where::bitwise)], "invert", [](const Tensor& x) { return bitwise_not(x); },
      nb::arg("x"), "x with every bit turned.");
  m.def(
      "complex",
      [](Given real, Given imag, Given) {
        return perform([](const std::vector<Tensor>& x) { return complex(x[0], x[1]); },
                       std::tuple{alike({real.object, imag.object})});
      },
      nb::arg("real"), nb::arg("imag"), nb::arg("name") = nb::none(), "real + imag · i, element by element.");
  // Of a matrix and a vector it is their product, where TensorFlow refuses.
  m.def(
      "matmul",
      [](Given a, Given b, bool transpose_a, bool transpose_b, bool adjoint_a, bool adjoint_b, Given, Given,
         Given output_type, Given, Given, Given) {
        const MatmulOptions options{.transpose_a = transpose_a || adjoint_a, .transpose_b = transpose_b || adjoint_b};
        std::optional<DType> as;
        if (!output_type.object.is_none()) as = dtype_from(output_type.object);
        auto has_value = [](nb::handle h) { return is_tensor(h) || is_variable(h); };
        if (has_value(a.object) && has_value(b.object) && !as && !current_journal && !adjoint_a && !adjoint_b)
          return wrap(matmul(tensor_of(a.object), tensor_of(b.object), options));
        return perform(
            [=](const std::vector<Tensor>& x) {
              const Tensor y = matmul(adjoint_a ? conj(x[0]) : x[0], adjoint_b ? conj(x[1]) : x[1], options);
              return as ? cast(y, *as) : y;
            },
            std::tuple{alike({a.object, b.object})});
      },
      nb::arg("a"), nb::arg("b"), nb::arg("transpose_a") = false, nb::arg("transpose_b") = false,
      nb::arg("adjoint_a") = false, nb::arg("adjoint_b") = false, nb::arg("a_is_sparse") = false,
      nb::arg("b_is_sparse") = false, nb::arg("output_type") = nb::none(), nb::arg("grad_a") = false,
      nb::arg("grad_b") = false, nb::arg("name") = nb::none(),
      "The product of the matrices in the last two axes of a and b; the axes before them broadcast.");
  make_quick(m, "matmul", product);
  define(
      m, "add_n",
      [](const std::vector<Tensor>& inputs) {
        if (inputs.empty()) throw InvalidArgument("[add_n] takes a list of at least one tensor, but got none");
        Tensor total = inputs[0];
        for (size_t i = 1; i < inputs.size(); ++i) {
          if (inputs[i].aval() != total.aval())
            throw InvalidArgument(cat("[add_n] all tensors must have one shape and dtype, but got ", total.shape(),
                                      " and ", inputs[i].shape()));
          total = add(total, inputs[i]);
        }
        return inputs.size() == 1 ? identity(total) : total;
      },
      nb::arg("inputs"), "The sum of all tensors of a list.");
  nb::module_& math = modules[static_cast<size_t>(Where::math)];
  define(
      math, "polyval", [](const std::vector<Tensor>& coeffs, const Tensor& x) { return polyval(coeffs, x); },
      nb::arg("coeffs"), nb::arg("x"), "The polynomial with these coefficients, the highest power's first, at x.");
  define(math, "l2_normalize", l2_normalize, nb::arg("x"), nb::arg("axis") = nb::none(), nb::arg("epsilon") = 1e-12,
         "x scaled to length 1 along an axis.");
  bind_clipping(m);
}

}  // namespace brio::python
