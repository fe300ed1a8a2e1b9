// Random numbers: the CPU's Philox streams (device/random.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/random/random.h"

namespace brio::cuda {
namespace {

class RandomKernel final : public CudaKernel {
 public:
  explicit RandomKernel(const NodeView& node)
      : device_(device_of(node)),
        elements_(node.out(0).shape.elements()),
        offset_(static_cast<uint64_t>(node.attrs()[1])),
        per_block_(size_of(node.out(0).dtype) == 8 ? 2 : 4) {
    const std::string_view t = type_name(node.out(0).dtype);
    const char* kind = node.node.op == &op::random_uniform  ? "Uniform"
                       : node.node.op == &op::random_normal ? "Normal"
                                                            : "Bits";
    code_ = device_.compiler().code(
        "random",
        cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(", t,
            "* out, const u64* seed, const u64* counter, u64 offset, i64 elements) { fill_random<", kind,
            ">(out, seed, counter, offset, elements); }\n"),
        {"random"});
    description = "philox";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (elements_ == 0) return;
    const int64_t most = int64_t{16} * device_.multiprocessors();
    const Grid grid{
        static_cast<unsigned>(std::min<int64_t>(blocks_for((elements_ + per_block_ - 1) / per_block_, 256).x, most))};
    stream.start(*code_, grid, {256}, args.out[0], args.in[0], args.in[1], offset_, elements_);
  }

 private:
  CudaDevice& device_;
  int64_t elements_;
  uint64_t offset_;
  int64_t per_block_;
  std::shared_ptr<const Code> code_;
};

}  // namespace

void add_random(Kernels& kernels) {
  for (const OpDef* op : {&op::random_uniform, &op::random_normal, &op::random_bits})
    kernels.add<RandomKernel>(*op, "philox", always);
}

}  // namespace brio::cuda
