// Losses for sequences: connectionist temporal classification (CTC), for labels whose times are not known.
#pragma once

#include "brio/nn/losses/loss.h"

namespace brio::nn {

// y_true holds class numbers, (batch, labels), filled up with 0, which is the blank and not a class. y_pred holds the
// logits of each time step, (batch, time, classes). The loss is -log of the probability of all ways to spread the
// labels over the time; infinite if there is none.
class CTC : public Loss {
 public:
  explicit CTC(LossOptions options = {});
};

Tensor ctc(const Tensor& y_true, const Tensor& y_pred);

// The same for sequences of different lengths: class numbers (batch, labels), logits (batch, time, classes), and the
// number of valid ones in each, (batch,). `blank` is the class that means no label.
Tensor ctc_loss(const Tensor& labels, const Tensor& logits, const Tensor& label_length, const Tensor& logit_length,
                int64_t blank);

}  // namespace brio::nn
