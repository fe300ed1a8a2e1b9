// scaled_dot_product_attention and its gradient through cuDNN's fused kernels, for f16 and bf16. What these do not
// do (masks, biases, dropout, other dtypes) is left to the plain form.
#include <array>
#include <limits>

#include "brio/backends/cuda/cudnn_attention.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/attention.h"

namespace brio::cuda {
namespace {

// Before it, gradients by keys whose number is no multiple of 128 are wrong, and some versions' are wrong altogether.
constexpr size_t kLeastVersion = 91600;

AttentionForm form_of(const NodeView& node) {
  return {node.attrs(), node.in(0).shape, node.in(1).shape, node.in(2).shape};
}
AttentionKey key_of(const AttentionForm& form, DType dtype, bool gradient) {
  return {gradient,  form.causal, dtype,          form.batch, form.queries,
          form.keys, form.heads,  form.key_heads, form.depth, form.value_depth};
}

Support supports_attention(const NodeView& node) {
  const DType dtype = node.in(0).dtype;
  if (dtype != f16 && dtype != bf16) return Support::cannot(cat("cuDNN has no attention of ", dtype));
  const AttentionForm form = form_of(node);
  if (form.has_mask || form.has_bias || form.dropout != 0) return Support::cannot("a mask, a bias or dropout");
  if (form.weights().elements() == 0 || form.depth == 0 || form.value_depth == 0)
    return Support::cannot("an operand is empty");
  if (form.depth % 8 != 0 || form.value_depth % 8 != 0 || form.depth > 128 || form.value_depth > 128)
    return Support::cannot("the depth of a head is no multiple of 8, or above 128");
  if (form.queries == 1 && form.keys == 1) return Support::cannot("one query and one key");
  const bool gradient = node.node.op == &op::scaled_dot_product_attention_grad;
  const size_t version = cudnn().cudnnGetVersion();
  if (version < kLeastVersion) return Support::cannot(cat("cuDNN ", version, " is older than ", kLeastVersion));
  CudaDevice& device = device_of(node);
  if (!attention_plan(device, key_of(form, dtype, false)) ||
      (gradient && !attention_plan(device, key_of(form, dtype, true))))
    return Support::cannot("cuDNN has no engine whose bits repeat");
  return Support::can();
}

// Scratch memory, handed out piece by piece; asked for twice: how much, and where.
class Room {
 public:
  explicit Room(void* base = nullptr) : base_(static_cast<char*>(base)) {}
  void* take(size_t bytes) {
    void* const at = base_ + used_;
    used_ += rounded_scratch(bytes);
    return at;
  }
  size_t used() const { return used_; }

 private:
  char* base_;
  size_t used_ = 0;
};

class AttentionKernel final : public CudaKernel {
 public:
  explicit AttentionKernel(const NodeView& node)
      : device_(device_of(node)),
        form_(form_of(node)),
        dtype_(node.in(0).dtype),
        gradient_(node.node.op == &op::scaled_dot_product_attention_grad),
        scale_(static_cast<float>(form_.scale)),
        forward_(attention_plan(device_, key_of(form_, dtype_, false))) {
    if (gradient_) backward_ = attention_plan(device_, key_of(form_, dtype_, true));
    for (size_t i = 0; i < inputs(); ++i) in_bytes_[i] = node.in(i).bytes();
    for (size_t i = 0; i < outputs(); ++i) out_bytes_[i] = node.out(i).bytes();
    Room room;
    lay_out(room);
    scratch_ = room.used();
    description = cat("cuDNN ", forward_->engine(), gradient_ ? cat(" and ", backward_->engine()) : std::string(),
                      ", workspace ", workspace());
  }
  size_t scratch_needed() const override { return scratch_; }

  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    Room room(args.scratch);
    const Places places = lay_out(room);
    std::array<void*, 4> in{};
    std::array<void*, 3> out{};
    for (size_t i = 0; i < inputs(); ++i) {
      in[i] = const_cast<void*>(args.in[i]);  // it does not write to them
      if (is_aligned({in[i]})) continue;
      stream.copy(places.in[i], in[i], in_bytes_[i]);
      in[i] = places.in[i];
    }
    for (size_t i = 0; i < outputs(); ++i) out[i] = is_aligned({args.out[i]}) ? args.out[i] : places.out[i];

    float scale = scale_, masked = -std::numeric_limits<float>::infinity(), one = 1;
    std::vector<CudnnPlan::Argument> arguments = {{kQuery, in[0]},
                                                  {kKey, in[1]},
                                                  {kValue, in[2]},
                                                  {kOut, gradient_ ? places.result : out[0]},
                                                  {kStatistics, places.statistics},
                                                  {kScale, &scale}};
    if (form_.causal) arguments.push_back({kMasked, &masked});
    forward_->enqueue(device_, stream, arguments, places.workspace);
    if (gradient_) {
      for (const CudnnPlan::Argument& more : {CudnnPlan::Argument{kOne, &one},
                                              {kCotangent, in[3]},
                                              {kQueryGrad, out[0]},
                                              {kKeyGrad, out[1]},
                                              {kValueGrad, out[2]},
                                              {kRowSums, places.row_sums}})
        arguments.push_back(more);
      backward_->enqueue(device_, stream, arguments, places.workspace);
    }
    for (size_t i = 0; i < outputs(); ++i)
      if (out[i] != args.out[i]) stream.copy(args.out[i], out[i], out_bytes_[i]);
  }

 private:
  struct Places {
    void *statistics, *workspace, *result = nullptr, *row_sums = nullptr;
    std::array<void*, 4> in{};
    std::array<void*, 3> out{};
  };
  size_t inputs() const { return gradient_ ? 4 : 3; }
  size_t outputs() const { return gradient_ ? 3 : 1; }
  size_t workspace() const { return std::max(forward_->workspace(), backward_ ? backward_->workspace() : 0); }
  Places lay_out(Room& room) const {
    const size_t row_bytes = static_cast<size_t>(form_.batch * form_.heads * form_.queries) * sizeof(float);
    Places p{room.take(row_bytes), room.take(workspace())};
    if (gradient_) {
      p.result = room.take(in_bytes_[3]);
      p.row_sums = room.take(row_bytes);
    }
    for (size_t i = 0; i < inputs(); ++i) p.in[i] = room.take(in_bytes_[i]);
    for (size_t i = 0; i < outputs(); ++i) p.out[i] = room.take(out_bytes_[i]);
    return p;
  }

  CudaDevice& device_;
  AttentionForm form_;
  DType dtype_;
  bool gradient_;
  float scale_;
  std::shared_ptr<const CudnnPlan> forward_, backward_;
  std::array<size_t, 4> in_bytes_{};
  std::array<size_t, 3> out_bytes_{};
  size_t scratch_ = 0;
};

}  // namespace

void add_attention(Kernels& kernels) {
  for (const OpDef* op : {&op::scaled_dot_product_attention, &op::scaled_dot_product_attention_grad})
    kernels.add<AttentionKernel>(*op, "cudnn", supports_attention);
}

}  // namespace brio::cuda
