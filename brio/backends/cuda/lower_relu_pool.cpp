// relu_pool and relu_pool_grad: one pass each (device/relu_pool.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/network/conv_pool.h"

namespace brio::cuda {
namespace {

class ReluPoolKernel final : public CudaKernel {
 public:
  explicit ReluPoolKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        gradient_(&op_ == &op::relu_pool_grad),
        dtype_(node.out(0).dtype),
        g_(relu_pool_geometry(gradient_ ? node.out(0).shape : node.in(0).shape, node.attrs())) {
    wide_ = g_.batch * (g_.sizes() + g_.taps()) * g_.channels >= int64_t{1} << 30;
    vector_ = static_cast<int>(kVectorBytes / size_of(dtype_));
    while (vector_ > 1 && g_.channels % vector_ != 0) vector_ /= 2;
    code_ = code_of(vector_);
    description = cat(op_.name, ", ", vector_, " channels at once");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const void *y = args.in[gradient_ ? 1 : 0], *bias = gradient_ ? nullptr : args.in[1],
               *which = gradient_ ? args.in[0] : args.out[1];
    const bool aligned = is_aligned({args.out[0], y, bias, which});
    int64_t windows = g_.batch;
    for (const WindowAxis& axis : g_.axis)
      windows *= gradient_ ? (axis.size + axis.window - 1) / axis.window : axis.count();
    const int64_t threads = windows * (g_.channels / (aligned ? vector_ : 1));
    if (threads == 0) return;
    Parameters p(wide_);
    for (const void* pointer : {static_cast<const void*>(args.out[0]), which, y, bias}) p.pointer(pointer);
    for (int64_t number : {g_.batch, g_.channels}) p.number(number);
    for (const WindowAxis& axis : g_.axis) p.number(axis.size);
    for (const WindowAxis& axis : g_.axis) p.number(axis.count());
    const int64_t most = int64_t{64} * device_.multiprocessors();
    stream.start_packed(aligned ? *code_ : *code_of(1),
                        {static_cast<unsigned>(std::min<int64_t>(blocks_for(threads, 256).x, most))}, {256},
                        p.bytes());
  }

 private:
  std::shared_ptr<const Code> code_of(int vector) const {
    return device_.compiler().code(
        op_.name,
        kernel_of(cat("const __grid_constant__ ReluPooled<", type_name(dtype_), ", ", wide_ ? "i64" : "i32", "> p"),
                  cat(op_.name, "<", vector, ", ", g_.axis[0].window, ", ", g_.axis[1].window, ", ",
                      g_.axis[2].window, ">(p)")),
        {"elementwise", "relu_pool"});
  }
  CudaDevice& device_;
  const OpDef& op_;
  bool gradient_;
  DType dtype_;
  PoolGeometry g_;
  bool wide_ = false;
  int vector_ = 1;
  std::shared_ptr<const Code> code_;
};

constexpr int64_t kMostTaps = 64;  // which are written out in the kernel's text

Support supports_relu_pool(const NodeView& node) {
  const bool gradient = node.node.op == &op::relu_pool_grad;
  const int64_t taps = relu_pool_geometry(gradient ? node.out(0).shape : node.in(0).shape, node.attrs()).taps();
  return taps <= kMostTaps ? Support::can() : Support::cannot("large windows");
}

}  // namespace

void add_relu_pools(Kernels& kernels) {
  for (const OpDef* op : {&op::relu_pool, &op::relu_pool_grad})
    kernels.add<ReluPoolKernel>(*op, "windows", supports_relu_pool);
}

}  // namespace brio::cuda
