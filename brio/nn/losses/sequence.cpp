// CTC by the forward recursion over the states blank, label 1, blank, label 2, …, blank, in logarithms. The gradient
// is that of the recursion.
#include "brio/nn/losses/sequence.h"

#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/control/control.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// The logarithm of what cannot be: finite, so that differences of two of them, and gradients, are numbers.
constexpr double kImpossible = -1e30;

// What it costs to end before the last label: log 1e-307, as in TensorFlow, whose loss is finite for labels that are
// too many for the time.
constexpr double kNotEnded = -706.8936235;

// States moved up by n; the first n are impossible.
Tensor moved(const Tensor& states, int64_t n) {
  return pad(slice(states, {{}, {.end = -n}}), {{}, {n, 0}}, kImpossible);
}

void check(const char* name, const Tensor& labels, const Tensor& logits) {
  if (labels.rank() != 2 || logits.rank() != 3 || labels.shape()[0] != logits.shape()[0])
    throw_invalid(name, cat("the targets have shape ", labels.shape(), " and the predictions ", logits.shape(),
                            "; give class numbers (batch, labels) and logits (batch, time, classes)"));
  if (labels.shape()[1] == 0 || logits.shape()[1] == 0 || logits.shape()[2] == 0)
    throw_invalid(name, cat("there is nothing to align in targets of shape ", labels.shape(),
                            " and predictions of shape ", logits.shape(), "; give at least one of each"));
}

// lengths: (batch, 1), of labels; times: (batch,), of predictions, or none where all count.
Tensor aligned_losses(const Tensor& labels, const Tensor& logits, const Tensor& lengths, const Tensor& times,
                      int64_t blank) {
  const Size batch = labels.shape()[0], count = labels.shape()[1], states = 2 * count + 1;
  const Tensor no_label = constant(blank, i64);
  // What lies behind a sequence's labels is never reached, and must be a class.
  const Tensor classes = select(less(broadcast_to(iota(count), labels.shape()), lengths), labels, no_label);
  const Tensor blanks = broadcast_to(no_label, {batch, count});
  const Tensor path =
      concat({reshape(stack({blanks, classes}, 2), {batch, 2 * count}), broadcast_to(no_label, {batch, 1})}, 1);
  // From one label to the next without a blank, unless they are the same.
  const Tensor two_before = pad(slice(path, {{}, {.end = -2}}), {{}, {2, 0}}, blank);
  const Tensor skips = logical_and(not_equal(path, no_label), not_equal(path, two_before));

  const Tensor observed = transpose(gather(log_softmax(logits), path, 2, 1), {1, 0, 2});  // (time, batch, states)
  const DType dtype = observed.dtype();
  const Tensor impossible = constant(kImpossible, dtype), state = iota(states);
  const Tensor start =
      broadcast_to(select(equal(state, constant(0, i64)), constant(0, dtype), impossible), {batch, states});
  std::vector<Tensor> elements{observed};
  if (times.defined()) elements.push_back(iota(logits.shape()[1]));
  const Tensor reached = scan(
                             [&](const std::vector<Tensor>& carried, const std::vector<Tensor>& seen) -> ScanStep {
                               const Tensor& stay = carried[0];
                               const Tensor skip = select(skips, moved(stay, 2), impossible);
                               Tensor next = logsumexp(stack({stay, moved(stay, 1), skip}, 0), 0) + seen[0];
                               if (times.defined()) next = select(expand_dims(less(seen[1], times), -1), next, stay);
                               return {{next}, {}};
                             },
                             {start}, elements)
                             .carried[0];
  // The last label or the blank behind it.
  const Tensor end = lengths + lengths;
  const Tensor is_end = logical_or(equal(state, end), equal(state, end - constant(1, i64)));
  const Tensor ends = select(is_end, constant(0, dtype), constant(kNotEnded, dtype));
  return neg(logsumexp(reached + ends, -1));
}

}  // namespace

Tensor ctc(const Tensor& y_true, const Tensor& y_pred) {
  constexpr const char* kName = "ctc";
  require(kName, y_true, y_pred);
  check(kName, y_true, y_pred);
  return aligned_losses(cast(y_true, i64), y_pred, count_nonzero(cast(y_true, i64), -1, true), Tensor(), 0);
}

Tensor ctc_loss(const Tensor& labels, const Tensor& logits, const Tensor& label_length, const Tensor& logit_length,
                int64_t blank) {
  constexpr const char* kName = "ctc_loss";
  require(kName, labels, logits);
  check(kName, labels, logits);
  for (const Tensor& length : {label_length, logit_length})
    if (!length.defined() || length.rank() != 1 || length.shape()[0] != labels.shape()[0])
      throw_invalid(kName, cat("a length has shape ", length.defined() ? length.shape() : Shape(),
                               "; give one number for each of ", labels.shape()[0], " sequences"));
  const Size classes = logits.shape()[2];
  if (classes.known() && (blank < -int64_t{classes} || blank >= int64_t{classes}))
    throw_invalid(kName, cat("the blank is class ", blank, " of ", classes));
  return aligned_losses(cast(labels, i64), logits, expand_dims(cast(label_length, i64), -1), cast(logit_length, i64),
                        blank < 0 ? blank + int64_t{classes} : blank);
}

CTC::CTC(LossOptions o) : Loss(or_default(o.name, "ctc"), ctc, o.reduction, settings_of("CTC", o)) {}

}  // namespace brio::nn
