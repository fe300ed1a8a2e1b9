#include "brio/models/transformer.h"

#include "brio/base/error.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/dropout.h"
#include "brio/nn/layers/merging.h"
#include "brio/nn/layers/multi_head_attention.h"
#include "brio/nn/layers/normalization.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::models {
namespace {

using nn::Symbol;

class Positions : public nn::Module {
 public:
  Positions(int64_t places, bool class_token) : Module("positions"), places_(places), class_token_(class_token) {
    will_have_weights();
    supports_masking_ = !class_token;
  }
  std::string_view kind() const override { return "Positions"; }

 protected:
  void create_weights(const Shape& input) override {
    const nn::Initializer small = nn::truncated_normal({.stddev = 0.02});
    if (class_token_) token_ = add_weight("class_token", {1, 1, input[2]}, {.initializer = small});
    places_weight_ = add_weight("embeddings", {places_, input[2]}, {.initializer = small});
  }
  void check_input(const Shape& input) const override {
    if (input.rank() != 3 || surely_less(places_, input[1] + class_token_))
      refuse(cat("takes (batch, time, width) with at most ", places_ - class_token_, " steps of time, but got shape ",
                 input));
  }
  Tensor call(const Tensor& x, const nn::Call&) override {
    Tensor tokens = x;
    const Size batch = x.shape()[0], width = x.shape()[2];
    if (class_token_) tokens = concat({broadcast_to(token_, {batch, 1, width}), x}, 1);
    const Size steps = tokens.shape()[1];
    return tokens + slice(places_weight_, {{0, steps}, {0, width}});
  }

 private:
  int64_t places_;
  bool class_token_;
  Variable token_, places_weight_;
};

Symbol dropped(const Symbol& x, double rate) { return rate == 0 ? x : nn::Dropout(rate)(x); }

}  // namespace

nn::Layer positions(int64_t places, bool class_token) { return nn::layer<Positions>(places, class_token); }

Symbol transformer_block(const Symbol& x, const BlockOptions& o) {
  const int64_t width = x.spec()[2];
  Symbol y = nn::LayerNormalization({.epsilon = o.epsilon})(x);
  y = nn::MultiHeadAttention(o.heads, width / o.heads, {.dropout = o.dropout})({y, y}, {.use_causal_mask = o.causal});
  const Symbol attended = nn::add({x, dropped(y, o.dropout)});
  y = nn::LayerNormalization({.epsilon = o.epsilon})(attended);
  y = nn::Dense(4 * width, {.activation = "gelu"})(y);
  y = nn::Dense(width)(y);
  return nn::add({attended, dropped(y, o.dropout)});
}

}  // namespace brio::models
