// cast_many: all tensors in few launches (device/cast_many.cuh).
#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/elementwise/fusion.h"

namespace brio::cuda {
namespace {

// As in cast_many.cuh.
constexpr size_t kTensors = 96;
constexpr int64_t kPerBlock = 4096;
struct CastMany {
  const void* in[kTensors];
  void* out[kTensors];
  long long elements[kTensors];
  uint32_t first_block[kTensors + 1];
  int count;
};
static_assert(sizeof(CastMany) <= 4096);

class CastManyKernel final : public CudaKernel {
 public:
  explicit CastManyKernel(const NodeView& node)
      : device_(device_of(node)), from_(node.in(0).dtype), to_(node.out(0).dtype) {
    for (size_t i = 0; i < node.node.in.size(); ++i) elements_.push_back(node.in(i).shape.elements());
    code_ = code_of(kVector);
    description = cat("one pass over ", elements_.size(), " tensors");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    CastMany many{};
    int64_t blocks = 0;
    bool aligned = true;
    const auto start = [&] {
      many.first_block[many.count] = static_cast<uint32_t>(blocks);
      if (blocks != 0) stream.start(*(aligned ? code_ : code_of(1)), {static_cast<unsigned>(blocks)}, {256}, many);
      many.count = 0;
      blocks = 0;
      aligned = true;
    };
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (elements_[i] == 0) continue;
      const auto at = static_cast<size_t>(many.count);
      many.in[at] = args.in[i];
      many.out[at] = args.out[i];
      many.elements[at] = elements_[i];
      many.first_block[at] = static_cast<uint32_t>(blocks);
      aligned &= is_aligned({args.in[i], args.out[i]});
      blocks += (elements_[i] + kPerBlock - 1) / kPerBlock;
      if (++many.count == static_cast<int>(kTensors)) start();
    }
    start();
  }

 private:
  static constexpr int kVector = 4;
  std::shared_ptr<const Code> code_of(int vector) const {
    return device_.compiler().code(
        "cast_many",
        kernel_of("const __grid_constant__ CastMany m",
                  cat("cast_many<", vector, ", ", type_name(to_), ", ", type_name(from_), ">(m)")),
        {"elementwise", "cast_many"});
  }
  CudaDevice& device_;
  DType from_, to_;
  std::vector<int64_t> elements_;
  std::shared_ptr<const Code> code_;
};

}  // namespace

void add_cast_many(Kernels& kernels) { kernels.add<CastManyKernel>(op::cast_many, "one pass", always); }

}  // namespace brio::cuda
