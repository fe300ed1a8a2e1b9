#include "brio/train/bad_numbers.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/base/warning.h"
#include "brio/train/trainer.h"

namespace brio::train {

OnBadNumber on_bad_number_from(std::string_view name) {
  if (name == "warn") return OnBadNumber::warn;
  if (name == "stop") return OnBadNumber::stop;
  if (name == "skip") return OnBadNumber::skip;
  throw InvalidArgument(cat("[fit] on_bad_number is '", name, "'; it is 'warn', 'stop' or 'skip'"));
}

BadNumberWatch::BadNumberWatch(Trainer& trainer, const nn::FitOptions& options, const Checkpoints* checkpoints)
    : trainer_(trainer), what_(options.on_bad_number), checkpoints_(checkpoints) {
  trainer_.set_gate(what_ != OnBadNumber::warn);
}
BadNumberWatch::~BadNumberWatch() { trainer_.set_gate(false); }

// Looking for it must not end a run that would go on.
std::string BadNumberWatch::cause(const Batch& batch, const BatchSource& batches) {
  try {
    return trainer_.explain_step(batch, batches);
  } catch (const Error& error) {
    return cat("  the step could not be run again op by op: ", error.what());
  }
}

void BadNumberWatch::after_step(const Batch& batch, const BatchSource& batches, int64_t epoch, int64_t step) {
  if (what_ == OnBadNumber::warn || !trainer_.take_bad_step()) return;
  ++skipped_;
  if (what_ == OnBadNumber::skip && skipped_ > 1) return;  // one is told in full; at_end() has their number
  const std::string where =
      cat("[fit] step ", step, " of epoch ", epoch + 1,
          " gave numbers that are not finite; weights, optimizer, statistics and metrics are as before it\n",
          cause(batch, batches));
  if (what_ == OnBadNumber::stop) throw InvalidArgument(where);
  warn(where + "\n  such steps are left out, and training goes on");
}

void BadNumberWatch::saw(const Logs& logs, int64_t epoch, int64_t step) {
  if (logs.has("loss")) saw(logs["loss"], epoch, step);
}

void BadNumberWatch::saw(double loss, int64_t epoch, int64_t step) {
  bad_ = !std::isfinite(loss);
  if (!bad_ || std::exchange(told_, true)) return;
  const std::string rate = cat(trainer_.optimizer().learning_rate().item<double>());
  std::string text = cat("[fit] the loss is ", std::isnan(loss) ? NAN : loss, " by step ", step, " of epoch ",
                         epoch + 1, " (learning rate ", rate,
                         "); training goes on. on_bad_number = \"stop\" or \"skip\" names the first op, layer, batch "
                         "and rows, and leaves such steps out");
  if (checkpoints_)
    text += checkpoints_->newest().empty()
                ? "; there is no checkpoint from before it"
                : cat("; with resume it does so from the checkpoint before it, ", checkpoints_->newest(),
                      ", as none is written while the loss is not finite");
  warn(text);
}

void BadNumberWatch::at_end() const {
  if (skipped_ > 1) warn(cat("[fit] ", skipped_, " steps were left out, as their numbers were not finite"));
}

}  // namespace brio::train
