// What the doctor tried on copies at the end of a run: seconds of one step; 0: not tried.
#pragma once

#include <cstdint>
#include <string>

namespace brio::profile {

// The step in another precision and in its own, in turn.
struct PrecisionTrial {
  std::string now = {}, other = {};  // policies: "float32", "mixed_bfloat16"; empty: not tried
  double seconds = 0, at_other = 0;
  double loss = 0, other_loss = 0;  // of the batch in the trial
  bool keeps_loss = false;          // within the limit of the policy "auto"
};

// The layer that takes most of a step, and a cheaper one in its place.
struct LayerTrial {
  enum class Form : uint8_t { none, separable, strided };

  std::string layer = {};        // "conv2d_1"; empty: not looked for
  double seconds = 0, step = 0;  // its time, forward and backward, and that of the whole step
  double reached = 0;            // share of this machine's possible speed in that time: of products or memory
  Form form = Form::none;
  int axes = 0;                      // along which its window slides
  int64_t filters = 0, window = 0;   // of a convolution
  int64_t stride = 0;                // of the pooling after it
  double as_it_is = 0, cheaper = 0;  // the ops alone, forward and backward
};

struct Trials {
  double alone = 0;                        // the step alone, without input and callbacks
  double other_rows = 0;                   // samples of another batch size,
  double at_other_rows = 0;                // and the step at that size
  double without_metrics = 0;              // without updating metrics
  double flops = 0, bytes = 0;             // of the step: of products; read and written
  double peak_flops = 0, peak_memory = 0;  // of this machine, per second
  PrecisionTrial precision = {};
  LayerTrial layer = {};
};

}  // namespace brio::profile
