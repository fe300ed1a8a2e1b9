// Optimizer updates: all parameters in few launches (device/optimizers.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/optimizer_ops.h"

namespace brio::cuda {
namespace {

// As in optimizers.cuh.
constexpr size_t kTensors = 24, kPerBlock = 2048;
struct UpdateTensor {
  const void* in[5];
  void* out[4];
  const void* places;
  long long elements;
  int width, last;
};
struct Updates {
  UpdateTensor tensor[kTensors];
  uint32_t first_block[kTensors + 1];
  const void* scalar[5];
  const void* step;
  const void* decay;
  const void* gate;
  int count;
};
static_assert(sizeof(Updates) <= 4096);

class UpdateKernel final : public CudaKernel {
 public:
  explicit UpdateKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        layout_(UpdateLayout::of(op_, node.attrs(), node.node.in.size())),
        dtype_(node.out(0).dtype),
        flags_(
            static_cast<int>((node.attrs()[0] != 0) | (&op_ == &op::adam_update ? 0 : (node.attrs()[1] != 0) << 1))) {
    for (size_t i = 0; i < layout_.n; ++i) {
      const Shape& shape = node.out(i).shape;
      const DType gradient = node.in(layout_.in(1, i)).dtype;
      Tensor t{static_cast<int64_t>(shape.elements()), 0, 0, gradient};
      if (std::ranges::find(gradients_, gradient) == gradients_.end()) gradients_.push_back(gradient);
      if (layout_.is_spread(i) && t.elements != 0) {
        t.width = static_cast<int>(t.elements / static_cast<int64_t>(shape[0]));
        t.last = static_cast<int>(static_cast<int64_t>(node.in(layout_.in(1, i)).shape[0]) - 1);
      }
      tensors_.push_back(t);
    }
    vector_ = static_cast<int>(std::min<size_t>(4, 16 / size_of(dtype_)));
    for (const DType gradient : gradients_) codes_.push_back(code_of(vector_, gradient));
    description = cat("one pass over ", layout_.n, " tensors");
  }
  // Each thread reads its elements before it writes them; a gradient that is rows is read by several.
  bool allows_in_place(size_t in, size_t out) const override {
    for (size_t kind = 0; kind < 2 + layout_.slots; ++kind)
      for (size_t i = 0; i < layout_.n && kind != 1; ++i)
        if (layout_.in(kind, i) == in) return layout_.out(kind, i) == out;
    return false;
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    Updates u{};
    const bool adam = &op_ == &op::adam_update;
    const size_t plain = layout_.scalars - layout_.decays - layout_.gated;
    for (size_t i = 0; i < plain; ++i)
      if (!(adam && i == 1)) u.scalar[i] = args.in[i];
    u.step = adam ? args.in[1] : nullptr;
    u.decay = layout_.decays ? args.in[layout_.decay()] : nullptr;
    u.gate = layout_.gated ? args.in[layout_.gate()] : nullptr;
    for (size_t g = 0; g < gradients_.size(); ++g) enqueue_those(g, u, args, stream);
  }

 private:
  // The parameters whose gradients are of one dtype.
  void enqueue_those(size_t g, Updates& u, const KernelArgs& args, CudaStream& stream) const {
    int64_t blocks = 0;
    bool aligned = true;
    const auto start = [&] {
      if (u.count != 0) {
        u.first_block[u.count] = static_cast<uint32_t>(blocks);
        stream.start(*(aligned ? codes_[g] : code_of(1, gradients_[g])), {static_cast<unsigned>(blocks)}, {256}, u);
      }
      u.count = 0;
      blocks = 0;
      aligned = true;
    };
    for (size_t i = 0; i < layout_.n; ++i) {
      const Tensor& t = tensors_[i];
      if (t.elements == 0 || t.gradient != gradients_[g]) continue;
      UpdateTensor& row = u.tensor[u.count];
      row = {};
      uintptr_t addresses = 0;
      for (size_t kind = 0; kind < 2 + layout_.slots; ++kind) {
        row.in[kind] = args.in[layout_.in(kind, i)];
        addresses |= reinterpret_cast<uintptr_t>(row.in[kind]);
        if (kind == 1) continue;
        void* const out = args.out[layout_.out(kind, i)];
        row.out[kind == 0 ? 0 : kind - 1] = out;
        addresses |= reinterpret_cast<uintptr_t>(out);
      }
      aligned &= addresses % 16 == 0;
      row.places = layout_.is_spread(i) ? args.in[layout_.places(i)] : nullptr;
      row.elements = t.elements;
      row.width = t.width;
      row.last = t.last;
      u.first_block[u.count++] = static_cast<uint32_t>(blocks);
      blocks += (t.elements + static_cast<int64_t>(kPerBlock) - 1) / static_cast<int64_t>(kPerBlock);
      if (u.count == static_cast<int>(kTensors)) start();
    }
    start();
  }

  struct Tensor {
    int64_t elements;
    int width, last;
    DType gradient;
  };
  std::shared_ptr<const Code> code_of(int vector, DType gradient) const {
    const char* rule = &op_ == &op::sgd_update ? "Sgd" : &op_ == &op::adam_update ? "Adam" : "Rmsprop";
    return device_.compiler().code(
        "update",
        cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ Updates u) { "
            "update_all<",
            rule, ", ", type_name(dtype_), ", ", type_name(gradient), ", ", layout_.slots, ", ", flags_, ", ", vector,
            ">(u); }\n"),
        {"elementwise", "optimizers"});
  }
  CudaDevice& device_;
  const OpDef& op_;
  UpdateLayout layout_;
  DType dtype_;
  int flags_, vector_ = 1;
  std::vector<Tensor> tensors_;
  std::vector<DType> gradients_;                    // those that there are
  std::vector<std::shared_ptr<const Code>> codes_;  // of each
};

Support supports_update(const NodeView& node) {
  const UpdateLayout layout = UpdateLayout::of(*node.node.op, node.attrs(), node.node.in.size());
  for (size_t i = 0; i < node.node.out.size(); ++i)
    if (node.out(i).dtype != node.out(0).dtype) return Support::cannot("parameters of several dtypes");
  for (size_t kind = 0; kind < 2 + layout.slots; ++kind)
    for (size_t i = 0; i < layout.n; ++i)
      if (kind != 1 && node.in(layout.in(kind, i)).dtype != node.out(0).dtype)
        return Support::cannot("operands of several dtypes");
  return Support::can();
}

}  // namespace

void add_optimizers(Kernels& kernels) {
  for (const OpDef* op : {&op::sgd_update, &op::rmsprop_update, &op::adam_update})
    kernels.add<UpdateKernel>(*op, "one pass", supports_update);
}

}  // namespace brio::cuda
