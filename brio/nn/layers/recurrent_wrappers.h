// Layers around layers: Bidirectional walks along a sequence both ways, TimeDistributed applies a layer to each step.
//
//   nn::Bidirectional(nn::LSTM(64, {.return_sequences = true}), {.merge_mode = "sum"})
//   nn::TimeDistributed(nn::Conv2D(16, {3, 3}))          // (batch, time, height, width, channels)
#pragma once

#include <optional>
#include <string>

#include "brio/nn/module.h"

namespace brio::nn {

struct BidirectionalOptions {
  std::optional<std::string> merge_mode = "concat";  // or "sum", "mul", "ave"; nullopt: both results
  std::optional<Layer> backward_layer = {};          // default: made like the layer, with go_backwards
  Policy dtype = {};
  std::string name = {};
};
// The layer must be a recurrent one; it is copied, with new weights. With return_state its states follow the output,
// then those of the backward direction; initial states are given in that order.
class Bidirectional : public Layer {
 public:
  explicit Bidirectional(const Layer& layer, BidirectionalOptions options = {});
  static Layer from_config(Fields& fields);
};

class TimeDistributed : public Layer {
 public:
  explicit TimeDistributed(Layer layer, LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
