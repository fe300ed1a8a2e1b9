#include "brio/ops/network/attention.h"

#include <bit>
#include <cmath>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kAttentionAttrs[] = {{"mask", AttrKind::flag},    {"bias", AttrKind::flag},
                                        {"causal", AttrKind::flag},  {"scale", AttrKind::real},
                                        {"dropout", AttrKind::real}, {"offset", AttrKind::integer}};

constexpr AttrSpec kAttrsOfSums[] = {{"causal", AttrKind::flag}, {"scale", AttrKind::real}};

// ---- shapes

void check_operand(const OpCall& call, size_t i, std::string_view name, DType dtype) {
  if (call.in[i]->dtype != dtype)
    throw_invalid(call.op, cat("the ", name, " is ", call.in[i]->dtype, ", but must be ", dtype, "; cast it first"));
}

OpenAttentionForm checked_form(const OpCall& call, size_t more_inputs) {
  const Aval &q = *call.in[0], &k = *call.in[1], &v = *call.in[2];
  if (!is_floating(q.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", q.dtype, "; cast it first"));
  check_operand(call, 1, "key", q.dtype);
  check_operand(call, 2, "value", q.dtype);
  const auto shapes = [&] { return cat("query ", q.shape, ", key ", k.shape, " and value ", v.shape); };
  if (q.shape.rank() != 4 || k.shape.rank() != 4 || v.shape.rank() != 4)
    throw_invalid(call.op, cat("takes tensors of rank 4, (batch, length, heads, depth), but got ", shapes(),
                               "; add an axis with expand_dims"));
  if (k.shape[0] != q.shape[0] || v.shape[0] != q.shape[0] || v.shape[1] != k.shape[1] || v.shape[2] != k.shape[2] ||
      k.shape[3] != q.shape[3])
    throw_invalid(call.op,
                  cat("got ", shapes(), ", which must agree in the batch, query and key in the depth, and key",
                      " and value in length and heads"));
  if (k.shape[2] == 0 ? q.shape[2] != 0 : q.shape[2] % k.shape[2] != 0)
    throw_invalid(call.op,
                  cat("the ", k.shape[2], " heads of the key do not divide the ", q.shape[2], " heads of the query"));
  const OpenAttentionForm form(call.attrs, q.shape, k.shape, v.shape);
  if (!(form.dropout >= 0 && form.dropout < 1))
    throw_invalid(call.op, cat("the dropout is ", form.dropout, "; it is the share to drop, from 0 to less than 1"));
  if (call.in.size() != form.inputs + more_inputs)
    throw_invalid(call.op, cat("its attributes announce ", form.inputs + more_inputs, " inputs, but there are ",
                               call.in.size()));
  const Size all[] = {form.batch, form.heads, form.queries, form.keys};
  const Shape weights = checked_shape(call.op, all);
  const auto check_broadcast = [&](size_t i, std::string_view name) {
    Shape both;
    if (!broadcast(call.in[i]->shape, weights, both) || both != weights)
      throw_invalid(call.op, cat("the ", name, " has shape ", call.in[i]->shape, ", which does not broadcast to ",
                                 weights, ": (batch, heads, queries, keys)"));
  };
  if (form.has_mask) {
    check_operand(call, form.mask, "mask", boolean);
    check_broadcast(form.mask, "mask");
  }
  if (form.has_bias) {
    check_operand(call, form.bias, "bias", q.dtype);
    check_broadcast(form.bias, "bias");
  }
  for (size_t i = form.random; form.dropout > 0 && i < form.random + 2; ++i)
    if (*call.in[i] != Aval{Shape(), u64})
      throw_invalid(call.op, cat("seed and counter must be uint64 scalars, but one is ", call.in[i]->dtype,
                                 " of shape ", call.in[i]->shape));
  return form;
}

void infer_attention(const OpCall& call, std::vector<Aval>& out) {
  const OpenAttentionForm form = checked_form(call, 0);
  const Size dims[] = {form.batch, form.queries, form.heads, form.value_depth};
  out.push_back({checked_shape(call.op, dims), call.in[0]->dtype});
}
void infer_attention_grad(const OpCall& call, std::vector<Aval>& out) {
  const OpenAttentionForm form = checked_form(call, 1);
  const Aval expected{{form.batch, form.queries, form.heads, form.value_depth}, call.in[0]->dtype};
  const Aval& cotangent = *call.in[form.inputs];
  if (cotangent != expected)
    throw_invalid(call.op, cat("the cotangent is ", cotangent.dtype, " of shape ", cotangent.shape,
                               ", but the result is ", expected.dtype, " of shape ", expected.shape));
  for (size_t i = 0; i < 3; ++i) out.push_back(*call.in[i]);
}

// The op with masks and more that this one is a part of.
OpenAttentionForm checked_bare_form(const OpCall& call) {
  const std::vector<int64_t> words = attention_attributes(call.attrs);
  return checked_form({call.op, call.in.first(3), Attrs(words), {}}, 0);
}
std::vector<Aval> result_and_sums(const OpCall& call, const OpenAttentionForm& form) {
  const Size dims[] = {form.batch, form.queries, form.heads, form.value_depth};
  const DType dtype = call.in[0]->dtype;
  return {{checked_shape(call.op, dims), dtype},
          {Shape{form.batch, form.heads, form.queries}, dtype == f64 ? f64 : f32}};
}
void infer_with_sums(const OpCall& call, std::vector<Aval>& out) {
  out = result_and_sums(call, checked_bare_form(call));
}
void infer_grad_from_sums(const OpCall& call, std::vector<Aval>& out) {
  const std::vector<Aval> given = result_and_sums(call, checked_bare_form(call));
  const Aval* const expected[] = {&given[0], &given[1], &given[0]};
  static constexpr std::string_view kNames[] = {"result", "sums", "cotangent"};
  for (size_t i = 0; i < 3; ++i)
    if (const Aval& in = *call.in[3 + i]; in != *expected[i])
      throw_invalid(call.op, cat("the ", kNames[i], " is ", in.dtype, " of shape ", in.shape, ", but should be ",
                                 expected[i]->dtype, " of shape ", expected[i]->shape));
  for (size_t i = 0; i < 3; ++i) out.push_back(*call.in[i]);
}

template <int products>  // of queries × keys × depth
Cost attention_cost(const OpCall& call, std::span<const Aval> out) {
  const AttentionForm form(call.attrs, call.in[0]->shape, call.in[1]->shape, call.in[2]->shape);
  const double depth = static_cast<double>(form.depth + form.value_depth) / 2;
  const double weights = static_cast<double>(form.weights().elements()) * (form.causal ? 0.5 : 1);
  return {weights * (2 * products * depth + 10), total_bytes(call, out)};
}

template <int products>
Cost cost_of_sums(const OpCall& call, std::span<const Aval> out) {
  const std::vector<int64_t> words = attention_attributes(call.attrs);
  return attention_cost<products>({call.op, call.in, Attrs(words), {}}, out);
}

// ---- plain form: all in (B, Hk, H/Hk, length, depth)

struct Plain {
  const OpenAttentionForm form;
  DType dtype, wide;
  Tensor q, k, v;       // in the wide dtype; q not scaled
  Tensor logits;        // where a key is not visible, the least
  Tensor weights;       // before dropout
  Tensor visible = {};  // or none: everything is
  Tensor kept = {};     // or none: what dropout multiplies the weights by

  Plain(std::span<const Tensor> in, Attrs attrs)
      : form(attrs, in[0].shape(), in[1].shape(), in[2].shape()),
        dtype(in[0].dtype()),
        wide(dtype == f64 ? f64 : f32) {
    q = split(in[0]);
    k = split(in[1]);
    v = split(in[2]);
    logits = matmul(q, k, {.transpose_b = true}) * constant(form.scale, wide);
    if (form.has_bias) logits = logits + over_heads(widened(in[form.bias]));
    if (form.has_mask) visible = over_heads(in[form.mask]);
    if (form.causal) {
      const Tensor past = less_equal(iota(form.keys), expand_dims(iota(form.queries), -1));
      visible = visible.defined() ? logical_and(visible, past) : past;
    }
    if (visible.defined()) logits = select(visible, logits, constant(kMaskedLogit, wide));
    weights = softmax(logits);
    if (form.dropout == 0) return;
    const int64_t draw[] = {static_cast<int64_t>(f32), form.offset,     4, form.batch.word(), form.heads.word(),
                            form.queries.word(),       form.keys.word()};
    const Tensor unit = record(op::random_uniform, draw, in[form.random], in[form.random + 1]);
    kept = over_heads(select(greater_equal(unit, constant(form.dropout, f32)), constant(1 / (1 - form.dropout), wide),
                             constant(0, wide)));
  }

  Tensor widened(const Tensor& x) const { return cast(x, wide); }
  Tensor dropped(const Tensor& x) const { return kept.defined() ? x * kept : x; }
  Tensor split(const Tensor& x) const {  // (B, L, heads, D) → (B, Hk, H/Hk or 1, L, D)
    const Shape& s = x.shape();
    const Size groups = form.key_heads == 0 ? Size(1) : s[2] / form.key_heads;
    return transpose(reshape(widened(x), {s[0], s[1], form.key_heads, groups, s[3]}), {0, 2, 3, 1, 4});
  }
  Tensor joined(const Tensor& x) const {  // and back, in the narrow dtype
    const Shape& s = x.shape();
    const Tensor turned = reshape(transpose(x, {0, 3, 1, 2, 4}), {s[0], s[3], s[1] * s[2], s[4]});
    return cast(turned, dtype);
  }
  // What broadcasts to (B, H, T, S), with H split.
  Tensor over_heads(const Tensor& x) const {
    Shape s;
    for (int i = x.shape().rank(); i < 4; ++i) s.push_back(1);
    for (const Size dim : x.shape()) s.push_back(dim);
    // A size that is not known may turn out to be 1.
    if (!s[1].known()) s.set(1, form.heads);
    const Tensor whole = s == x.shape() || x.shape().rank() < 4 ? x : broadcast_to(x, s);
    const bool all = !(s[1] == 1) || form.heads == 1;
    return reshape(whole, {s[0], all ? form.key_heads : Size(1), all ? form.group() : Size(1), s[2], s[3]});
  }
};

std::vector<Tensor> plain_attention(std::span<const Tensor> in, Attrs attrs) {
  const Plain p(in, attrs);
  return {p.joined(matmul(p.dropped(p.weights), p.v))};
}

std::vector<Tensor> plain_attention_grad(std::span<const Tensor> in, Attrs attrs) {
  const Plain p(in, attrs);
  const Tensor cotangent = p.split(in[p.form.inputs]), scale = constant(p.form.scale, p.wide);
  const Tensor of_weights = p.dropped(matmul(cotangent, p.v, {.transpose_b = true}));
  Tensor of_logits = p.weights * (of_weights - sum(p.weights * of_weights, -1, true));
  if (p.visible.defined()) of_logits = select(p.visible, of_logits, constant(0, p.wide));
  of_logits = of_logits * scale;
  return {p.joined(matmul(of_logits, p.k)), p.joined(sum(matmul(of_logits, p.q, {.transpose_a = true}), 2, true)),
          p.joined(sum(matmul(p.dropped(p.weights), cotangent, {.transpose_a = true}), 2, true))};
}

std::vector<Tensor> plain_with_sums(std::span<const Tensor> in, Attrs attrs) {
  const std::vector<int64_t> words = attention_attributes(attrs);
  const Plain p(in, Attrs(words));
  const Shape sums{p.form.batch, p.form.heads, p.form.queries};
  return {p.joined(matmul(p.weights, p.v)), reshape(logsumexp(p.logits, -1), sums)};
}

// The weights again, from the sums; the mean of their gradients is that of the result.
std::vector<Tensor> plain_grad_from_sums(std::span<const Tensor> in, Attrs attrs) {
  const std::vector<int64_t> words = attention_attributes(attrs);
  const Plain p(in, Attrs(words));
  const Tensor result = p.split(in[3]), cotangent = p.split(in[5]), scale = constant(p.form.scale, p.wide);
  const Shape& l = p.logits.shape();
  const Tensor sums = reshape(in[4], {l[0], l[1], l[2], l[3], Size(1)});
  const Tensor weights = exp(p.logits - sums);
  const Tensor of_weights = matmul(cotangent, p.v, {.transpose_b = true});
  Tensor of_logits = weights * (of_weights - sum(cotangent * result, -1, true));
  if (p.visible.defined()) of_logits = select(p.visible, of_logits, constant(0, p.wide));
  of_logits = of_logits * scale;
  return {p.joined(matmul(of_logits, p.k)), p.joined(sum(matmul(of_logits, p.q, {.transpose_a = true}), 2, true)),
          p.joined(sum(matmul(weights, cotangent, {.transpose_a = true}), 2, true))};
}

// A bias that is trained has a gradient of the size of all weights: the plain form makes it.
void grad_attention(GradContext& g) {
  const AttentionForm form(g.attrs);
  if (form.has_bias && g.needs(form.bias)) return g.through_plain();
  std::vector<TensorImpl*> in;
  for (const Tensor& x : g.in) in.push_back(x.impl());
  in.push_back(g.cotangent().impl());
  const std::vector<Tensor> gradients = record_many(op::scaled_dot_product_attention_grad, in, g.attrs.words());
  for (size_t i = 0; i < 3; ++i)
    if (g.needs(i)) g.set(i, gradients[i]);
}

}  // namespace

template <typename N>
AttentionFormOf<N>::AttentionFormOf(Attrs attrs)
    : has_mask(attrs[0] != 0),
      has_bias(attrs[1] != 0),
      causal(attrs[2] != 0),
      scale(std::bit_cast<double>(attrs[3])),
      dropout(std::bit_cast<double>(attrs[4])),
      offset(attrs[5]),
      inputs(3) {
  if (has_mask) mask = inputs++;
  if (has_bias) bias = inputs++;
  if (dropout != 0) {
    random = inputs;
    inputs += 2;
  }
}
template <typename N>
AttentionFormOf<N>::AttentionFormOf(Attrs attrs, const Shape& query, const Shape& key, const Shape& value)
    : AttentionFormOf(attrs) {
  batch = query[0];
  queries = query[1];
  heads = query[2];
  depth = query[3];
  keys = key[1];
  key_heads = key[2];
  value_depth = value[3];
}
template struct AttentionFormOf<int64_t>;
template struct AttentionFormOf<Size>;

namespace op {
const OpDef scaled_dot_product_attention{.name = "scaled_dot_product_attention",
                                         .summary = "softmax(query · keyᵀ · scale + bias) · value, per head",
                                         .kind = OpKind::composite,
                                         .min_inputs = 3,
                                         .max_inputs = 7,
                                         .attrs = kAttentionAttrs,
                                         .infer = infer_attention,
                                         .grad = grad_attention,
                                         .cost = attention_cost<2>,
                                         .plain = plain_attention};
const OpDef scaled_dot_product_attention_grad{.name = "scaled_dot_product_attention_grad",
                                              .summary = "gradients of scaled_dot_product_attention",
                                              .kind = OpKind::composite,
                                              .min_inputs = 4,
                                              .max_inputs = 8,
                                              .attrs = kAttentionAttrs,
                                              .infer = infer_attention_grad,
                                              .grad = [](GradContext& g) { g.through_plain(); },
                                              .cost = attention_cost<5>,
                                              .plain = plain_attention_grad};
const OpDef attention_with_sums{.name = "attention_with_sums",
                                .summary = "scaled_dot_product_attention, and log(sum(exp(logits))) of each query",
                                .kind = OpKind::composite,
                                .min_inputs = 3,
                                .max_inputs = 3,
                                .attrs = kAttrsOfSums,
                                .infer = infer_with_sums,
                                .grad = [](GradContext& g) { g.through_plain(); },
                                .cost = cost_of_sums<2>,
                                .plain = plain_with_sums};
const OpDef attention_grad_from_sums{.name = "attention_grad_from_sums",
                                     .summary = "gradients of attention_with_sums, from what it gave",
                                     .kind = OpKind::composite,
                                     .min_inputs = 6,
                                     .max_inputs = 6,
                                     .attrs = kAttrsOfSums,
                                     .infer = infer_grad_from_sums,
                                     .grad = [](GradContext& g) { g.through_plain(); },
                                     .cost = cost_of_sums<5>,
                                     .plain = plain_grad_from_sums};
}  // namespace op

std::vector<int64_t> attention_attributes(Attrs of_sums) { return {0, 0, of_sums[0], of_sums[1], 0, 0}; }
std::optional<std::vector<int64_t>> attributes_of_sums(Attrs attention) {
  const AttentionForm form(attention);
  if (form.has_mask || form.has_bias || form.dropout != 0) return {};
  return std::vector<int64_t>{attention[2], attention[3]};
}

void register_attention() {
  static const OpDef* const rows[] = {&op::scaled_dot_product_attention, &op::scaled_dot_product_attention_grad,
                                      &op::attention_with_sums, &op::attention_grad_from_sums};
  register_ops(rows);
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    AttentionOptions options) {
  const OpDef& op = op::scaled_dot_product_attention;
  const Tensor* const operands[] = {&query, &key, &value};
  std::vector<TensorImpl*> in;
  for (int i = 0; i < 3; ++i) in.push_back(required(op, *operands[i], i).impl());
  if (options.mask.defined()) in.push_back(options.mask.impl());
  if (options.bias.defined()) in.push_back(options.bias.impl());
  const double depth = query.rank() == 4 ? static_cast<double>(std::max<int64_t>(1, query.shape()[3])) : 1;
  random::Drawn drawn;
  if (options.dropout > 0 && options.dropout < 1) {
    drawn = random::next_stream(options.seed, options.generator);
    in.push_back(drawn.seed.impl());
    in.push_back(drawn.counter.impl());
  }
  const int64_t attrs[] = {options.mask.defined(),
                           options.bias.defined(),
                           options.causal,
                           std::bit_cast<int64_t>(options.scale.value_or(1 / std::sqrt(depth))),
                           std::bit_cast<int64_t>(options.dropout),
                           drawn.offset};
  return record(op, in, attrs);
}

}  // namespace brio
