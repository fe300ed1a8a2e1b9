#include "brio/nn/constraint.h"

#include "brio/base/error.h"
#include "brio/nn/epsilon.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {
namespace {

Tensor lengths(const Tensor& w, int64_t axis) { return sqrt(sum(square(w), static_cast<int>(axis), true)); }

struct ConstraintRow {
  std::string_view name;
  Constraint (*make)(const Settings&);
};
constexpr auto kNonNeg = [](const Settings&) { return non_neg(); };
constexpr auto kUnitNorm = [](const Settings& s) { return unit_norm(s.integer("axis", 0)); };
constexpr auto kMaxNorm = [](const Settings& s) { return max_norm(s.number("max_value", 2), s.integer("axis", 0)); };
constexpr auto kMinMaxNorm = [](const Settings& s) {
  return min_max_norm(s.number("min_value", 0), s.number("max_value", 1), s.number("rate", 1), s.integer("axis", 0));
};
constexpr ConstraintRow kConstraints[] = {
    {"non_neg", kNonNeg},   {"NonNeg", kNonNeg},   {"unit_norm", kUnitNorm},      {"UnitNorm", kUnitNorm},
    {"max_norm", kMaxNorm}, {"MaxNorm", kMaxNorm}, {"min_max_norm", kMinMaxNorm}, {"MinMaxNorm", kMinMaxNorm}};

}  // namespace

Constraint::Constraint(std::string_view name) : Constraint(row_named("constraint", name, kConstraints).make({})) {}
Constraint Constraint::from(const Settings& s) { return row_named("constraint", s.class_name, kConstraints).make(s); }

Constraint non_neg() {
  return {Settings{"NonNeg", {}}, [](const Tensor& w) { return maximum(w, constant(0, w.dtype())); }};
}

Constraint unit_norm(int64_t axis) {
  return {Settings{"UnitNorm", {{"axis", axis}}},
          [axis](const Tensor& w) { return w / (lengths(w, axis) + constant(kEpsilon, w.dtype())); }};
}

Constraint max_norm(double max_value, int64_t axis) {
  if (!(max_value >= 0)) throw InvalidArgument(cat("[max_norm] max_value is ", max_value, "; a length must be ≥ 0"));
  return {Settings{"MaxNorm", {{"max_value", max_value}, {"axis", axis}}}, [=](const Tensor& w) {
            const Tensor length = lengths(w, axis), epsilon = constant(kEpsilon, w.dtype());
            const Tensor wanted = clip_by_value(length, constant(0, w.dtype()), constant(max_value, w.dtype()));
            return w * (wanted / (length + epsilon));
          }};
}

Constraint min_max_norm(double min_value, double max_value, double rate, int64_t axis) {
  if (!(min_value >= 0 && min_value <= max_value))
    throw InvalidArgument(cat("[min_max_norm] the lengths lie between ", min_value, " and ", max_value,
                              "; the first must be ≥ 0 and not above the second"));
  if (!(rate >= 0 && rate <= 1))
    throw InvalidArgument(cat("[min_max_norm] the rate is ", rate, "; it lies in [0, 1]"));
  return {
      Settings{"MinMaxNorm", {{"min_value", min_value}, {"max_value", max_value}, {"rate", rate}, {"axis", axis}}},
      [=](const Tensor& w) {
        const DType dtype = w.dtype();
        const Tensor length = lengths(w, axis);
        const Tensor nearest = clip_by_value(length, constant(min_value, dtype), constant(max_value, dtype));
        const Tensor wanted = constant(rate, dtype) * nearest + constant(1 - rate, dtype) * length;
        return w * (wanted / (length + constant(kEpsilon, dtype)));
      }};
}

}  // namespace brio::nn
