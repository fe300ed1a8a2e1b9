// tf.math: elementwise functions, reductions and products.
#include "brio/ops/elementwise.h"
#include "brio/ops/maths.h"
#include "brio/ops/products.h"
#include "brio/ops/reduction.h"
#include "brio/python/bind.h"
#include "brio/python/operators.h"

namespace brio::python {
namespace {

struct UnaryRow {
  const char* name;
  Tensor (*f)(const Tensor&);
};
constexpr UnaryRow kUnary[] = {
    {"abs", brio::abs},
    {"negative", neg},
    {"sign", sign},
    {"exp", exp},
    {"expm1", expm1},
    {"log", log},
    {"log1p", log1p},
    {"sqrt", sqrt},
    {"rsqrt", rsqrt},
    {"square", square},
    {"reciprocal", reciprocal},
    {"sin", sin},
    {"cos", cos},
    {"tan", tan},
    {"asin", asin},
    {"acos", acos},
    {"atan", atan},
    {"sinh", sinh},
    {"cosh", cosh},
    {"tanh", tanh},
    {"asinh", asinh},
    {"acosh", acosh},
    {"atanh", atanh},
    {"sigmoid", sigmoid},
    {"softplus", softplus},
    {"erf", erf},
    {"erfc", erfc},
    {"erfinv", erfinv},
    {"ndtri", ndtri},
    {"lgamma", lgamma},
    {"digamma", digamma},
    {"floor", floor},
    {"ceil", ceil},
    {"round", round},
    {"logical_not", logical_not},
    {"is_nan", is_nan},
    {"is_inf", is_inf},
    {"is_finite", is_finite},
    {"rint", rint},
    {"reciprocal_no_nan", reciprocal_no_nan},
};

struct BinaryRow {
  const char* name;
  Binary f;
};
constexpr BinaryRow kBinary[] = {
    {"add", add},
    {"subtract", sub},
    {"multiply", mul},
    {"divide", true_divide},
    {"truediv", true_divide},
    {"floordiv", floordiv},
    {"floormod", floormod},
    {"mod", floormod},
    {"pow", power},
    {"maximum", maximum},
    {"minimum", minimum},
    {"atan2", atan2},
    {"squared_difference", squared_difference},
    {"equal", equal},
    {"not_equal", not_equal},
    {"less", less},
    {"less_equal", less_equal},
    {"greater", greater},
    {"greater_equal", greater_equal},
    {"logical_and", logical_and},
    {"logical_or", logical_or},
    {"logical_xor", logical_xor},
    {"xlogy", xlogy},
    {"xlog1py", xlog1py},
    {"xdivy", xdivy},
    {"multiply_no_nan", multiply_no_nan},
    {"divide_no_nan", divide_no_nan},
    {"truncatediv", truncatediv},
    {"truncatemod", truncatemod},
    {"nextafter", nextafter},
    {"polygamma", polygamma},
};

using Reduction = Tensor (*)(const Tensor&, const Axes&, bool);
struct ReductionRow {
  const char* name;
  Reduction f;
};
constexpr ReductionRow kReductions[] = {{"reduce_sum", sum},       {"reduce_prod", prod}, {"reduce_max", brio::max},
                                        {"reduce_min", brio::min}, {"reduce_any", any},   {"reduce_all", all},
                                        {"reduce_mean", mean}};

}  // namespace

void bind_math(nb::module_& m) {
  for (const UnaryRow& row : kUnary)
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg("x"));
  for (const BinaryRow& row : kBinary) define_binary(m, row.name, row.f);
  for (const ReductionRow& row : kReductions)
    define(
        m, row.name, [f = row.f](const Tensor& x, const Axes& axes, bool keepdims) { return f(x, axes, keepdims); },
        nb::arg("input_tensor"), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false);
  // Of a matrix and a vector it is their product, where TensorFlow refuses.
  m.def(
      "matmul",
      [](Given a, Given b, bool transpose_a, bool transpose_b, bool adjoint_a, bool adjoint_b, Given, Given, Given,
         Given) {
        const MatmulOptions options{.transpose_a = transpose_a || adjoint_a, .transpose_b = transpose_b || adjoint_b};
        if (is_symbol(a.object) || is_symbol(b.object) || current_journal)
          return perform([options](const Tensor& x, const Tensor& y) { return matmul(x, y, options); },
                         std::tuple{Parameter<Tensor>::take(a), Parameter<Tensor>::take(b)});
        auto [x, y] = operands_of(a.object, b.object);
        return wrap(matmul(x, y, options));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("transpose_a") = false, nb::arg("transpose_b") = false,
      nb::arg("adjoint_a") = false, nb::arg("adjoint_b") = false, nb::arg("a_is_sparse") = false,
      nb::arg("b_is_sparse") = false, nb::arg("output_type") = nb::none(), nb::arg("name") = nb::none());
}

}  // namespace brio::python
