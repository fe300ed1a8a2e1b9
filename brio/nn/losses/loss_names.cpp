// The losses by name, as Keras spells them.
#include "brio/base/error.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/losses/losses.h"
#include "brio/nn/names.h"
#include "brio/nn/option_fields.h"

namespace brio::nn {
namespace {

Tensor any_crossentropy(const Tensor& y_true, const Tensor& y_pred) {
  require("crossentropy", y_true, y_pred);
  switch (label_kind(y_true.shape(), y_pred.shape())) {
    case LabelKind::binary: return binary_crossentropy(y_true, y_pred);
    case LabelKind::sparse: return sparse_categorical_crossentropy(y_true, y_pred);
    case LabelKind::one_hot: break;
  }
  return categorical_crossentropy(y_true, y_pred);
}
Loss told_by_shapes(const Settings&) { return Loss("crossentropy", any_crossentropy); }

template <typename Kind, typename Options = LossOptions>
Loss made(const Settings& settings) {
  return Kind(options_of<Options>(settings));
}

// Those whose axes no config says.
template <typename Kind, typename Options>
Loss region(const Settings& settings) {
  if (settings.has("axis"))
    throw InvalidArgument(
        cat("[", settings.class_name, "] its axes cannot be read from a config; compile() it again"));
  return Kind(Options());
}

struct LossRow {
  std::string_view name;
  Loss (*make)(const Settings&);
};
constexpr LossRow kLosses[] = {
    {"crossentropy", told_by_shapes},
    {"ce", told_by_shapes},
    {"binary_crossentropy", made<BinaryCrossentropy, CrossentropyOptions>},
    {"BinaryCrossentropy", made<BinaryCrossentropy, CrossentropyOptions>},
    {"bce", made<BinaryCrossentropy, CrossentropyOptions>},
    {"BCE", made<BinaryCrossentropy, CrossentropyOptions>},
    {"binary_focal_crossentropy", made<BinaryFocalCrossentropy, BinaryFocalOptions>},
    {"BinaryFocalCrossentropy", made<BinaryFocalCrossentropy, BinaryFocalOptions>},
    {"categorical_crossentropy", made<CategoricalCrossentropy, CrossentropyOptions>},
    {"CategoricalCrossentropy", made<CategoricalCrossentropy, CrossentropyOptions>},
    {"categorical_focal_crossentropy", made<CategoricalFocalCrossentropy, CategoricalFocalOptions>},
    {"CategoricalFocalCrossentropy", made<CategoricalFocalCrossentropy, CategoricalFocalOptions>},
    {"sparse_categorical_crossentropy", made<SparseCategoricalCrossentropy, SparseCrossentropyOptions>},
    {"SparseCategoricalCrossentropy", made<SparseCategoricalCrossentropy, SparseCrossentropyOptions>},
    {"categorical_generalized_cross_entropy",
     made<CategoricalGeneralizedCrossEntropy, GeneralizedCrossentropyOptions>},
    {"CategoricalGeneralizedCrossEntropy", made<CategoricalGeneralizedCrossEntropy, GeneralizedCrossentropyOptions>},
    {"kl_divergence", made<KLDivergence>},
    {"KLDivergence", made<KLDivergence>},
    {"kld", made<KLDivergence>},
    {"KLD", made<KLDivergence>},
    {"poisson", made<Poisson>},
    {"Poisson", made<Poisson>},
    {"mean_squared_error", made<MeanSquaredError>},
    {"MeanSquaredError", made<MeanSquaredError>},
    {"mse", made<MeanSquaredError>},
    {"MSE", made<MeanSquaredError>},
    {"mean_absolute_error", made<MeanAbsoluteError>},
    {"MeanAbsoluteError", made<MeanAbsoluteError>},
    {"mae", made<MeanAbsoluteError>},
    {"MAE", made<MeanAbsoluteError>},
    {"mean_absolute_percentage_error", made<MeanAbsolutePercentageError>},
    {"MeanAbsolutePercentageError", made<MeanAbsolutePercentageError>},
    {"mape", made<MeanAbsolutePercentageError>},
    {"MAPE", made<MeanAbsolutePercentageError>},
    {"mean_squared_logarithmic_error", made<MeanSquaredLogarithmicError>},
    {"MeanSquaredLogarithmicError", made<MeanSquaredLogarithmicError>},
    {"msle", made<MeanSquaredLogarithmicError>},
    {"MSLE", made<MeanSquaredLogarithmicError>},
    {"huber", made<Huber, HuberOptions>},
    {"Huber", made<Huber, HuberOptions>},
    {"log_cosh", made<LogCosh>},
    {"LogCosh", made<LogCosh>},
    {"cosine_similarity", made<CosineSimilarity, CosineSimilarityOptions>},
    {"CosineSimilarity", made<CosineSimilarity, CosineSimilarityOptions>},
    {"hinge", made<Hinge>},
    {"Hinge", made<Hinge>},
    {"squared_hinge", made<SquaredHinge>},
    {"SquaredHinge", made<SquaredHinge>},
    {"categorical_hinge", made<CategoricalHinge>},
    {"CategoricalHinge", made<CategoricalHinge>},
    {"dice", region<Dice, DiceOptions>},
    {"Dice", region<Dice, DiceOptions>},
    {"tversky", region<Tversky, TverskyOptions>},
    {"Tversky", region<Tversky, TverskyOptions>},
    {"circle", made<Circle, CircleOptions>},
    {"Circle", made<Circle, CircleOptions>},
    {"ctc", made<CTC>},
    {"CTC", made<CTC>},
};

}  // namespace

Loss::Loss(std::string_view name) {
  const Loss found = row_named("loss", name, kLosses).make({});
  impl_ =
      std::make_shared<const Impl>(Impl{std::string(name), found.impl_->function, found.impl_->reduction, {}, true});
}

Loss Loss::from(const Settings& settings) { return row_named("loss", settings.class_name, kLosses).make(settings); }

}  // namespace brio::nn
