// CTC by the forward recursion over the states blank, label 1, blank, label 2, …, blank, in logarithms. The gradient
// is that of the recursion.
#include "brio/nn/losses_sequence.h"

#include "brio/nn/loss_parts.h"
#include "brio/ops/arrange.h"
#include "brio/ops/check.h"
#include "brio/ops/composites.h"
#include "brio/ops/control.h"
#include "brio/ops/nd_indexing.h"
#include "brio/ops/ranges.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"
#include "brio/ops/statistics.h"

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

}  // namespace

Tensor ctc(const Tensor& y_true, const Tensor& y_pred) {
  constexpr const char* kName = "ctc";
  require(kName, y_true, y_pred);
  if (y_true.rank() != 2 || y_pred.rank() != 3 || y_true.shape()[0] != y_pred.shape()[0])
    throw_invalid(kName, cat("the targets have shape ", y_true.shape(), " and the predictions ", y_pred.shape(),
                             "; give class numbers (batch, labels) and logits (batch, time, classes)"));
  const Size batch = y_true.shape()[0], labels = y_true.shape()[1], states = 2 * labels + 1;
  if (labels == 0 || y_pred.shape()[1] == 0 || y_pred.shape()[2] == 0)
    throw_invalid(kName, cat("there is nothing to align in targets of shape ", y_true.shape(),
                             " and predictions of shape ", y_pred.shape(), "; give at least one of each"));
  const Tensor classes = cast(y_true, i64), blank = zeros({batch, labels}, i64);
  const Tensor lengths = count_nonzero(classes, -1, true);
  const Tensor path = concat({reshape(stack({blank, classes}, 2), {batch, 2 * labels}), zeros({batch, 1}, i64)}, 1);
  // From one label to the next without a blank, unless they are the same.
  const Tensor two_before = pad(slice(path, {{}, {.end = -2}}), {{}, {2, 0}}, 0);
  const Tensor skips = logical_and(not_equal(path, constant(0, i64)), not_equal(path, two_before));

  const Tensor observed = transpose(gather(log_softmax(y_pred), path, 2, 1), {1, 0, 2});  // (time, batch, states)
  const DType dtype = observed.dtype();
  const Tensor impossible = constant(kImpossible, dtype), state = iota(states);
  const Tensor start =
      broadcast_to(select(equal(state, constant(0, i64)), constant(0, dtype), impossible), {batch, states});
  const Tensor reached = scan(
                             [&](const std::vector<Tensor>& carried, const std::vector<Tensor>& seen) -> ScanStep {
                               const Tensor& stay = carried[0];
                               const Tensor skip = select(skips, moved(stay, 2), impossible);
                               return {{logsumexp(stack({stay, moved(stay, 1), skip}, 0), 0) + seen[0]}, {}};
                             },
                             {start}, {observed})
                             .carried[0];
  // The last label or the blank behind it.
  const Tensor end = lengths + lengths;
  const Tensor is_end = logical_or(equal(state, end), equal(state, end - constant(1, i64)));
  const Tensor ends = select(is_end, constant(0, dtype), constant(kNotEnded, dtype));
  return neg(logsumexp(reached + ends, -1));
}

CTC::CTC(LossOptions o) : Loss(or_default(o.name, "ctc"), ctc, o.reduction) {}

}  // namespace brio::nn
