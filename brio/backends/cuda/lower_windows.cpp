// Pooling, and convolutions that cuDNN does not take: one thread for each element of the result (device/windows.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/convolution.h"
#include "brio/ops/pooling.h"

namespace brio::cuda {
namespace {

// As in windows.cuh.
struct WindowSizes {
  struct Axis {
    long long size, window, stride, dilation, low, count;
  } axis[3];
  long long batch = 0, channels = 0, groups = 1, in_group = 0, out_group = 0;
  explicit WindowSizes(const Windows& windows) {
    for (int a = 0; a < 3; ++a) {
      const WindowAxis& w = windows.axis[a];
      axis[a] = {w.size, w.window, w.stride, w.dilation, w.low, w.count()};
    }
  }
};

Support supports_numbers(const NodeView& node) {
  const DType dtype = node.out(0).dtype;
  return is_real(dtype) && dtype != boolean ? Support::can() : Support::cannot(cat("no windows of ", dtype));
}

std::shared_ptr<const Code> windows_code(const NodeView& node, std::string_view label, std::string signature,
                                         std::string call) {
  return device_of(node).compiler().code(label,
                                         cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(", signature,
                                             ", const __grid_constant__ WindowSizes s) { ", call, "; }\n"),
                                         {"elementwise", "windows"});
}

// out, in 0 and in 1 where there is one, sizes.
class WindowKernel final : public CudaKernel {
 public:
  explicit WindowKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        sizes_(geometry(node)),
        elements_(node.out(0).shape.elements()) {
    const std::string t(type_name(node.out(0).dtype));
    const bool two = node.node.in.size() == 2;
    std::string function;
    std::string arguments = two ? "out, a, b, s" : "out, a, s";
    if (&op_ == &op::max_pool) function = "max_pool", arguments = "out, a, a, s";
    else if (&op_ == &op::max_pool_pick) function = "max_pool";
    else if (&op_ == &op::max_pool_grad || &op_ == &op::avg_pool || &op_ == &op::avg_pool_grad) function = op_.name;
    else function = cat(op_.name, "_direct"), block_each_ = &op_ == &op::conv_filter_grad;
    code_ = windows_code(node, function,
                         cat(t, "* out, const ", t, "* a", two ? cat(", const ", t, "* b") : std::string()),
                         cat(function, "(", arguments, ")"));
    two_ = two;
    description = "direct";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (elements_ == 0) return;
    const int64_t most = int64_t{64} * device_.multiprocessors();
    const Grid grid{
        static_cast<unsigned>(block_each_ ? elements_ : std::min<int64_t>(blocks_for(elements_, 256).x, most))};
    if (two_) stream.start(*code_, grid, {256}, args.out[0], args.in[0], args.in[1], sizes_);
    else stream.start(*code_, grid, {256}, args.out[0], args.in[0], sizes_);
  }

 private:
  static WindowSizes geometry(const NodeView& node) {
    const OpDef& op = *node.node.op;
    if (&op == &op::conv || &op == &op::conv_input_grad || &op == &op::conv_filter_grad) {
      const ConvGeometry g =
          ConvGeometry::of(op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs());
      WindowSizes sizes(g);
      sizes.batch = g.batch;
      sizes.groups = g.groups;
      sizes.in_group = g.in;
      sizes.out_group = g.out;
      return sizes;
    }
    const PoolGeometry g =
        PoolGeometry::of(&op == &op::avg_pool_grad ? node.out(0).shape : node.in(0).shape, node.attrs());
    WindowSizes sizes(g);
    sizes.batch = g.batch;
    sizes.channels = g.channels;
    return sizes;
  }

  CudaDevice& device_;
  const OpDef& op_;
  WindowSizes sizes_;
  int64_t elements_;
  bool two_ = false, block_each_ = false;
  std::shared_ptr<const Code> code_;
};

}  // namespace

std::unique_ptr<Kernel> direct_convolution(const NodeView& node) { return std::make_unique<WindowKernel>(node); }

void add_windows(Kernels& kernels) {
  for (const OpDef* op : {&op::max_pool, &op::max_pool_pick, &op::max_pool_grad, &op::avg_pool, &op::avg_pool_grad})
    kernels.add<WindowKernel>(*op, "windows", supports_numbers);
  for (const OpDef* op : {&op::conv, &op::conv_input_grad, &op::conv_filter_grad})
    kernels.add<WindowKernel>(*op, "direct", supports_numbers, 1);
}

}  // namespace brio::cuda
