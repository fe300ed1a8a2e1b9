// scaled_dot_product_attention and its gradient through cuDNN's fused kernels, for f16 and bf16. What these do not
// do (masks, biases, dropout, other dtypes) is left to the plain form.
#include <array>
#include <limits>
#include <vector>

#include "brio/backends/cuda/cudnn_attention.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/attention.h"

namespace brio::cuda {
namespace {

// Before it, gradients by keys whose number is no multiple of 128 are wrong, and some versions' are wrong altogether.
constexpr size_t kLeastVersion = 91600;

// The four ops: whether the forward kernel runs, the backward one, and whether sums of rows go from one to the other.
struct AttentionPart {
  bool forward, backward, sums;
  explicit AttentionPart(const OpDef* op)
      : forward(op != &op::attention_grad_from_sums),
        backward(op == &op::scaled_dot_product_attention_grad || op == &op::attention_grad_from_sums),
        sums(op == &op::attention_with_sums || op == &op::attention_grad_from_sums) {}
};

AttentionForm form_of(const NodeView& node) {
  const std::vector<int64_t> words =
      AttentionPart(node.node.op).sums ? attention_attributes(node.attrs()) : node.node.attrs;
  return {Attrs(words), node.in(0).shape, node.in(1).shape, node.in(2).shape};
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
  const size_t version = cudnn().cudnnGetVersion();
  if (version < kLeastVersion) return Support::cannot(cat("cuDNN ", version, " is older than ", kLeastVersion));
  const AttentionPart part(node.node.op);
  for (const bool gradient : {false, true})
    if ((gradient ? part.backward : part.forward) && !attention_plan(device_of(node), key_of(form, dtype, gradient)))
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
        part_(node.node.op),
        scale_(static_cast<float>(form_.scale)) {
    if (part_.forward) forward_ = attention_plan(device_, key_of(form_, dtype_, false));
    if (part_.backward) backward_ = attention_plan(device_, key_of(form_, dtype_, true));
    for (size_t i = 0; i < node.node.in.size(); ++i) in_bytes_.push_back(node.in(i).bytes());
    for (size_t i = 0; i < node.node.out.size(); ++i) out_bytes_.push_back(node.out(i).bytes());
    Room room;
    lay_out(room);
    scratch_ = room.used();
    description = cat("cuDNN ", forward_ ? forward_->engine() : std::string(), forward_ && backward_ ? " and " : "",
                      backward_ ? backward_->engine() : std::string(), ", workspace ", workspace());
  }
  size_t scratch_needed() const override { return scratch_; }

  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    Room room(args.scratch);
    const Places places = lay_out(room);
    std::vector<void*> in(in_bytes_.size()), out(out_bytes_.size());
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = const_cast<void*>(args.in[i]);  // it does not write to them
      if (is_aligned({in[i]})) continue;
      stream.copy(places.in[i], in[i], in_bytes_[i]);
      in[i] = places.in[i];
    }
    for (size_t i = 0; i < out.size(); ++i) out[i] = is_aligned({args.out[i]}) ? args.out[i] : places.out[i];
    void* const result = !part_.backward ? out[0] : part_.forward ? places.result : in[3];
    void* const sums = part_.forward && part_.sums ? out[1] : part_.sums ? in[4] : places.sums;

    float scale = scale_, masked = -std::numeric_limits<float>::infinity(), one = 1;
    std::vector<CudnnPlan::Argument> arguments = {{kQuery, in[0]}, {kKey, in[1]},       {kValue, in[2]},
                                                  {kOut, result},  {kStatistics, sums}, {kScale, &scale}};
    if (form_.causal) arguments.push_back({kMasked, &masked});
    if (part_.forward) forward_->enqueue(device_, stream, arguments, places.workspace);
    if (part_.backward) {
      for (const CudnnPlan::Argument& more : {CudnnPlan::Argument{kOne, &one},
                                              {kCotangent, in.back()},
                                              {kQueryGrad, out[0]},
                                              {kKeyGrad, out[1]},
                                              {kValueGrad, out[2]},
                                              {kRowSums, places.row_sums}})
        arguments.push_back(more);
      backward_->enqueue(device_, stream, arguments, places.workspace);
    }
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i] != args.out[i]) stream.copy(args.out[i], out[i], out_bytes_[i]);
  }

 private:
  struct Places {
    void *sums = nullptr, *workspace = nullptr, *result = nullptr, *row_sums = nullptr;
    std::array<void*, 6> in{};
    std::array<void*, 3> out{};
  };
  size_t workspace() const {
    return std::max(forward_ ? forward_->workspace() : 0, backward_ ? backward_->workspace() : 0);
  }
  Places lay_out(Room& room) const {
    const size_t row_bytes = static_cast<size_t>(form_.batch * form_.heads * form_.queries) * sizeof(float);
    Places p;
    p.workspace = room.take(workspace());
    if (!part_.sums) p.sums = room.take(row_bytes);
    if (part_.backward) p.row_sums = room.take(row_bytes);
    if (part_.backward && part_.forward) p.result = room.take(in_bytes_.back());
    for (size_t i = 0; i < in_bytes_.size(); ++i) p.in[i] = room.take(in_bytes_[i]);
    for (size_t i = 0; i < out_bytes_.size(); ++i) p.out[i] = room.take(out_bytes_[i]);
    return p;
  }

  CudaDevice& device_;
  AttentionForm form_;
  DType dtype_;
  AttentionPart part_;
  float scale_;
  std::shared_ptr<const CudnnPlan> forward_, backward_;
  std::vector<size_t> in_bytes_, out_bytes_;
  size_t scratch_ = 0;
};

}  // namespace

void add_attention(Kernels& kernels) {
  for (const OpDef* op : {&op::scaled_dot_product_attention, &op::scaled_dot_product_attention_grad,
                          &op::attention_with_sums, &op::attention_grad_from_sums})
    kernels.add<AttentionKernel>(*op, "cudnn", supports_attention);
}

}  // namespace brio::cuda
