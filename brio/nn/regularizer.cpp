#include "brio/nn/regularizer.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

void check_factor(const char* name, double factor) {
  if (!(factor >= 0 && std::isfinite(factor)))
    throw InvalidArgument(cat("[", name, "] the factor is ", factor, "; it must be finite and ≥ 0"));
}

struct RegularizerRow {
  std::string_view name;
  Regularizer (*make)(const Settings&);
};
constexpr auto kL1 = [](const Settings& s) { return l1(s.number("l1", 0.01)); };
constexpr auto kL2 = [](const Settings& s) { return l2(s.number("l2", 0.01)); };
constexpr auto kL1L2 = [](const Settings& s) { return l1_l2(s.number("l1", 0), s.number("l2", 0)); };
constexpr auto kOrthogonalRegularizer = [](const Settings& s) {
  return orthogonal_regularizer(s.number("factor", 0.01), s.text("mode", "rows"));
};
constexpr RegularizerRow kRegularizers[] = {{"l1", kL1},
                                            {"L1", kL1},
                                            {"l2", kL2},
                                            {"L2", kL2},
                                            {"l1_l2", kL1L2},
                                            {"L1L2", kL1L2},
                                            {"orthogonal_regularizer", kOrthogonalRegularizer},
                                            {"OrthogonalRegularizer", kOrthogonalRegularizer}};

}  // namespace

Regularizer::Regularizer(std::string_view name)
    : Regularizer(row_named("regularizer", name, kRegularizers).make({})) {}
Regularizer Regularizer::from(const Settings& s) {
  return row_named("regularizer", s.class_name, kRegularizers).make(s);
}

Tensor Regularizer::operator()(const Tensor& weight) const {
  Tensor cost = function_(weight);
  if (!cost.defined() || cost.rank() != 0)
    throw InvalidArgument(cat("[regularizer] '", name_, "' gave ",
                              cost.defined() ? cat("shape ", cost.shape()) : std::string("none"),
                              " for a weight; it must give a scalar"));
  return cost;
}

Regularizer l1(double factor) {
  check_factor("l1", factor);
  return {Settings{"L1", {{"l1", factor}}},
          [factor](const Tensor& w) { return sum(abs(w)) * constant(factor, w.dtype()); }};
}

Regularizer l2(double factor) {
  check_factor("l2", factor);
  return {Settings{"L2", {{"l2", factor}}},
          [factor](const Tensor& w) { return sum(square(w)) * constant(factor, w.dtype()); }};
}

Regularizer l1_l2(double l1_factor, double l2_factor) {
  check_factor("l1_l2", l1_factor);
  check_factor("l1_l2", l2_factor);
  return {Settings{"L1L2", {{"l1", l1_factor}, {"l2", l2_factor}}}, [=](const Tensor& w) {
            Tensor cost = constant(0, w.dtype());
            if (l1_factor != 0) cost = cost + sum(abs(w)) * constant(l1_factor, w.dtype());
            if (l2_factor != 0) cost = cost + sum(square(w)) * constant(l2_factor, w.dtype());
            return cost;
          }};
}

Regularizer orthogonal_regularizer(double factor, std::string_view mode) {
  check_factor("orthogonal_regularizer", factor);
  if (mode != "rows" && mode != "columns")
    throw InvalidArgument(cat("[orthogonal_regularizer] the mode is '", mode, "'; it is \"rows\" or \"columns\""));
  const bool rows = mode == "rows";
  return {Settings{"OrthogonalRegularizer", {{"factor", factor}, {"mode", std::string(mode)}}}, [=](const Tensor& w) {
            if (w.rank() != 2)
              throw InvalidArgument(cat("[orthogonal_regularizer] a weight has shape ", w.shape(),
                                        "; only matrices have rows that can be at right angles"));
            const DType dtype = w.dtype();
            // A row of zeros has no direction: its length counts as 1e-7.
            const Tensor length = sqrt(sum(square(w), rows ? 1 : 0, true));
            const Tensor unit = w / maximum(length, constant(1e-7, dtype));
            const Tensor products = rows ? matmul(unit, transpose(unit)) : matmul(transpose(unit), unit);
            const int64_t n = w.shape()[rows ? 0 : 1];
            const Tensor others = products * (constant(1, dtype) - eye(n, n, dtype));
            const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
            return sum(abs(others)) * constant(0.5 * factor / pairs, dtype);
          }};
}

}  // namespace brio::nn
