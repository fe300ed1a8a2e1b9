// What the doctor tried out when a run had ended, on copies: seconds of one step; 0: it was not tried.
#pragma once

#include <cstdint>
#include <string>

namespace brio::profile {

// The step in another precision, and as it is, in turns.
struct PrecisionTrial {
  std::string now = {}, other = {};  // policies: "float32", "mixed_bfloat16"; empty: it was not tried
  double seconds = 0, at_other = 0;
  double loss = 0, other_loss = 0;  // of the batch that was tried
  bool keeps_loss = false;          // as near as the policy "auto" wants it
};

// The layer that most of a step goes to, and a cheaper one in its place.
struct LayerTrial {
  enum class Form : uint8_t { none, separable, strided };

  std::string layer = {};        // "conv2d_1"; empty: it was not looked for
  double seconds = 0, step = 0;  // its time, there and back, and that of all the step
  double reached = 0;            // of what this machine could do in that time: products or memory
  Form form = Form::none;
  int axes = 0;                      // along which its window slides
  int64_t filters = 0, window = 0;   // of a convolution
  int64_t stride = 0;                // of the pooling behind it
  double as_it_is = 0, cheaper = 0;  // the ops by themselves, there and back
};

struct Trials {
  double alone = 0;                        // the step by itself, without input and callbacks
  double other_rows = 0;                   // samples of another batch size,
  double at_other_rows = 0;                // and the step at that size
  double without_metrics = 0;              // without updating metrics
  double flops = 0, bytes = 0;             // of the step: of products; read and written
  double peak_flops = 0, peak_memory = 0;  // what this machine does in a second
  PrecisionTrial precision = {};
  LayerTrial layer = {};
};

}  // namespace brio::profile
