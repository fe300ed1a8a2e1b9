// Pooling, and convolutions that cuDNN does not take: one thread for each element of the result (device/windows.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"

namespace brio::cuda {
namespace {

// The parameter of windows.cuh, and whether its numbers need 64 bits.
struct WindowSizes {
  std::vector<int64_t> numbers;
  bool wide = false;
  WindowSizes(const Windows& windows, int64_t batch, int64_t channels, int64_t groups, int64_t in_group,
              int64_t out_group) {
    for (const WindowAxis& w : windows.axis)
      numbers.insert(numbers.end(), {w.size, w.window, w.stride, w.dilation, w.low, w.count()});
    numbers.insert(numbers.end(), {batch, channels, groups, in_group, out_group});
    const int64_t most = std::max({channels, groups * in_group, groups * out_group});
    wide = batch * std::max(windows.sizes(), windows.counts()) * most >= int64_t{1} << 30;
    for (const WindowAxis& w : windows.axis) wide |= w.size + w.low + w.reach() + w.stride >= int64_t{1} << 30;
  }
};

Support supports_numbers(const NodeView& node) {
  const DType dtype = node.out(0).dtype;
  return is_real(dtype) && dtype != boolean ? Support::can() : Support::cannot(cat("no windows of ", dtype));
}

PoolGeometry pool_of(const NodeView& node) {
  const bool from_result = node.node.op == &op::avg_pool_grad || node.node.op == &op::max_pool_grad_from_taken;
  return PoolGeometry::of(from_result ? node.out(0).shape : node.in(0).shape, node.attrs());
}
WindowSizes geometry(const NodeView& node) {
  const OpDef& op = *node.node.op;
  if (&op == &op::conv || &op == &op::conv_input_grad || &op == &op::conv_filter_grad) {
    const ConvGeometry g = ConvGeometry::of(op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs());
    return {g, g.batch, 0, g.groups, g.in, g.out};
  }
  const PoolGeometry g = pool_of(node);
  return {g, g.batch, g.channels, 1, 0, 0};
}

// How an op is called in windows.cuh.
std::string call_of(const OpDef& op) {
  if (&op == &op::avg_pool || &op == &op::avg_pool_grad) return cat(op.name, "(p.out, p.a, p.s)");
  return cat(op.name, "_direct(p.out, p.a, p.b, p.s)");
}

class WindowKernel final : public CudaKernel {
 public:
  explicit WindowKernel(const NodeView& node)
      : device_(device_of(node)),
        sizes_(geometry(node)),
        elements_(node.out(0).shape.elements()),
        two_(node.node.in.size() == 2),
        block_each_(node.node.op == &op::conv_filter_grad) {
    code_ = device_.compiler().code(
        node.node.op->name,
        cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ "
            "Windowed<",
            type_name(node.out(0).dtype), ", ", sizes_.wide ? "i64" : "i32", "> p) { ", call_of(*node.node.op),
            "; }\n"),
        {"elementwise", "windows"});
    description = cat(node.node.op->name, ", a thread an element");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (elements_ == 0) return;
    Parameters p(sizes_.wide);
    p.pointer(args.out[0]);
    p.pointer(args.in[0]);
    p.pointer(two_ ? args.in[1] : nullptr);
    for (int64_t number : sizes_.numbers) p.number(number);
    const int64_t most = int64_t{64} * device_.multiprocessors();
    const int64_t blocks = block_each_ ? elements_ : std::min<int64_t>(blocks_for(elements_, 256).x, most);
    stream.start_packed(*code_, {static_cast<unsigned>(blocks)}, {256}, p.bytes());
  }

 private:
  CudaDevice& device_;
  WindowSizes sizes_;
  int64_t elements_;
  bool two_, block_each_;
  std::shared_ptr<const Code> code_;
};

// max_pool, max_pool_pick and max_pool_grad, and the forms that keep what was taken, by vectors of channels where
// these and the addresses allow it.
class MaxPoolKernel final : public CudaKernel {
 public:
  explicit MaxPoolKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        dtype_(node.out(0).dtype),
        sizes_(geometry(node)),
        keeps_(&op_ == &op::max_pool_with_taken),
        grad_(&op_ == &op::max_pool_grad || &op_ == &op::max_pool_grad_from_taken),
        elements_(node.out(0).shape.elements()) {
    const PoolGeometry g = pool_of(node);
    windows_ = g.batch * g.counts() * g.channels;
    small_taps_ = g.taps() <= 256;
    // Small windows are part of the text, so that their loops are written out and nothing is divided.
    for (int a = 0; a < 3 && g.taps() <= 16; ++a)
      constants_ += cat("s.axis[", a, "].window = ", g.axis[a].window, "; s.axis[", a,
                        "].stride = ", g.axis[a].stride, "; s.axis[", a, "].dilation = 1; ");
    vector_ = static_cast<int>(std::min<size_t>(8, 16 / size_of(dtype_)));
    while (vector_ > 1 && g.channels % vector_ != 0) vector_ /= 2;
    vectors_ = codes_of(vector_);
    description = cat(op_.name, ", ", vector_, " channels at once");
  }
  size_t scratch_needed() const override {
    return &op_ == &op::max_pool_grad ? static_cast<size_t>(windows_) * (small_taps_ ? 1 : sizeof(int32_t)) : 0;
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (elements_ == 0) return;
    const void* const second = keeps_ ? args.out[1] : &op_ == &op::max_pool ? args.in[0] : args.in[1];
    const bool aligned = is_aligned({args.in[0], second, args.out[0]});
    const int vector = aligned ? vector_ : 1;
    const Codes& codes = aligned ? vectors_ : codes_of(1);
    if (codes.taken) start(*codes.taken, args.scratch, args.in[0], nullptr, windows_ / vector, stream);
    start(*codes.main, args.out[0], codes.taken ? args.scratch : args.in[0], second,
          (grad_ ? elements_ : windows_) / vector, stream);
  }

 private:
  struct Codes {
    std::shared_ptr<const Code> taken, main;
  };
  Codes codes_of(int vector) const {
    const std::string_view t = type_name(dtype_), i = sizes_.wide ? "i64" : "i32", w = small_taps_ ? "u8" : "i32";
    const auto code = [&](std::string_view label, const std::string& call) {
      return device_.compiler().code(
          label,
          cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const "
              "__grid_constant__ Windowed<",
              t, ", ", i, "> p) { WindowSizes<", i, "> s = p.s; ", constants_, call, "; }\n"),
          {"elementwise", "windows"});
    };
    if (keeps_)
      return {nullptr, code("max_pool_keeping", cat("max_pool_keeping<", vector, ">(p.out, (u8*)p.b, p.a, s)"))};
    if (!grad_) return {nullptr, code("max_pool", cat("max_pool<", vector, ">(p.out, p.a, p.b, s)"))};
    Codes codes{nullptr,
                code("max_pool_grad", cat("max_pool_grad<", vector, ">(p.out, (const ", w, "*)p.a, p.b, s)"))};
    if (&op_ == &op::max_pool_grad)
      codes.taken = code("max_pool_taken", cat("max_pool_taken<", vector, ">((", w, "*)p.out, p.a, s)"));
    return codes;
  }
  void start(const Code& code, void* out, const void* a, const void* b, int64_t threads, CudaStream& stream) const {
    if (threads == 0) return;
    Parameters p(sizes_.wide);
    p.pointer(out);
    p.pointer(a);
    p.pointer(b);
    for (int64_t number : sizes_.numbers) p.number(number);
    const int64_t most = int64_t{64} * device_.multiprocessors();
    stream.start_packed(code, {static_cast<unsigned>(std::min<int64_t>(blocks_for(threads, 256).x, most))}, {256},
                        p.bytes());
  }

  CudaDevice& device_;
  const OpDef& op_;
  DType dtype_;
  WindowSizes sizes_;
  bool keeps_, grad_, small_taps_ = true;
  int64_t elements_, windows_ = 0;
  int vector_ = 1;
  std::string constants_;
  Codes vectors_;
};

}  // namespace

std::unique_ptr<Kernel> direct_convolution(const NodeView& node) { return std::make_unique<WindowKernel>(node); }

void add_windows(Kernels& kernels) {
  for (const OpDef* op : {&op::max_pool, &op::max_pool_pick, &op::max_pool_grad, &op::max_pool_with_taken,
                          &op::max_pool_grad_from_taken})
    kernels.add<MaxPoolKernel>(*op, "windows", supports_numbers);
  for (const OpDef* op : {&op::avg_pool, &op::avg_pool_grad})
    kernels.add<WindowKernel>(*op, "windows", supports_numbers);
  for (const OpDef* op : {&op::conv, &op::conv_input_grad, &op::conv_filter_grad})
    kernels.add<WindowKernel>(*op, "direct", supports_numbers, 1);
}

}  // namespace brio::cuda
