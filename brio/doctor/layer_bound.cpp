// One layer takes most of a step, and there is a cheaper one that does nearly the same: it was tried by itself.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {
namespace {

using profile::LayerTrial;

std::string remedy_of(const LayerTrial& t, bool python) {
  const std::string filters = std::to_string(t.filters), window = std::to_string(t.window);
  const std::string axes = cat(t.axes, "D");
  if (t.form == LayerTrial::Form::separable)
    return python ? cat("tf.keras.layers.SeparableConv", axes, "(", filters, ", ", window, ", ...)  # for ", t.layer,
                        ", with its other arguments; another model, of fewer weights")
                  : cat("nn::SeparableConv", axes, "(", filters, ", {", window, "}, …)  // for ", t.layer,
                        ", with its other options; another model, of fewer weights");
  return python ? cat("tf.keras.layers.Conv", axes, "(", filters, ", ", window, ", ..., strides=", t.stride,
                      ")  # for ", t.layer, ", and without the pooling behind it; another model")
                : cat("nn::Conv", axes, "(", filters, ", {", window, "}, {.strides = {", t.stride, "}, …})  // for ",
                      t.layer, ", and without the pooling behind it; another model");
}

}  // namespace

std::optional<Finding> layer_bound(const Evidence& e) {
  // It makes another model, which may learn less: not for a little.
  constexpr double kWorthAnother = 1.3;
  const LayerTrial& t = e.trials.layer;
  if (t.form == LayerTrial::Form::none || t.as_it_is <= 0 || t.step <= 0) return {};
  const double own = t.seconds / t.step * e.part(Part::run);
  const double saved = own * (1 - t.cheaper / t.as_it_is);
  Finding f{.id = "layer_bound", .where = t.layer};
  f.gain = gain_of(e.step, e.step - saved, e.step - 0.85 * saved, e.step - own, How::tried);
  if (f.gain.factor < kWorthAnother) return {};
  const bool separable = t.form == LayerTrial::Form::separable;
  f.evidence = {{"share", own / e.step},
                {"ms_a_step", own * 1e3},
                {"of_the_machines_limit", t.reached},
                {"ms_by_itself", t.as_it_is * 1e3},
                {separable ? "ms_separable" : "ms_strided", t.cheaper * 1e3}};
  f.symptom = cat(t.layer, " takes ", percent(own / e.step), " of a step; by itself ", duration(t.as_it_is),
                  separable ? ", separable " : " with its pooling, strided ", duration(t.cheaper), " (",
                  percent(t.reached), " of what the machine can do)");
  f.remedy = remedy_of(t, e.from_python);
  f.confidence = 0.7;
  return f;
}

}  // namespace brio::doctor
