// The losses by name, as Keras spells them.
#include "brio/nn/loss_parts.h"
#include "brio/nn/losses.h"
#include "brio/nn/names.h"

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
Loss told_by_shapes() { return Loss("crossentropy", any_crossentropy); }

template <typename Kind>
Loss made() {
  return Kind();
}

struct LossRow {
  std::string_view name;
  Loss (*make)();
};
constexpr LossRow kLosses[] = {
    {"crossentropy", told_by_shapes},
    {"ce", told_by_shapes},
    {"binary_crossentropy", made<BinaryCrossentropy>},
    {"BinaryCrossentropy", made<BinaryCrossentropy>},
    {"bce", made<BinaryCrossentropy>},
    {"BCE", made<BinaryCrossentropy>},
    {"binary_focal_crossentropy", made<BinaryFocalCrossentropy>},
    {"BinaryFocalCrossentropy", made<BinaryFocalCrossentropy>},
    {"categorical_crossentropy", made<CategoricalCrossentropy>},
    {"CategoricalCrossentropy", made<CategoricalCrossentropy>},
    {"categorical_focal_crossentropy", made<CategoricalFocalCrossentropy>},
    {"CategoricalFocalCrossentropy", made<CategoricalFocalCrossentropy>},
    {"sparse_categorical_crossentropy", made<SparseCategoricalCrossentropy>},
    {"SparseCategoricalCrossentropy", made<SparseCategoricalCrossentropy>},
    {"categorical_generalized_cross_entropy", made<CategoricalGeneralizedCrossEntropy>},
    {"CategoricalGeneralizedCrossEntropy", made<CategoricalGeneralizedCrossEntropy>},
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
    {"huber", made<Huber>},
    {"Huber", made<Huber>},
    {"log_cosh", made<LogCosh>},
    {"LogCosh", made<LogCosh>},
    {"cosine_similarity", made<CosineSimilarity>},
    {"CosineSimilarity", made<CosineSimilarity>},
    {"hinge", made<Hinge>},
    {"Hinge", made<Hinge>},
    {"squared_hinge", made<SquaredHinge>},
    {"SquaredHinge", made<SquaredHinge>},
    {"categorical_hinge", made<CategoricalHinge>},
    {"CategoricalHinge", made<CategoricalHinge>},
    {"dice", made<Dice>},
    {"Dice", made<Dice>},
    {"tversky", made<Tversky>},
    {"Tversky", made<Tversky>},
    {"circle", made<Circle>},
    {"Circle", made<Circle>},
    {"ctc", made<CTC>},
    {"CTC", made<CTC>},
};

}  // namespace

Loss::Loss(std::string_view name) {
  const Loss found = row_named("loss", name, kLosses).make();
  impl_ = std::make_shared<const Impl>(Impl{std::string(name), found.impl_->function, found.impl_->reduction});
}

}  // namespace brio::nn
