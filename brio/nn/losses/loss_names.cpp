// The losses by name, as Keras spells them.
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

template <typename Kind, typename Options>
Loss made(const Settings& settings) {
  return Kind(options_of<Options>(settings));
}

struct LossRow {
  std::string_view name;
  Loss (*make)(const Settings&);
};
constexpr LossRow kLosses[] = {
    {"crossentropy", told_by_shapes},
    {"ce", told_by_shapes},
#define BRIO_LOSS(Class, function, Options) {#function, made<Class, Options>}, {#Class, made<Class, Options>},
#define BRIO_LOSS_NAME(name, Class, Options) {name, made<Class, Options>},
#include "brio/nn/losses/loss_kinds.h"
};

}  // namespace

Loss::Loss(std::string_view name) {
  const Loss found = row_named("loss", name, kLosses).make({});
  impl_ =
      std::make_shared<const Impl>(Impl{std::string(name), found.impl_->function, found.impl_->reduction, {}, true});
}

Loss Loss::from(const Settings& settings) { return row_named("loss", settings.class_name, kLosses).make(settings); }

}  // namespace brio::nn
