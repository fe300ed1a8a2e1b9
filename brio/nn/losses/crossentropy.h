// Shared by the cross-entropies and the metrics. Not for users.
#pragma once

#include <optional>

#include "brio/ir/op.h"
#include "brio/nn/losses/loss.h"
#include "brio/ops/network/composites.h"

namespace brio::nn {

// The logits of a prediction: the input of its activation, or the prediction itself if the user says so; undefined if
// neither is known. Keras takes the former even if the user says the latter, and warns.
Tensor logits_of(const char* loss, const Tensor& y_pred, bool from_logits, const OpDef& activation,
                 FusedActivation fused);

// Elementwise, from probabilities p or, if given, from logits.
Tensor binary_crossentropies(const Tensor& t, const Tensor& p, const Tensor& logits);

// Labels moved towards equal probabilities of so many classes.
Tensor smoothed(const Tensor& labels, double label_smoothing, int64_t classes);

// sparse_categorical_crossentropy, with what ignore_class leaves as the mask.
SampleValues sparse_crossentropies(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                                   std::optional<int64_t> ignore_class, int axis);

// The mean over one axis.
Tensor mean_over(const char* loss, const Tensor& x, int axis);

}  // namespace brio::nn
