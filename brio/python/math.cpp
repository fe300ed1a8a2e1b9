// tf.math: elementwise functions and products. Those that TensorFlow has at the top too lie at the top.
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

struct UnaryRow {
  const char* name;
  Tensor (*f)(const Tensor&);
  const char* doc;
};
constexpr UnaryRow kUnary[] = {
    {"abs", brio::abs, "The absolute value of each element."},
    {"negative", neg, "Each element with the other sign."},
    {"sign", sign, "-1, 0 or 1 for each element; of complex numbers, x / |x|."},
    {"exp", exp, "e to the power of each element."},
    {"sqrt", sqrt, "The square root of each element."},
    {"square", square, "Each element times itself."},
    {"sin", sin, "The sine of each element, in radians."},
    {"cos", cos, "The cosine of each element, in radians."},
    {"tan", tan, "The tangent of each element, in radians."},
    {"asin", asin, "The inverse sine of each element, in radians."},
    {"acos", acos, "The inverse cosine of each element, in radians."},
    {"atan", atan, "The inverse tangent of each element, in radians."},
    {"sinh", sinh, "The hyperbolic sine of each element."},
    {"cosh", cosh, "The hyperbolic cosine of each element."},
    {"tanh", tanh, "The hyperbolic tangent of each element."},
    {"asinh", asinh, "The inverse hyperbolic sine of each element."},
    {"acosh", acosh, "The inverse hyperbolic cosine of each element."},
    {"atanh", atanh, "The inverse hyperbolic tangent of each element."},
    {"sigmoid", sigmoid, "1 / (1 + exp(-x)) of each element."},
    {"floor", floor, "The largest integer that is not above each element."},
    {"round", nearest_integer, "The nearest integer of each element; halves go to the even one."},
    {"logical_not", logical_not, "True where an element is false."},
};
constexpr UnaryRow kUnaryOfMath[] = {
    {"expm1", expm1, "exp(x) - 1 of each element, exact near 0."},
    {"log", log, "The natural logarithm of each element."},
    {"log1p", log1p, "log(1 + x) of each element, exact near 0."},
    {"log_sigmoid", log_sigmoid, "log(sigmoid(x)) of each element, which never overflows."},
    {"rsqrt", rsqrt, "1 / sqrt(x) of each element."},
    {"reciprocal", reciprocal, "1 / x of each element."},
    {"reciprocal_no_nan", reciprocal_no_nan, "1 / x of each element, and 0 where x is 0."},
    {"erf", erf, "The error function of each element."},
    {"erfc", erfc, "1 - erf(x) of each element."},
    {"erfinv", erfinv, "The inverse of the error function for each element."},
    {"erfcinv", erfcinv, "The inverse of erfc for each element."},
    {"ndtri", ndtri, "The quantile of the standard normal distribution for each element."},
    {"lgamma", lgamma, "The logarithm of |gamma(x)| for each element."},
    {"digamma", digamma, "The derivative of lgamma for each element."},
    {"bessel_i0", bessel_i0, "The modified Bessel function of order 0 of each element."},
    {"bessel_i1", bessel_i1, "The modified Bessel function of order 1 of each element."},
    {"ceil", ceil, "The smallest integer that is not below each element."},
    {"rint", rint, "The nearest integer of each element; halves go to the even one."},
    {"is_nan", is_nan, "True where an element is not a number."},
    {"is_inf", is_inf, "True where an element is infinite."},
    {"is_finite", is_finite, "True where an element is neither infinite nor NaN."},
    {"conj", conj, "The complex conjugate of each element."},
};
constexpr UnaryRow kPartsOfMath[] = {
    {"real", real, "The real part of each element."},
    {"imag", imag, "The imaginary part of each element."},
    {"angle", angle, "The angle of each element in the complex plane."},
};

struct BinaryRow {
  const char* name;
  Binary f;
  const char* doc;
  const char *first = "x", *second = "y";
};
constexpr BinaryRow kBinary[] = {
    {"add", plus, "x + y, element by element; strings are joined."},
    {"subtract", sub, "x - y, element by element."},
    {"multiply", mul, "x * y, element by element."},
    {"divide", true_divide, "x / y, element by element; integers give floats."},
    {"truediv", true_divide, "x / y, element by element; integers give floats."},
    {"realdiv", true_divide, "x / y, element by element."},
    {"truncatediv", truncatediv, "x / y, element by element, cut towards 0."},
    {"truncatemod", truncatemod, "What truncatediv leaves, with the sign of x."},
    {"pow", power, "x to the power of y, element by element."},
    {"maximum", maximum, "The larger of x and y, element by element."},
    {"minimum", minimum, "The smaller of x and y, element by element."},
    {"atan2", atan2, "The angle of the point (x, y), element by element.", "y", "x"},
    {"equal", equal, "True where x and y are equal."},
    {"not_equal", not_equal, "True where x and y differ."},
    {"less", less, "True where x < y."},
    {"less_equal", less_equal, "True where x <= y."},
    {"greater", greater, "True where x > y."},
    {"greater_equal", greater_equal, "True where x >= y."},
    {"logical_and", logical_and, "True where both are."},
    {"logical_or", logical_or, "True where one or both are."},
};
constexpr BinaryRow kBinaryOfMath[] = {
    {"squared_difference", squared_difference, "(x - y) squared, element by element."},
    {"floordiv", floordiv, "Python's x // y, element by element."},
    {"floormod", floormod, "Python's x % y, element by element."},
    {"mod", floormod, "Python's x % y, element by element."},
    {"logical_xor", logical_xor, "True where one is and the other is not."},
    {"xlogy", xlogy, "x log(y), and 0 where x is 0."},
    {"xlog1py", xlog1py, "x log(1 + y), and 0 where x is 0."},
    {"xdivy", xdivy, "x / y, and 0 where x is 0."},
    {"multiply_no_nan", multiply_no_nan, "x y, and 0 where y is 0."},
    {"divide_no_nan", quotient_or_zero, "x / y, and 0 where y is 0."},
    {"nextafter", nextafter, "The next number after x1 in the direction of x2.", "x1", "x2"},
    {"polygamma", polygamma, "The derivative of order a of digamma at x.", "a", "x"},
};
constexpr BinaryRow kBitwise[] = {
    {"bitwise_and", bitwise_and, "The bits that both have."},
    {"bitwise_or", bitwise_or, "The bits that one or both have."},
    {"bitwise_xor", bitwise_xor, "The bits that one has and the other has not."},
    {"left_shift", left_shift, "x's bits moved up by y places."},
    {"right_shift", right_shift, "x's bits moved down by y places."},
};

template <size_t N>
void define_rows(nb::module_& m, const UnaryRow (&rows)[N], const char* argument = "x") {
  for (const UnaryRow& row : rows) {
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg(argument), row.doc);
    make_quick(m, row.name, row.f);
  }
}
template <size_t N>
void define_rows(nb::module_& m, const BinaryRow (&rows)[N]) {
  for (const BinaryRow& row : rows) {
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
  nb::module_ math = m.def_submodule("_math", "What tf.math has and tf has not.");
  define_rows(m, kUnary);
  define_rows(math, kUnaryOfMath);
  define_rows(math, kPartsOfMath, "input");
  define_rows(m, kBinary);
  define_rows(math, kBinaryOfMath);
  nb::module_ bitwise = m.def_submodule("_bitwise", "tf.bitwise.");
  define_rows(bitwise, kBitwise);
  define(
      bitwise, "invert", [](const Tensor& x) { return bitwise_not(x); }, nb::arg("x"), "x with every bit turned.");
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
  define(
      math, "polyval", [](const std::vector<Tensor>& coeffs, const Tensor& x) { return polyval(coeffs, x); },
      nb::arg("coeffs"), nb::arg("x"), "The polynomial with these coefficients, the highest power's first, at x.");
  define(math, "l2_normalize", l2_normalize, nb::arg("x"), nb::arg("axis") = nb::none(), nb::arg("epsilon") = 1e-12,
         "x scaled to length 1 along an axis.");
  bind_clipping(m);
}

}  // namespace brio::python
