// Every loss of Keras against its values: each option, reduction, weights and masks, and the gradient.
#include "brio/nn/losses/losses.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using nn::Reduction;

constexpr const char* kLossFiles[] = {"losses_regression_1.json",   "losses_regression_2.json",
                                      "losses_crossentropy_1.json", "losses_crossentropy_2.json",
                                      "losses_focal_1.json",        "losses_focal_2.json",
                                      "losses_margins_1.json",      "losses_margins_2.json",
                                      "losses_others_1.json",       "losses_others_2.json"};
const std::pair<const char*, Reduction> kReductions[] = {
    {"none", Reduction::none},
    {"sum", Reduction::sum},
    {"sum_over_batch_size", Reduction::sum_over_batch_size},
    {"mean", Reduction::mean},
    {"mean_with_sample_weight", Reduction::mean_with_sample_weight}};

Axes axes_of(const golden::Case& c) {
  if (!c.inputs.count("axis")) return {};
  const auto& axes = c.input("axis").data;
  return Axes(std::vector<int>(axes.begin(), axes.end()));
}
std::optional<int64_t> ignored(const golden::Case& c) {
  if (!c.has("ignore_class")) return {};
  return static_cast<int64_t>(c.number("ignore_class"));
}

nn::Loss make_golden_loss(const golden::Case& c, Reduction reduction) {
  const std::string& kind = c.text("loss");
  const bool from_logits = c.number("from_logits", 0) != 0;
  const double smoothing = c.number("label_smoothing", 0), gamma = c.number("gamma", 2);
  const int axis = c.has("axis") ? static_cast<int>(c.number("axis")) : -1;
  const nn::LossOptions plain{.reduction = reduction};
  const nn::CrossentropyOptions crossentropy{
      .from_logits = from_logits, .label_smoothing = smoothing, .axis = axis, .reduction = reduction};
  if (kind == "MeanSquaredError") return nn::MeanSquaredError(plain);
  if (kind == "MeanAbsoluteError") return nn::MeanAbsoluteError(plain);
  if (kind == "MeanAbsolutePercentageError") return nn::MeanAbsolutePercentageError(plain);
  if (kind == "MeanSquaredLogarithmicError") return nn::MeanSquaredLogarithmicError(plain);
  if (kind == "LogCosh") return nn::LogCosh(plain);
  if (kind == "Huber") return nn::Huber({.delta = c.number("delta", 1), .reduction = reduction});
  if (kind == "CosineSimilarity") return nn::CosineSimilarity({.axis = axis, .reduction = reduction});
  if (kind == "BinaryCrossentropy") return nn::BinaryCrossentropy(crossentropy);
  if (kind == "CategoricalCrossentropy") return nn::CategoricalCrossentropy(crossentropy);
  if (kind == "SparseCategoricalCrossentropy")
    return nn::SparseCategoricalCrossentropy(
        {.from_logits = from_logits, .ignore_class = ignored(c), .axis = axis, .reduction = reduction});
  if (kind == "BinaryFocalCrossentropy")
    return nn::BinaryFocalCrossentropy({.apply_class_balancing = c.number("apply_class_balancing", 0) != 0,
                                        .alpha = c.number("alpha", 0.25),
                                        .gamma = gamma,
                                        .from_logits = from_logits,
                                        .label_smoothing = smoothing,
                                        .axis = axis,
                                        .reduction = reduction});
  if (kind == "CategoricalFocalCrossentropy")
    return nn::CategoricalFocalCrossentropy(
        {.alpha = c.inputs.count("alpha") ? c.input("alpha").data : std::vector<double>{c.number("alpha", 0.25)},
         .gamma = gamma,
         .from_logits = from_logits,
         .label_smoothing = smoothing,
         .axis = axis,
         .reduction = reduction});
  if (kind == "Hinge") return nn::Hinge(plain);
  if (kind == "SquaredHinge") return nn::SquaredHinge(plain);
  if (kind == "CategoricalHinge") return nn::CategoricalHinge(plain);
  if (kind == "KLDivergence") return nn::KLDivergence(plain);
  if (kind == "Poisson") return nn::Poisson(plain);
  if (kind == "Dice") return nn::Dice({.axis = axes_of(c), .reduction = reduction});
  if (kind == "Tversky")
    return nn::Tversky(
        {.alpha = c.number("alpha", 0.5), .beta = c.number("beta", 0.5), .axis = axes_of(c), .reduction = reduction});
  if (kind == "Circle")
    return nn::Circle({.gamma = c.number("gamma", 80),
                       .margin = c.number("margin", 0.4),
                       .remove_diagonal = c.number("remove_diagonal", 1) != 0,
                       .reduction = reduction});
  if (kind == "CategoricalGeneralizedCrossEntropy")
    return nn::CategoricalGeneralizedCrossEntropy({.q = c.number("q"), .reduction = reduction});
  if (kind == "CTC") return nn::CTC(plain);
  throw std::out_of_range("no loss " + kind);
}

struct Inputs {
  explicit Inputs(const golden::Case& c)
      : y_true(c.number("integers") != 0 ? golden::int_tensor(c.input("y_true")) : golden::tensor(c.input("y_true"))),
        y_pred(golden::tensor(c.input("y_pred"))) {
    if (c.inputs.count("sample_weight")) weight = golden::tensor(c.input("sample_weight"));
    if (c.inputs.count("mask")) mask = cast(golden::int_tensor(c.input("mask")), boolean);
  }
  Tensor y_true, y_pred, weight, mask;
};

TEST(LossesGolden, ValuesAndGradients) {
  for (const char* file : kLossFiles)
    for (const golden::Case& c : golden::load(file)) {
      const Inputs in(c);
      for (const auto& [name, reduction] : kReductions)
        if (c.outputs.count(name))
          golden::expect_close(make_golden_loss(c, reduction)(in.y_true, in.y_pred, in.weight, in.mask),
                               c.output(name), c.name + " " + name);
      if (!c.outputs.count("gradient")) continue;
      GradientTape tape;
      tape.watch(in.y_pred);
      const Tensor loss =
          make_golden_loss(c, Reduction::sum_over_batch_size)(in.y_true, in.y_pred, in.weight, in.mask);
      golden::expect_close(tape.gradient(loss, {in.y_pred})[0], c.output("gradient"), c.name + " gradient");
    }
}

TEST(LossesGolden, InAFunction) {
  for (const char* file : kLossFiles)
    for (const golden::Case& c : golden::load(file)) {
      const Inputs in(c);
      const nn::Loss loss = make_golden_loss(c, Reduction::sum_over_batch_size);
      auto f = function([&](const Tensor& t, const Tensor& p) { return loss(t, p, in.weight, in.mask); });
      golden::expect_close(f(in.y_true, in.y_pred), c.output("sum_over_batch_size"), c.name);
    }
}

// What Keras says in float32 is what float64 says, more exactly; 16 bits are widened, and these inputs fit into them.
TEST(LossesGolden, InOtherDtypes) {
  for (const char* file : kLossFiles)
    for (const golden::Case& c : golden::load(file)) {
      if (c.text("loss") == "Circle") continue;  // its inputs are no short numbers
      const Inputs in(c);
      const nn::Loss loss = make_golden_loss(c, Reduction::sum);
      const Tensor wide = loss(in.y_true, cast(in.y_pred, f64), in.weight, in.mask);
      EXPECT_EQ(wide.dtype(), f64) << c.name;
      golden::expect_close(wide, c.output("sum"), c.name + " in float64");
      const Tensor narrow = loss(in.y_true, cast(in.y_pred, bf16), in.weight, in.mask);
      EXPECT_EQ(narrow.dtype(), f32) << c.name;
      golden::expect_close(narrow, c.output("sum"), c.name + " in bfloat16");
    }
}

}  // namespace
}  // namespace brio
