// cuDNN knows attention by the form of the graph: the operations below, in this order and with these layouts, are
// what its engines recognise.
#include "brio/backends/cuda/cudnn_attention.h"

#include <deque>

#include "brio/base/lru_cache.h"

namespace brio::cuda {
namespace {

using Sizes = std::vector<int64_t>;

// Operations, added one by one. What is not named by an id never lies in memory.
class Builder {
 public:
  struct Tensor {
    Descriptor descriptor;
    Sizes sizes, strides;
  };

  explicit Builder(const AttentionKey& key) : key_(key), type_(cudnn_type(key.dtype)) {}

  const Tensor& named(int64_t id, const Sizes& sizes, const Sizes& strides, cudnnDataType_t type) {
    return add(id, sizes, strides, type, TensorKind::real);
  }
  // (batch, length, heads, depth), to be seen as (batch, heads, length, depth).
  const Tensor& operand(int64_t id, int64_t length, int64_t heads, int64_t depth) {
    return named(id, {key_.batch, heads, length, depth}, {length * heads * depth, depth, heads * depth, 1}, type_);
  }
  // The same bytes, as (batch, heads, depth, length).
  const Tensor& transposed_operand(int64_t id, int64_t length, int64_t heads, int64_t depth) {
    return named(id, {key_.batch, heads, depth, length}, {length * heads * depth, depth, 1, heads * depth}, type_);
  }
  const Tensor& a_number(int64_t id) { return add(id, {1, 1, 1, 1}, {1, 1, 1, 1}, kFloat, TensorKind::number); }
  const Tensor& row_numbers(int64_t id) { return named(id, row_sizes(), row_strides(), kFloat); }
  const Tensor& inside(const Sizes& sizes, const Sizes& strides, cudnnDataType_t type = kFloat) {
    return add(next_id_++, sizes, strides, type, TensorKind::inside);
  }
  const Tensor& weights(cudnnDataType_t type = kFloat) {
    return inside({key_.batch, key_.heads, key_.queries, key_.keys}, weight_strides(), type);
  }
  const Tensor& rows() { return inside(row_sizes(), row_strides()); }

  const Tensor& multiply(const Tensor& a, const Tensor& b, const Tensor& out) {
    Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, kFloat);
    how.finish();
    Descriptor d(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.descriptor);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.descriptor);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, out.descriptor);
    d.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    return finish(std::move(d), out);
  }
  const Tensor& each(cudnnPointwiseMode_t mode, const Tensor& x, const Tensor* b, const Tensor* t, const Tensor& out,
                     cudnnDataType_t compute = kFloat, int64_t axis = -1) {
    Descriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, compute);
    if (axis >= 0) how.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
    how.finish();
    Descriptor d(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x.descriptor);
    if (b) d.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b->descriptor);
    if (t) d.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, t->descriptor);
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out.descriptor);
    return finish(std::move(d), out);
  }
  const Tensor& each(cudnnPointwiseMode_t mode, const Tensor& x, const Tensor& out) {
    return each(mode, x, nullptr, nullptr, out);
  }
  const Tensor& each(cudnnPointwiseMode_t mode, const Tensor& x, const Tensor& b, const Tensor& out) {
    return each(mode, x, &b, nullptr, out);
  }
  const Tensor& reduce(cudnnReduceTensorOp_t by, const Tensor& x, const Tensor& out) {
    Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    how.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, by);
    how.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, kFloat);
    how.finish();
    Descriptor d(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.descriptor);
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, out.descriptor);
    d.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    return finish(std::move(d), out);
  }
  // The last two axes change places.
  const Tensor& transpose(const Tensor& x, cudnnDataType_t type) {
    Sizes sizes = x.sizes, strides = x.strides;
    std::swap(sizes[2], sizes[3]);
    std::swap(strides[2], strides[3]);
    const Tensor& out = inside(sizes, strides, type);
    Descriptor d(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    d.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x.descriptor);
    d.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, out.descriptor);
    return finish(std::move(d), out);
  }
  // The logit where query t may see key s, which is where t ≥ s, or else `masked`.
  const Tensor& past(const Tensor& logits, const Tensor& masked) {
    const Tensor& query =
        each(CUDNN_POINTWISE_GEN_INDEX, logits, nullptr, nullptr, weights(CUDNN_DATA_INT32), kFloat, 2);
    const Tensor& key =
        each(CUDNN_POINTWISE_GEN_INDEX, logits, nullptr, nullptr, weights(CUDNN_DATA_INT32), kFloat, 3);
    const Tensor& visible =
        each(CUDNN_POINTWISE_CMP_GE, query, &key, nullptr, weights(CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN);
    return each(CUDNN_POINTWISE_BINARY_SELECT, logits, &masked, &visible, weights());
  }
  // `whole` has all heads of the query; those that share a key are added.
  void multiply_for_keys(const Tensor& a, const Tensor& b, const Tensor& out, int64_t depth) {
    if (key_.heads == key_.key_heads) {
      multiply(a, b, out);
      return;
    }
    const Tensor& whole = inside({key_.batch, key_.heads, key_.keys, depth},
                                 {key_.heads * key_.keys * depth, key_.keys * depth, depth, 1}, type_);
    reduce(CUDNN_REDUCE_TENSOR_ADD, multiply(a, b, whole), out);
  }

  std::shared_ptr<const CudnnPlan> plan(CudaDevice& device) const {
    return CudnnPlan::of(device, operations_, key_.dtype);
  }
  cudnnDataType_t type() const { return type_; }

 private:
  static constexpr cudnnDataType_t kFloat = CUDNN_DATA_FLOAT;
  Sizes row_sizes() const { return {key_.batch, key_.heads, key_.queries, 1}; }
  Sizes row_strides() const { return {key_.heads * key_.queries, key_.queries, 1, 1}; }
  Sizes weight_strides() const {
    return {key_.heads * key_.queries * key_.keys, key_.queries * key_.keys, key_.keys, 1};
  }
  const Tensor& add(int64_t id, const Sizes& sizes, const Sizes& strides, cudnnDataType_t type, TensorKind kind) {
    return tensors_.emplace_back(Tensor{cudnn_tensor(id, sizes, strides, type, kind), sizes, strides});
  }
  const Tensor& finish(Descriptor d, const Tensor& out) {
    d.finish();
    operations_.push_back(std::move(d));
    return out;
  }

  const AttentionKey& key_;
  cudnnDataType_t type_;
  int64_t next_id_ = 100;
  std::deque<Tensor> tensors_;  // which do not move
  std::vector<Descriptor> operations_;
};
using Tensor = Builder::Tensor;

std::shared_ptr<const CudnnPlan> forward(CudaDevice& device, const AttentionKey& k) {
  Builder b(k);
  const Tensor& query = b.operand(kQuery, k.queries, k.heads, k.depth);
  const Tensor& key = b.transposed_operand(kKey, k.keys, k.key_heads, k.depth);
  const Tensor* logits = &b.multiply(query, key, b.weights());
  logits = &b.each(CUDNN_POINTWISE_MUL, *logits, b.a_number(kScale), b.weights());
  if (k.causal) logits = &b.past(*logits, b.a_number(kMasked));
  const Tensor& most = b.reduce(CUDNN_REDUCE_TENSOR_MAX, *logits, b.rows());
  const Tensor& above = b.each(CUDNN_POINTWISE_SUB, *logits, most, b.weights());
  const Tensor& exponentials = b.each(CUDNN_POINTWISE_EXP, above, b.weights());
  const Tensor& sum = b.reduce(CUDNN_REDUCE_TENSOR_ADD, exponentials, b.rows());
  const Tensor& logarithm = b.each(CUDNN_POINTWISE_LOG, sum, b.rows());
  b.each(CUDNN_POINTWISE_ADD, most, logarithm, b.row_numbers(kStatistics));
  const Tensor& weights = b.each(CUDNN_POINTWISE_DIV, exponentials, sum, b.weights(b.type()));
  const Tensor& value = b.operand(kValue, k.keys, k.key_heads, k.value_depth);
  b.multiply(weights, value, b.operand(kOut, k.queries, k.heads, k.value_depth));
  return b.plan(device);
}

// The query's gradient comes out of a product of its own, not out of a sum in the order in which blocks end: cuDNN's
// engine for this form repeats its bits.
std::shared_ptr<const CudnnPlan> gradient(CudaDevice& device, const AttentionKey& k) {
  Builder b(k);
  const Tensor& query = b.operand(kQuery, k.queries, k.heads, k.depth);
  const Tensor& key = b.transposed_operand(kKey, k.keys, k.key_heads, k.depth);
  const Tensor& value = b.transposed_operand(kValue, k.keys, k.key_heads, k.value_depth);
  const Tensor& out = b.operand(kOut, k.queries, k.heads, k.value_depth);
  const Tensor& cotangent = b.operand(kCotangent, k.queries, k.heads, k.value_depth);
  const Tensor& scale = b.a_number(kScale);

  const Tensor& products = b.each(CUDNN_POINTWISE_MUL, cotangent, out, b.inside(out.sizes, out.strides));
  const Tensor& sums = b.reduce(CUDNN_REDUCE_TENSOR_ADD, products, b.rows());
  const Tensor& row_sums = b.each(CUDNN_POINTWISE_MUL, sums, b.a_number(kOne), b.row_numbers(kRowSums));

  const Tensor* logits = &b.multiply(query, key, b.weights());
  logits = &b.each(CUDNN_POINTWISE_MUL, *logits, scale, b.weights());
  logits = &b.each(CUDNN_POINTWISE_SUB, *logits, b.row_numbers(kStatistics), b.weights());
  if (k.causal) logits = &b.past(*logits, b.a_number(kMasked));
  const Tensor& weights = b.each(CUDNN_POINTWISE_EXP, *logits, b.weights());
  b.multiply_for_keys(b.transpose(weights, b.type()), cotangent,
                      b.operand(kValueGrad, k.keys, k.key_heads, k.value_depth), k.value_depth);

  const Tensor& of_weights = b.multiply(cotangent, value, b.weights());
  const Tensor& centered = b.each(CUDNN_POINTWISE_SUB, of_weights, row_sums, b.weights());
  const Tensor& of_logits = b.each(CUDNN_POINTWISE_MUL, centered, weights, b.weights());
  const Tensor& scaled = b.each(CUDNN_POINTWISE_MUL, of_logits, scale, b.weights());
  b.multiply_for_keys(b.transpose(scaled, b.type()), query, b.operand(kKeyGrad, k.keys, k.key_heads, k.depth),
                      k.depth);
  b.multiply(scaled, b.transpose(key, CUDNN_DATA_FLOAT), b.operand(kQueryGrad, k.queries, k.heads, k.depth));
  return b.plan(device);
}

}  // namespace

std::shared_ptr<const CudnnPlan> attention_plan(CudaDevice& device, const AttentionKey& key) {
  using Plans = LruCache<std::pair<const CudaDevice*, AttentionKey>, CudnnPlan>;
  static auto* const plans = new Plans;  // outlives static kernels
  return plans->get({&device, key}, [&] { return key.gradient ? gradient(device, key) : forward(device, key); });
}

}  // namespace brio::cuda
