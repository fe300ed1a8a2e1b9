// Convolutions of pictures with few channels in 16 bits (device/few_channels.cuh): by themselves, with their bias,
// ReLU and pooling, and the gradients of their filters.
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/conv_pool.h"
#include "brio/ops/network/convolution.h"

namespace brio::cuda {
namespace {

constexpr int64_t kMostChannels = 4, kMostStride = 2, kMostReach = 7, kMostNumbers = 160;
constexpr int64_t kStrip = 128;     // few_channels.cuh's kFewColumns
constexpr int64_t kMostTiles = 16;  // of 16 × 8 that a warp holds in registers
// Blocks: enough to fill a large device once or twice, and by no device's size, so that bits repeat.
constexpr int64_t kParts = 792, kPartsOfPooled = 1024;

// As in few_channels.cuh.
struct FewSizes {
  int32_t batch, size1, size2, stride1, low1, low2, count1, count2, x_vectors, y_vectors;
};

struct FewForm {
  ConvGeometry g;
  bool pooled;
  int64_t count1, count2;  // of what is given, or comes of it

  explicit FewForm(const NodeView& node)
      : pooled(node.node.op == &op::conv_relu_pool || node.node.op == &op::conv_relu_pool_grad) {
    if (!pooled) {
      g = ConvGeometry::of(*node.node.op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs());
      count1 = g.axis[1].count();
      count2 = g.axis[2].count();
      return;
    }
    const Shape& filter = node.node.op == &op::conv_relu_pool ? node.in(1).shape : node.out(0).shape;
    const ConvPoolForm form(*node.node.op, node.in(0).shape, filter, node.attrs());
    g = form.conv;
    count1 = form.pool.axis[1].count();
    count2 = form.pool.axis[2].count();
  }
  int64_t numbers() const { return g.taps() * g.in; }            // of a window
  int64_t rows() const { return numbers() + (pooled ? 1 : 0); }  // of the gradient: the bias is one
  int64_t across() const { return g.out / 8; }                   // tiles beside each other
  int64_t down() const { return (rows() + 15) / 16; }
  int64_t tiles_of_warp() const { return std::min<int64_t>(down(), std::min<int64_t>(4, kMostTiles / across())); }
  int64_t warps_down() const { return (down() + tiles_of_warp() - 1) / tiles_of_warp(); }
  int64_t warps_in_turn() const { return warps_down() == 1 ? 4 : 1; }
  int64_t units() const { return g.batch * count1 * ((count2 + kStrip - 1) / kStrip); }
  FewSizes sizes(bool x_aligned, bool y_aligned) const {
    const auto n = [](int64_t number) { return static_cast<int32_t>(number); };
    const bool x_vectors = x_aligned && g.axis[2].size * g.in % 8 == 0;
    return {n(g.batch),       n(g.axis[1].size), n(g.axis[2].size), n(g.axis[1].stride), n(g.axis[1].low),
            n(g.axis[2].low), n(count1),         n(count2),         x_vectors,           y_aligned};
  }
  std::string window() const { return cat(g.in, ", ", g.axis[1].window, ", ", g.axis[2].window); }
};

Support supports_few(const NodeView& node) {
  const DType dtype = node.in(0).dtype;
  if (dtype != f16 && dtype != bf16) return Support::cannot(cat("no tensor cores for ", dtype));
  if (device_of(node).capability() < 80) return Support::cannot("an old device");
  const FewForm form(node);
  const ConvGeometry& g = form.g;
  if (node.in(0).shape.rank() != 4 || g.groups != 1 || g.in > kMostChannels) return Support::cannot("many channels");
  if (g.out % 16 != 0 || g.out > 64) return Support::cannot("another number of results");
  if (!g.has_elements() || form.units() == 0) return Support::cannot("an operand is empty");
  for (int a = 1; a < 3; ++a)
    if (g.axis[a].dilation != 1 || g.axis[a].stride > kMostStride || g.axis[a].window > kMostReach)
      return Support::cannot("large or wide windows");
  if (form.numbers() > kMostNumbers) return Support::cannot("large windows");
  if (form.pooled) {
    if (g.axis[1].stride != 1 || g.axis[2].stride != 1) return Support::cannot("a stride before pooling");
    const size_t words = node.node.attrs.size();
    if (node.node.attrs[words - 2] != 2 || node.node.attrs[words - 1] != 2)
      return Support::cannot("pooling by windows other than 2 x 2");
    if ((form.numbers() + 15) / 16 * form.across() > kMostTiles) return Support::cannot("too many weights");
  }
  const int64_t most = std::max(g.batch * g.sizes() * g.in, form.units() * 2 * kStrip * kMostStride);
  return most < int64_t{1} << 31 ? Support::can() : Support::cannot("positions need 64 bits");
}

std::shared_ptr<const Code> code(CudaDevice& device, std::string_view label, std::string_view signature,
                                 std::string_view call, unsigned threads, unsigned blocks = 1) {
  return device.compiler().code(label, kernel_of(signature, call, threads, blocks), {"elementwise", "few_channels"});
}

class ConvReluPoolKernel final : public CudaKernel {
 public:
  explicit ConvReluPoolKernel(const NodeView& node) : form_(node) {
    code_ = code(device_of(node), "conv_relu_pool",
                 "u16* out, u8* which, const u16* x, const u16* filter, const u16* bias, FewSizes s",
                 cat("conv_relu_pool<", type_name(node.in(0).dtype), ", ", form_.window(), ", ", form_.g.out,
                     ">(out, which, x, filter, bias, s)"),
                 kThreads);
    blocks_ = std::min<int64_t>(form_.units(), int64_t{8} * device_of(node).multiprocessors());
    description = "pooled while it is computed";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    stream.start(*code_, {static_cast<unsigned>(blocks_)}, {kThreads}, args.out[0], args.out[1], args.in[0],
                 args.in[1], args.in[2],
                 form_.sizes(is_aligned({args.in[0]}), is_aligned({args.out[0], args.out[1]})));
  }

 private:
  static constexpr unsigned kThreads = 128;
  FewForm form_;
  std::shared_ptr<const Code> code_;
  int64_t blocks_;
};

class FewConvKernel final : public CudaKernel {
 public:
  explicit FewConvKernel(const NodeView& node) : form_(node) {
    code_ = code(device_of(node), "few_conv", "u16* out, const u16* x, const u16* filter, FewSizes s",
                 cat("few_conv<", type_name(node.in(0).dtype), ", ", form_.window(), ", ", form_.g.axis[2].stride,
                     ", ", form_.g.out, ">(out, x, filter, s)"),
                 kThreads);
    // As many as run at once: large windows take many registers.
    const int64_t at_once = form_.numbers() > 64 ? 3 : 6;
    blocks_ = std::min<int64_t>(form_.units(), at_once * device_of(node).multiprocessors());
    description = "few channels";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    stream.start(*code_, {static_cast<unsigned>(blocks_)}, {kThreads}, args.out[0], args.in[0], args.in[1],
                 form_.sizes(is_aligned({args.in[0]}), is_aligned({args.out[0]})));
  }

 private:
  static constexpr unsigned kThreads = 128;
  FewForm form_;
  std::shared_ptr<const Code> code_;
  int64_t blocks_;
};

// conv_filter_grad and conv_relu_pool_grad: blocks have parts of the sum, which are then added up.
class FewFilterGradKernel final : public CudaKernel {
 public:
  explicit FewFilterGradKernel(const NodeView& node) : form_(node) {
    CudaDevice& device = device_of(node);
    const std::string_view t = type_name(node.in(0).dtype);
    threads_ = static_cast<unsigned>(32 * form_.warps_down() * form_.warps_in_turn());
    parts_ = std::min(form_.units(), form_.pooled ? kPartsOfPooled : kParts);
    code_ =
        code(device, "few_filter_grad", "f32* partial, const u16* x, const u16* given, const u8* which, FewSizes s",
             cat("few_filter_grad<", t, ", ", form_.window(), ", ", form_.g.axis[2].stride, ", ", form_.g.out,
                 form_.pooled ? ", true, " : ", false, ", form_.tiles_of_warp(), ", ", form_.warps_down(), ", ",
                 form_.warps_in_turn(), ">(partial, x, given, which, s)"),
             threads_, 512 / threads_);
    join_ = code(device, "few_join",
                 cat(t, "* filter, ", t, "* bias, const f32* partial, i32 elements, i32 first, i32 parts"),
                 "few_join(filter, bias, partial, elements, first, parts)", 1024);
    description = cat("few channels, ", parts_, " parts");
  }
  size_t scratch_needed() const override {
    return static_cast<size_t>(parts_ * form_.rows() * form_.g.out) * sizeof(float);
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const void *which = form_.pooled ? args.in[1] : nullptr, *given = args.in[form_.pooled ? 2 : 1];
    void* const bias = form_.pooled ? args.out[1] : nullptr;
    stream.start(*code_, {static_cast<unsigned>(parts_)}, {threads_}, args.scratch, args.in[0], given, which,
                 form_.sizes(is_aligned({args.in[0]}), is_aligned({given, which})));
    const auto elements = static_cast<int32_t>(form_.rows() * form_.g.out);
    stream.start(*join_, blocks_for(elements, 32), {32, 32}, args.out[0], bias, args.scratch, elements,
                 static_cast<int32_t>(form_.numbers() * form_.g.out), static_cast<int32_t>(parts_));
  }

 private:
  FewForm form_;
  unsigned threads_ = 0;
  int64_t parts_ = 1;
  std::shared_ptr<const Code> code_, join_;
};

}  // namespace

void add_few_channels(Kernels& kernels) {
  constexpr int kBeforeCudnn = 11;
  kernels.add<ConvReluPoolKernel>(op::conv_relu_pool, "few channels", supports_few);
  kernels.add<FewConvKernel>(op::conv, "few channels", supports_few, kBeforeCudnn);
  kernels.add<FewFilterGradKernel>(op::conv_relu_pool_grad, "few channels", supports_few);
  kernels.add<FewFilterGradKernel>(op::conv_filter_grad, "few channels", supports_few, kBeforeCudnn);
}

}  // namespace brio::cuda
