#include "brio/nn/layers/multi_head_attention.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/layers/attention_parts.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/attention.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

template <typename Options>
void list_shared_fields(Fields& f, Options& o) {
  f("dropout", o.dropout);
  f("use_bias", o.use_bias);
  f("use_gate", o.use_gate);
  f("sliding_window", o.sliding_window);
  f("kernel_initializer", o.kernel_initializer);
  f("bias_initializer", o.bias_initializer);
  f("kernel_regularizer", o.kernel_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("activity_regularizer", o.activity_regularizer);
  f("kernel_constraint", o.kernel_constraint);
  f("bias_constraint", o.bias_constraint);
  f("seed", o.seed);
}
void list_fields(Fields& f, int64_t& num_heads, int64_t& key_dim, MultiHeadAttentionOptions& o) {
  f("num_heads", num_heads);
  f("key_dim", key_dim);
  f("value_dim", o.value_dim);
  f("output_shape", o.output_shape);
  f("attention_axes", o.attention_axes);
  list_shared_fields(f, o);
}
void list_fields(Fields& f, int64_t& head_dim, int64_t& query_heads, int64_t& key_heads,
                 GroupQueryAttentionOptions& o) {
  f("head_dim", head_dim);
  f("num_query_heads", query_heads);
  f("num_key_value_heads", key_heads);
  list_shared_fields(f, o);
}

Size product(std::span<const Size> dims) {
  Size n = 1;
  for (const Size dim : dims) n *= dim;
  return n;
}
Shape joined(std::initializer_list<std::span<const Size>> parts) {
  std::vector<Size> dims;
  for (const auto& part : parts) dims.insert(dims.end(), part.begin(), part.end());
  return Shape(dims);
}

// The axes of projected tensors (…, heads, depth): those that attention runs over, and the batch around them. Folded,
// a tensor is (batch, length, heads, depth).
struct Folding {
  std::vector<int> batch, attention;
  bool in_order = true;  // batch, then attention

  Folding(const std::vector<int64_t>& axes, int rank, const std::string& layer) {
    for (int64_t axis : axes) {
      const int64_t positive = axis < 0 ? axis + rank - 1 : axis;
      if (positive < 1 || positive >= rank - 2)
        throw InvalidArgument(cat("[", layer, "] attention axis ", axis, " is none of the axes between batch and ",
                                  "features of an input of rank ", rank - 1));
      attention.push_back(static_cast<int>(positive));
    }
    for (int i = 0; i < rank - 2; ++i)
      if (axes.empty() && i > 0) attention.push_back(i);
      else if (std::find(attention.begin(), attention.end(), i) == attention.end()) batch.push_back(i);
    const std::vector<int> all = order(rank);
    in_order = std::is_sorted(all.begin(), all.end());
  }
  std::vector<int> order(int rank) const {
    std::vector<int> all = batch;
    all.insert(all.end(), attention.begin(), attention.end());
    all.push_back(rank - 2);
    all.push_back(rank - 1);
    return all;
  }
  std::vector<Size> sizes(const Shape& shape, const std::vector<int>& axes) const {
    std::vector<Size> found;
    for (int axis : axes) found.push_back(shape[axis]);
    return found;
  }
  Tensor fold(const Tensor& x) const {
    const Shape& s = x.shape();
    const int rank = s.rank();
    return reshape(in_order ? x : transpose(x, order(rank)),
                   {product(sizes(s, batch)), product(sizes(s, attention)), s[rank - 2], s[rank - 1]});
  }
  // Back, with the batch and lengths of `like`.
  Tensor unfold(const Tensor& x, const Shape& like) const {
    const Size last[] = {x.shape()[2], x.shape()[3]};
    Tensor split = reshape(x, joined({sizes(like, batch), sizes(like, attention), last}));
    if (in_order) return split;
    std::vector<int> back(static_cast<size_t>(like.rank()));
    const std::vector<int> all = order(like.rank());
    for (size_t i = 0; i < all.size(); ++i) back[static_cast<size_t>(all[i])] = static_cast<int>(i);
    return transpose(split, back);
  }
};

// What the constructors of both layers make of their options.
struct Heads {
  int64_t query_heads, key_heads, key_dim, value_dim;
  std::vector<int64_t> output_shape, attention_axes;
};

template <typename Options>
class HeadsModule : public MultiModule {
 public:
  HeadsModule(std::string_view base, Heads heads, Options options)
      : MultiModule(base, {.dtype = options.dtype, .name = options.name}),
        heads_(std::move(heads)),
        options_(std::move(options)) {
    check_dropout(name(), options_.dropout);
    if (options_.sliding_window && *options_.sliding_window <= 0)
      throw InvalidArgument(
          cat("[", name(), "] sliding_window is ", *options_.sliding_window, "; it must be 1 or more"));
    if (options_.seed) generator_.emplace(*options_.seed);
    will_have_weights();
    supports_masking_ = true;
  }
  Generator* own_generator() override { return generator_ ? &*generator_ : nullptr; }

 protected:
  void check_positive(std::string_view what, int64_t value) const {
    if (value <= 0) throw InvalidArgument(cat("[", name(), "] ", what, " is ", value, "; it must be 1 or more"));
  }

  void check_all(const std::vector<Shape>& inputs) const override {
    check_inputs(name(), inputs, 4, 3);
    if (inputs[0].rank() != inputs[1].rank())
      throw InvalidArgument(
          cat("[", name(), "] query and value must have one rank, but have shapes ", inputs[0], " and ", inputs[1]));
    const Projection* const built_for[] = {&query_, &value_, &key_};
    for (size_t i = 0; built() && i < 3; ++i) {
      const Shape& input = inputs[std::min(i, inputs.size() > 2 ? i : 1)];
      const int64_t features = input[input.rank() - 1], expected = built_for[i]->kernel.shape()[0];
      if (features != expected)
        throw InvalidArgument(cat("[", name(), "] was built for ", expected, " features, but the input of shape ",
                                  input, " has ", features));
    }
  }

  void create_all(const std::vector<Shape>& inputs) override {
    const auto features = [&](size_t i) { return inputs[i][inputs[i].rank() - 1]; };
    query_ = add_projection("query", {features(0)}, {heads_.query_heads, heads_.key_dim});
    key_ = add_projection("key", {features(inputs.size() > 2 ? 2 : 1)}, {heads_.key_heads, heads_.key_dim});
    if (options_.use_gate) gate_ = add_projection("gate", {features(0)}, {heads_.query_heads, heads_.value_dim});
    value_ = add_projection("value", {features(1)}, {heads_.key_heads, heads_.value_dim});
    const std::vector<int64_t> own = {features(0)};
    output_ = add_projection("attention_output", {heads_.query_heads, heads_.value_dim},
                             heads_.output_shape.empty() ? own : heads_.output_shape);
  }

  Tensors call_all(const Tensors& in, const Call& how) override {
    const Folding folding(heads_.attention_axes, in[0].rank() + 1, name());
    if (how.use_causal_mask && folding.attention.size() > 1)
      throw InvalidArgument(cat("[", name(), "] a causal mask is for one attention axis, but there are ",
                                folding.attention.size(), "; give an attention_mask instead"));
    const Tensor query = project(query_, in[0], 1), key = project(key_, in[in.size() > 2 ? 2 : 1], 1);
    Tensor gate;
    if (options_.use_gate) gate = project(gate_, in[0], 1, true);
    const Tensor value = project(value_, in[1], 1);
    const Tensor q = folding.fold(query), k = folding.fold(key), v = folding.fold(value);
    const Tensor mask = folded_mask(in, how, folding, query.shape(), key.shape());
    const double dropout = how.training ? options_.dropout : 0;
    Tensor result, weights;
    Tensor seen = mask;
    if (how.use_causal_mask && (mask.defined() || how.return_attention_scores || dropout == 1))
      seen = both(mask, causal_mask(q.shape()[1], k.shape()[1]));
    if (how.return_attention_scores || dropout == 1) {
      weights = plain_weights(q, k, seen);
      result = combined(drop_weights(weights, dropout, generator_), v);
    } else {
      result = scaled_dot_product_attention(q, k, v,
                                            {.mask = mask,
                                             .causal = how.use_causal_mask,
                                             .scale = scale(),
                                             .dropout = dropout,
                                             .generator = generator_ ? &*generator_ : nullptr});
      // A query that sees nothing weighs all alike there; where Keras makes the weights itself they are 0.
      if (seen.defined() && (options_.dropout > 0 || in[0].rank() != 3)) {
        const Tensor sighted = expand_dims(transpose(any(seen, -1), {0, 2, 1}), -1);
        result = select(sighted, result, constant(0, result.dtype()));
      }
    }
    result = folding.unfold(result, query.shape());
    if (gate.defined()) result = result * gate;
    result = project(output_, result, 2);
    if (!how.return_attention_scores) return {result};
    const Shape &a = query.shape(), &b = key.shape();
    const Size count[] = {heads_.query_heads};
    return {result,
            reshape(weights, joined({folding.sizes(a, folding.batch), count, folding.sizes(a, folding.attention),
                                     folding.sizes(b, folding.attention)}))};
  }
  Tensors compute_masks(const Tensors&, const Call& how, size_t) const override { return {how.mask(0)}; }

  Heads heads_;
  Options options_;

 private:
  struct Projection {
    Variable kernel, bias;
  };
  Projection add_projection(const std::string& part, std::vector<int64_t> in, const std::vector<int64_t>& out) {
    const Shape bias(out);
    in.insert(in.end(), out.begin(), out.end());
    Projection made;
    made.kernel = add_weight(part + "/kernel", Shape(in),
                             {.initializer = options_.kernel_initializer,
                              .regularizer = options_.kernel_regularizer,
                              .constraint = options_.kernel_constraint});
    if (options_.use_bias)
      made.bias = add_weight(part + "/bias", bias,
                             {.initializer = options_.bias_initializer,
                              .regularizer = options_.bias_regularizer,
                              .constraint = options_.bias_constraint});
    return made;
  }
  // One product over the last `bound` axes of x.
  Tensor project(const Projection& p, const Tensor& x, int bound, bool squashed = false) {
    const auto in = x.shape().dims(), kernel = p.kernel.shape().dims();
    const auto kept = in.first(in.size() - static_cast<size_t>(bound));
    const auto out = kernel.subspan(static_cast<size_t>(bound));
    const Size inner = product(kernel.first(static_cast<size_t>(bound))), outer = product(out);
    Tensor y = matmul(reshape(x, {product(kept), inner}), reshape(p.kernel, {inner, outer}));
    if (options_.use_bias) y = y + reshape(p.bias, {outer});
    if (squashed) y = sigmoid(y);
    y = reshape(y, joined({kept, out}));
    if (options_.activity_regularizer.defined()) {  // the mean over the batch, as of a layer of its own
      const Tensor cost = options_.activity_regularizer(y);
      add_loss(cost / constant(max(Size(1), y.shape()[0]), cost.dtype()));
    }
    return y;
  }

  double scale() const { return 1 / std::sqrt(static_cast<double>(heads_.key_dim)); }

  // All masks but the causal one as (batch or 1, heads or 1, T, S), or none.
  Tensor folded_mask(const Tensors& in, const Call& how, const Folding& folding, const Shape& query,
                     const Shape& key) {
    Tensor mask;
    if (const Tensor own = how.mask(0); own.defined()) mask = expand_dims(cast(own, boolean), -1);
    for (size_t i = 1; i < std::min<size_t>(3, in.size()); ++i)
      if (const Tensor own = how.mask(i); own.defined()) mask = both(mask, expand_dims(cast(own, boolean), -2));
    if (options_.sliding_window) {
      const Tensor distance = iota(key[folding.attention[0]]) - expand_dims(iota(query[folding.attention[0]]), -1);
      mask = both(mask, expand_dims(less(abs(distance), constant(*options_.sliding_window, i64)), 0));
    }
    if (in.size() > 3) mask = both(cast(in[3], boolean), mask);
    if (!mask.defined()) return {};
    // Heads, and batch axes that the mask lacks, come in front of the axes of attention.
    const int lengths = 2 * static_cast<int>(folding.attention.size());
    const int rank = static_cast<int>(folding.batch.size()) + 1 + lengths;
    while (mask.rank() < rank && mask.rank() >= lengths) mask = expand_dims(mask, -lengths - 1);
    const Shape full = joined({folding.sizes(query, folding.batch), std::vector<Size>{Size(heads_.query_heads)},
                               folding.sizes(query, folding.attention), folding.sizes(key, folding.attention)});
    Shape broadcasted;
    if (mask.rank() != rank || !broadcast(mask.shape(), full, broadcasted) || broadcasted != full)
      throw InvalidArgument(cat("[", name(), "] the attention mask has shape ", mask.shape(),
                                ", which does not broadcast to the weights' ", full));
    if (rank == 4) return mask;
    // Several axes fold into one only where none of them is repeated.
    const size_t axes = folding.batch.size();
    Shape whole = mask.shape();
    const bool batched = !(product(whole.dims().first(axes)) == 1);
    for (int i = 0; i < rank; ++i)
      if (i > static_cast<int>(axes) || (batched && i < static_cast<int>(axes))) whole.set(i, full[i]);
    const auto dims = whole.dims();
    const size_t half = folding.attention.size();
    return reshape(broadcast_to(mask, whole), {product(dims.first(axes)), dims[axes],
                                               product(dims.subspan(axes + 1, half)), product(dims.last(half))});
  }

  // (B, L, heads, D) → (B, Hk, heads/Hk, L, D)
  Tensor split(const Tensor& x) const {
    const Shape& s = x.shape();
    return transpose(reshape(x, {s[0], s[1], heads_.key_heads, s[2] / heads_.key_heads, s[3]}), {0, 2, 3, 1, 4});
  }
  // (B, H, T, S), where the user wants to see them.
  Tensor plain_weights(const Tensor& q, const Tensor& k, const Tensor& mask) const {
    const DType dtype = q.dtype();
    const Tensor products = matmul(split(q * constant(scale(), dtype)), split(k), {.transpose_b = true});
    Tensor logits = reshape(products, {q.shape()[0], heads_.query_heads, q.shape()[1], k.shape()[1]});
    if (!mask.defined()) return softmax(logits);
    const Tensor weights = softmax(select(mask, logits, constant(dtype == f16 ? -3e4 : -1e9, dtype)));
    return select(mask, weights, constant(0, dtype));  // of a query that sees nothing
  }
  Tensor combined(const Tensor& weights, const Tensor& v) const {
    const Shape& s = weights.shape();
    const Tensor split_weights = reshape(weights, {s[0], heads_.key_heads, s[1] / heads_.key_heads, s[2], s[3]});
    const Tensor sums = transpose(matmul(split_weights, split(v)), {0, 3, 1, 2, 4});
    return reshape(sums, {s[0], s[2], s[1], v.shape()[3]});
  }

  Projection query_, key_, value_, gate_, output_;
  std::optional<Generator> generator_;
};

class MultiHeadAttentionModule final : public HeadsModule<MultiHeadAttentionOptions> {
 public:
  MultiHeadAttentionModule(int64_t num_heads, int64_t key_dim, const MultiHeadAttentionOptions& o)
      : HeadsModule("multi_head_attention",
                    {num_heads, num_heads, key_dim, o.value_dim.value_or(key_dim), o.output_shape, o.attention_axes},
                    o) {
    check_positive("num_heads", num_heads);
    check_positive("key_dim", key_dim);
    check_positive("value_dim", heads_.value_dim);
    for (int64_t dim : o.output_shape) check_positive("a size of output_shape", dim);
    options_.value_dim = heads_.value_dim;
  }
  std::string_view kind() const override { return "MultiHeadAttention"; }
  void describe(Fields& f) override { list_fields(f, heads_.query_heads, heads_.key_dim, options_); }
};

class GroupQueryAttentionModule final : public HeadsModule<GroupQueryAttentionOptions> {
 public:
  GroupQueryAttentionModule(int64_t head_dim, int64_t query_heads, int64_t key_heads,
                            const GroupQueryAttentionOptions& o)
      : HeadsModule("grouped_query_attention", {query_heads, key_heads, head_dim, head_dim, {}, {}}, o) {
    check_positive("head_dim", head_dim);
    check_positive("num_query_heads", query_heads);
    check_positive("num_key_value_heads", key_heads);
    if (query_heads % key_heads != 0)
      throw InvalidArgument(cat("[", name(), "] num_query_heads is ", query_heads, ", which num_key_value_heads, ",
                                key_heads, ", does not divide"));
    // In Keras it charges for the result besides the projections.
    activity_regularizer_ = options_.activity_regularizer;
  }
  std::string_view kind() const override { return "GroupQueryAttention"; }
  void describe(Fields& f) override {
    list_fields(f, heads_.key_dim, heads_.query_heads, heads_.key_heads, options_);
  }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    HeadsModule::check_all(inputs);
    if (inputs[0].rank() != 3)
      throw InvalidArgument(cat("[", name(),
                                "] takes inputs of rank 3, (batch, length, features), but the query has ", "shape ",
                                inputs[0], "; reshape it"));
  }
};

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options)
    : Layer(std::make_shared<MultiHeadAttentionModule>(num_heads, key_dim, options)) {}
Layer MultiHeadAttention::from_config(Fields& f) {
  auto o = options_from<MultiHeadAttentionOptions>(f);
  int64_t num_heads = 0, key_dim = 0;
  list_fields(f, num_heads, key_dim, o);
  return MultiHeadAttention(num_heads, key_dim, o);
}

GroupQueryAttention::GroupQueryAttention(int64_t head_dim, int64_t num_query_heads, int64_t num_key_value_heads,
                                         GroupQueryAttentionOptions options)
    : Layer(std::make_shared<GroupQueryAttentionModule>(head_dim, num_query_heads, num_key_value_heads, options)) {}
Layer GroupQueryAttention::from_config(Fields& f) {
  auto o = options_from<GroupQueryAttentionOptions>(f);
  int64_t head_dim = 0, query_heads = 0, key_heads = 0;
  list_fields(f, head_dim, query_heads, key_heads, o);
  return GroupQueryAttention(head_dim, query_heads, key_heads, o);
}

}  // namespace brio::nn
