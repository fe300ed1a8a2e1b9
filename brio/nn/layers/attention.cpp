#include "brio/nn/layers/attention.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/layers/attention_parts.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, AttentionLayerOptions& o) {
  f("use_scale", o.use_scale);
  f("score_mode", o.score_mode);
  f("dropout", o.dropout);
  f("seed", o.seed);
}
void list_fields(Fields& f, AdditiveAttentionOptions& o) {
  f("use_scale", o.use_scale);
  f("dropout", o.dropout);
  f("seed", o.seed);
}

// What is the same for both: everything but the scores.
class ScoredModule : public MultiModule {
 public:
  ScoredModule(std::string_view base, const LayerOptions& options, double dropout, std::optional<uint64_t> seed)
      : MultiModule(base, options), dropout_(dropout) {
    check_dropout(name(), dropout);
    if (seed) generator_.emplace(*seed);
    supports_masking_ = true;
  }
  Generator* own_generator() override { return generator_ ? &*generator_ : nullptr; }

 protected:
  virtual Tensor scores(const Tensor& query, const Tensor& key) const = 0;  // (batch, Tq, Tv)

  void check_all(const std::vector<Shape>& inputs) const override {
    check_inputs(name(), inputs, 3, 2);
    const Shape &query = inputs[0], &key = inputs.back();
    if (query[query.rank() - 1] != key[key.rank() - 1])
      throw InvalidArgument(
          cat("[", name(), "] query and key must have as many features, but have shapes ", query, " and ", key));
  }

  Tensors call_all(const Tensors& in, const Call& how) override {
    const Tensor &query = in[0], &value = in[1];
    Tensor logits = scores(query, in.back());
    const int rank = logits.rank();
    Tensor seen = how.mask(1);
    if (seen.defined()) seen = expand_dims(cast(seen, boolean), -2);
    if (how.use_causal_mask) seen = both(seen, causal_mask(logits.shape()[rank - 2], logits.shape()[rank - 1]));
    if (seen.defined()) {
      const DType dtype = logits.dtype();
      logits = select(seen, logits, logits - constant(dtype == f16 ? 65504.0 : 1e9, dtype));
    }
    const Tensor weights = softmax(logits);
    Tensor result = matmul(how.training ? drop_weights(weights, dropout_, generator_) : weights, value);
    if (const Tensor counts = how.mask(0); counts.defined())
      result = select(expand_dims(cast(counts, boolean), -1), result, constant(0, result.dtype()));
    if (how.return_attention_scores) return {result, weights};
    return {result};
  }
  Tensors compute_masks(const Tensors&, const Call& how, size_t) const override { return {how.mask(0)}; }

  // tanh-like sums over all pairs: query and key as (…, Tq, 1, dim) and (…, 1, Tv, dim).
  static Tensor pairs(const Tensor& query, const Tensor& key) {
    return expand_dims(query, -2) + expand_dims(key, -3);
  }

 private:
  double dropout_;
  std::optional<Generator> generator_;
};

class AttentionModule : public ScoredModule {
 public:
  explicit AttentionModule(AttentionLayerOptions options)
      : ScoredModule("attention", {.dtype = options.dtype, .name = options.name}, options.dropout, options.seed),
        options_(std::move(options)) {
    if (options_.score_mode != "dot" && options_.score_mode != "concat")
      throw InvalidArgument(
          cat("[", name(), "] score_mode is '", options_.score_mode, "'; it can be 'dot' or 'concat'"));
    if (options_.use_scale || options_.score_mode == "concat") will_have_weights();
  }
  std::string_view kind() const override { return "Attention"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_all(const std::vector<Shape>&) override {
    if (options_.use_scale) scale_ = add_weight("scale", {}, {.initializer = "ones"});
    if (options_.score_mode == "concat") weight_ = add_weight("concat_score_weight", {}, {.initializer = "ones"});
  }
  Tensor scores(const Tensor& query, const Tensor& key) const override {
    if (options_.score_mode == "dot") {
      const Tensor products = matmul(query, key, {.transpose_b = true});
      return options_.use_scale ? products * scale_ : products;
    }
    const Tensor sums = pairs(query, key);
    return sum(tanh(options_.use_scale ? sums * scale_ : sums), -1) * weight_;
  }

 private:
  AttentionLayerOptions options_;
  Variable scale_, weight_;
};

class AdditiveAttentionModule : public ScoredModule {
 public:
  explicit AdditiveAttentionModule(AdditiveAttentionOptions options)
      : ScoredModule("additive_attention", {.dtype = options.dtype, .name = options.name}, options.dropout,
                     options.seed),
        options_(std::move(options)) {
    if (options_.use_scale) will_have_weights();
  }
  std::string_view kind() const override { return "AdditiveAttention"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_all(const std::vector<Shape>& inputs) override {
    if (options_.use_scale) scale_ = add_weight("scale", {inputs[0][inputs[0].rank() - 1]});
  }
  void check_all(const std::vector<Shape>& inputs) const override {
    ScoredModule::check_all(inputs);
    const int64_t features = inputs[0][inputs[0].rank() - 1];
    if (built() && options_.use_scale && features != scale_.shape()[0])
      throw InvalidArgument(cat("[", name(), "] was built for ", scale_.shape()[0],
                                " features, but the query of shape ", inputs[0], " has ", features));
  }
  Tensor scores(const Tensor& query, const Tensor& key) const override {
    const Tensor sums = tanh(pairs(query, key));
    return sum(options_.use_scale ? sums * scale_ : sums, -1);
  }

 private:
  AdditiveAttentionOptions options_;
  Variable scale_;
};

}  // namespace

Attention::Attention(AttentionLayerOptions options) : Layer(std::make_shared<AttentionModule>(std::move(options))) {}
Layer Attention::from_config(Fields& f) {
  auto o = options_from<AttentionLayerOptions>(f);
  list_fields(f, o);
  return Attention(o);
}

AdditiveAttention::AdditiveAttention(AdditiveAttentionOptions options)
    : Layer(std::make_shared<AdditiveAttentionModule>(std::move(options))) {}
Layer AdditiveAttention::from_config(Fields& f) {
  auto o = options_from<AdditiveAttentionOptions>(f);
  list_fields(f, o);
  return AdditiveAttention(o);
}

}  // namespace brio::nn
