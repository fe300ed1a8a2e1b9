// Depthwise convolutions over two axes, and their gradients (device/depthwise.cuh): cuDNN compiles its engines for
// them when a plan is made, which takes many seconds for a network.
#include <algorithm>
#include <bit>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/convolution.h"

namespace brio::cuda {
namespace {

ConvGeometry geometry(const NodeView& node) {
  return ConvGeometry::of(*node.node.op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs());
}

constexpr int64_t kMostTaps = 49, kMostStride = 3, kMostReach = 13;
constexpr int64_t kMostSums = 36;    // of one thread, in registers
constexpr int kStrip = 4;            // neighbouring results of a row that a thread has
constexpr int64_t kMostWalked = 25;  // taps, of threads that walk down columns
constexpr unsigned kWalkers = 128;   // threads of a block of those

Support supports_depthwise(const NodeView& node) {
  const DType dtype = node.out(0).dtype;
  if (!is_floating(dtype)) return Support::cannot(cat("no depthwise convolution of ", dtype));
  const ConvGeometry g = geometry(node);
  if (g.in != 1 || g.out != 1 || g.groups < 2) return Support::cannot("channels share filters");
  if (g.axis[0].size != 1 || g.axis[0].window != 1 || g.taps() > kMostTaps || g.axis[2].stride > kMostStride ||
      g.axis[2].reach() > kMostReach)
    return Support::cannot("three axes, or a large filter or stride");
  if (!g.has_elements()) return Support::cannot("an operand is empty");
  int64_t most = g.batch * g.groups * std::max(g.sizes(), g.counts());
  for (const WindowAxis& w : g.axis) most = std::max(most, w.size + w.low + w.reach() + w.count() * w.stride);
  return most < int64_t{1} << 30 ? Support::can() : Support::cannot("positions need 64 bits");
}

struct DepthwiseSizes {  // as in depthwise.cuh
  int32_t batch, channels, size1, size2, count1, count2, stride1, stride2, dilation1, dilation2, low1, low2;
  explicit DepthwiseSizes(const ConvGeometry& g)
      : batch(number(g.batch)),
        channels(number(g.groups)),
        size1(number(g.axis[1].size)),
        size2(number(g.axis[2].size)),
        count1(number(g.axis[1].count())),
        count2(number(g.axis[2].count())),
        stride1(number(g.axis[1].stride)),
        stride2(number(g.axis[2].stride)),
        dilation1(number(g.axis[1].dilation)),
        dilation2(number(g.axis[2].dilation)),
        low1(number(g.axis[1].low)),
        low2(number(g.axis[2].low)) {}

 private:
  static int32_t number(int64_t n) { return static_cast<int32_t>(n); }
};

// What the kernels of a convolution and of its gradients share.
class DepthwiseKernel : public CudaKernel {
 protected:
  DepthwiseKernel(const NodeView& node, int64_t most_channels)
      : device_(device_of(node)), dtype_(node.out(0).dtype), g_(geometry(node)), sizes_(g_) {
    vector_ = static_cast<int>(std::min<int64_t>(most_channels, static_cast<int64_t>(16 / size_of(dtype_))));
    vector_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(vector_)));  // what vectors of memory are
    while (vector_ > 1 && g_.groups % vector_ != 0) vector_ /= 2;
    description = cat("depthwise, ", vector_, " channels at once");
  }
  // Do threads walk down columns of the result, two channels each? Else each has a few results of one line.
  bool walks() const {
    return g_.groups % 2 == 0 && g_.taps() <= kMostWalked && g_.axis[1].dilation == 1 && g_.axis[2].dilation == 1 &&
           g_.axis[1].stride <= 2;
  }
  // Lines that a thread walks down.
  int32_t walked_lines() const { return std::min<int32_t>(sizes_.count1, 28); }
  int64_t walked_strips() const {
    return int64_t{sizes_.batch} * ((sizes_.count1 + walked_lines() - 1) / walked_lines()) *
           ((sizes_.count2 + kStrip - 1) / kStrip);
  }
  // Blocks that share a multiprocessor: as many as leave a thread the registers that it needs.
  unsigned walking_blocks(bool gradient) const {
    if (size_of(dtype_) != 2 || g_.taps() > 9) return 1;
    return gradient || g_.axis[2].stride > 1 ? 6 : 8;
  }
  std::string walk_arguments() const {
    return cat(taps(), ", ", g_.axis[1].stride, ", ", g_.axis[2].stride, ", ", kStrip);
  }
  std::string taps() const { return cat(g_.axis[1].window, ", ", g_.axis[2].window); }
  std::string steps() const { return cat(g_.axis[2].stride, ", ", g_.axis[2].dilation, ", ", kStrip); }
  std::shared_ptr<const Code> code(std::string_view label, std::string_view signature, std::string_view call,
                                   unsigned threads = 256, unsigned blocks = 1, int effort = Effort::usual) const {
    return device_.compiler().code(label, kernel_of(signature, call, threads, blocks), {"elementwise", "depthwise"},
                                   effort);
  }

  CudaDevice& device_;
  DType dtype_;
  ConvGeometry g_;
  DepthwiseSizes sizes_;
  int vector_ = 1;
};

// conv and conv_input_grad. Where windows are one apart the gradient is a convolution of the cotangent by the
// mirrored filter.
class DepthwiseMapKernel final : public DepthwiseKernel {
 public:
  explicit DepthwiseMapKernel(const NodeView& node)
      : DepthwiseKernel(node, 8),
        gradient_(node.node.op == &op::conv_input_grad),
        mirrored_(gradient_ && g_.axis[1].stride == 1 && g_.axis[2].stride == 1),
        walks_((!gradient_ || mirrored_) && walks()),
        code_(walks_ ? walk_code() : code_of(vector_)) {
    if (walks_) description = "depthwise, down the columns";
    if (!mirrored_) return;
    std::swap(sizes_.size1, sizes_.count1);
    std::swap(sizes_.size2, sizes_.count2);
    sizes_.low1 = static_cast<int32_t>(g_.axis[1].reach() - 1 - g_.axis[1].low);
    sizes_.low2 = static_cast<int32_t>(g_.axis[2].reach() - 1 - g_.axis[2].low);
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const bool aligned = is_aligned({args.in[0], args.in[1], args.out[0]}), by_vectors = gradient_ && !mirrored_;
    const int x = mirrored_ ? 1 : 0;  // the mirrored convolution is given the cotangent first
    if (walks_ && aligned) {
      const Grid blocks = blocks_for(walked_strips() * (g_.groups / 2), kWalkers);
      stream.start(*code_, blocks, {kWalkers}, args.out[0], args.in[x], args.in[1 - x], sizes_, walked_lines());
      return;
    }
    const int64_t lines =
        sizes_.batch * (by_vectors ? int64_t{sizes_.size1} * sizes_.size2
                                   : int64_t{sizes_.count1} * ((sizes_.count2 + kStrip - 1) / kStrip));
    const Grid blocks = blocks_for(lines * (g_.groups / (aligned ? vector_ : 1)), 256);
    stream.start(aligned ? *code_ : *code_of(1), blocks, {256}, args.out[0], args.in[x], args.in[1 - x], sizes_);
  }

 private:
  std::shared_ptr<const Code> walk_code() const {
    const std::string_view t = type_name(dtype_);
    return code("depthwise_walk", cat(t, "* out, const ", t, "* a, const ", t, "* b, DepthwiseSizes s, i32 rows"),
                cat("depthwise_walk<", walk_arguments(), mirrored_ ? ", true" : ", false", ">(out, a, b, s, rows)"),
                kWalkers, walking_blocks(false));
  }
  std::shared_ptr<const Code> code_of(int vector) const {
    const std::string_view t = type_name(dtype_);
    const std::string signature = cat(t, "* out, const ", t, "* a, const ", t, "* b, DepthwiseSizes s");
    if (gradient_ && !mirrored_)
      return code("depthwise_input_grad", signature,
                  cat("depthwise_input_grad<", vector, ", ", taps(), ", ", g_.axis[1].stride, ", ", g_.axis[2].stride,
                      ">(out, a, b, s)"));
    return code(
        "depthwise", signature,
        cat("depthwise<", vector, ", ", taps(), ", ", steps(), mirrored_ ? ", true" : ", false", ">(out, a, b, s)"));
  }
  bool gradient_, mirrored_, walks_;
  std::shared_ptr<const Code> code_;
};

class DepthwiseFilterGradKernel final : public DepthwiseKernel {
 public:
  explicit DepthwiseFilterGradKernel(const NodeView& node)
      : DepthwiseKernel(node, kMostSums / geometry(node).taps()), walks_(walks()), code_(code_of(walks_, vector_)) {
    const std::string_view t = type_name(dtype_), w = wide_name(dtype_);
    join_ = code("depthwise_join", cat(t, "* out, const ", w, "* partial, i32 elements, i32 parts"),
                 "depthwise_join(out, partial, elements, parts)", 1024);
    most_parts_ = std::max(share_of(walks_, vector_).parts, share_of(false, 1).parts);
    if (walks_) description = "depthwise, down the columns";
  }
  size_t scratch_needed() const override {
    return static_cast<size_t>(most_parts_ * g_.taps() * g_.groups) * size_of(wide_dtype(dtype_));
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const bool aligned = is_aligned({args.in[0], args.in[1], args.out[0]}), walk = walks_ && aligned;
    const int vector = aligned ? vector_ : 1;
    const Share share = share_of(walk, vector);
    const Grid grid{static_cast<unsigned>(share.across), static_cast<unsigned>(share.parts)};
    const Grid block{share.width, (walk ? kWalkers : 256) / share.width};
    const std::shared_ptr<const Code> code = aligned ? code_ : code_of(false, 1);
    if (walk)
      stream.start(*code, grid, block, args.scratch, args.in[0], args.in[1], sizes_, walked_lines(),
                   static_cast<int32_t>(share.per_part));
    else
      stream.start(*code, grid, block, args.scratch, args.in[0], args.in[1], sizes_,
                   static_cast<int32_t>(share.per_part));
    const auto elements = static_cast<int32_t>(g_.taps() * g_.groups);
    stream.start(*join_, blocks_for(elements, 32), {32, 32}, args.out[0], args.scratch, elements,
                 static_cast<int32_t>(share.parts));
  }

 private:
  // How channels and lines, or strips, are shared out: by the sizes alone, so that bits repeat, and enough blocks to
  // fill a device.
  struct Share {
    unsigned width = 4;  // threads beside each other, over channels
    int64_t across = 1, parts = 1, per_part = 1;
  };
  Share share_of(bool walk, int vector) const {
    Share share;
    const int64_t each = walk ? 2 : vector, threads = (g_.groups + each - 1) / each;
    while (share.width < 32 && share.width < threads) share.width *= 2;
    const auto idle = [&](int64_t width) { return (threads + width - 1) / width * width - threads; };
    if (walk && share.width == 32 && idle(16) < idle(32)) share.width = 16;
    share.across = (threads + share.width - 1) / share.width;
    const int64_t all = walk ? walked_strips() : g_.batch * g_.axis[1].count();
    share.parts = std::clamp<int64_t>((walk ? 1584 : 1024) / share.across, 1, all);
    share.per_part = (all + share.parts - 1) / share.parts;
    share.parts = (all + share.per_part - 1) / share.per_part;
    return share;
  }
  std::shared_ptr<const Code> code_of(bool walk, int vector) const {
    const std::string_view t = type_name(dtype_), w = wide_name(dtype_);
    const unsigned width = share_of(walk, vector).width;
    const std::string operands = cat(w, "* partial, const ", t, "* x, const ", t, "* g, DepthwiseSizes s");
    if (walk)
      return code("depthwise_filter_walk", cat(operands, ", i32 rows, i32 strips"),
                  cat("depthwise_filter_walk<", walk_arguments(), ", ", width, ", ", kWalkers / width,
                      ">(partial, x, g, s, rows, strips)"),
                  kWalkers, walking_blocks(true), Effort::program);  // a long text, once its loops are unrolled
    return code("depthwise_filter_grad", cat(operands, ", i32 lines"),
                cat("depthwise_filter_grad<", vector, ", ", taps(), ", ", steps(), ", ", width,
                    ">(partial, x, g, s, lines)"));
  }
  bool walks_;
  std::shared_ptr<const Code> code_, join_;
  int64_t most_parts_ = 1;
};

}  // namespace

void add_depthwise(Kernels& kernels) {
  constexpr int kBeforeCudnn = 11;
  kernels.add<DepthwiseMapKernel>(op::conv, "depthwise", supports_depthwise, kBeforeCudnn);
  kernels.add<DepthwiseMapKernel>(op::conv_input_grad, "depthwise", supports_depthwise, kBeforeCudnn);
  kernels.add<DepthwiseFilterGradKernel>(op::conv_filter_grad, "depthwise", supports_depthwise, kBeforeCudnn);
}

}  // namespace brio::cuda
