// conv and its gradients through cuDNN, channels last. cuDNN wants filters as (out, spatial…, in) and the same
// padding on both sides (it takes other plans too, and some of its engines then give wrong results): filters are
// transposed and uneven padding is written out, in scratch memory.
#include "brio/backends/cuda/box_copy.h"
#include "brio/backends/cuda/cudnn_convolution.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/base/tensor_float.h"
#include "brio/ops/network/convolution.h"

namespace brio::cuda {
namespace {

struct ConvForm {
  ConvGeometry g;
  ConvKey key;
  bool uneven = false;

  explicit ConvForm(const NodeView& node)
      : g(ConvGeometry::of(*node.node.op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs())) {
    const OpDef* op = node.node.op;
    key.part = op == &op::conv              ? ConvPart::forward
               : op == &op::conv_input_grad ? ConvPart::input_grad
                                            : ConvPart::filter_grad;
    key.dtype = node.out(0).dtype;
    key.tensor_float = key.dtype == f32 && tensor_float_32();
    const int first = g.axis[0].size == 1 && g.axis[0].window == 1 ? 1 : 0;  // two axes where the third is not used
    for (int a = first; a < 3; ++a) {
      // What no window reaches needs no padding.
      const WindowAxis& axis = g.axis[a];
      const int64_t reached = (axis.count() - 1) * axis.stride + axis.reach();
      high_[a] = std::max<int64_t>(0, reached - axis.size - axis.low);
      uneven |= high_[a] != axis.low;
    }
    key.x = {g.batch, g.in_channels()};
    key.filter = {g.out_channels(), g.in};
    key.y = {g.batch, g.out_channels()};
    for (int a = first; a < 3; ++a) {
      const WindowAxis& axis = g.axis[a];
      key.x.push_back(axis.size + (uneven ? axis.low + high_[a] : 0));
      key.filter.push_back(axis.window);
      key.y.push_back(axis.count());
      key.padding.push_back(uneven ? 0 : axis.low);
      key.stride.push_back(axis.stride);
      key.dilation.push_back(axis.dilation);
    }
  }
  // The part of padded x that is x, as it lies in it: a box whose `to` is padded.
  Box inside() const {
    Box box;
    int64_t padded[3];
    for (int a = 0; a < 3; ++a) padded[a] = g.axis[a].size + g.axis[a].low + high_[a];
    const int64_t c = g.in_channels();
    box.size = {g.batch, g.axis[0].size, g.axis[1].size, g.axis[2].size, c};
    box.to = {padded[0] * padded[1] * padded[2] * c, padded[1] * padded[2] * c, padded[2] * c, c, 1};
    box.from = {g.sizes() * c, g.axis[1].size * g.axis[2].size * c, g.axis[2].size * c, c, 1};
    for (int a = 0; a < 3; ++a) box.to_start += g.axis[a].low * box.to[static_cast<size_t>(a) + 1];
    return box;
  }
  int64_t padded_elements() const {
    int64_t n = 1;
    for (int64_t size : key.x) n *= size;
    return n;
  }

 private:
  int64_t high_[3] = {0, 0, 0};
};

Support supports_conv(const NodeView& node) {
  if (!is_floating(node.out(0).dtype)) return Support::cannot(cat("cuDNN has none of ", node.out(0).dtype));
  const ConvForm form(node);
  if (!form.g.has_elements()) return Support::cannot("an operand is empty");
  for (int a = 0; a < 3; ++a)
    if (form.g.axis[a].low < 0) return Support::cannot("padding below zero");
  return convolution_plan(device_of(node), form.key) ? Support::can()
                                                     : Support::cannot("cuDNN has no engine whose bits repeat");
}

class ConvKernel final : public CudaKernel {
 public:
  explicit ConvKernel(const NodeView& node)
      : device_(device_of(node)),
        form_(node),
        plan_(convolution_plan(device_, form_.key)),
        direct_(direct_convolution(node)) {
    const size_t element = size_of(form_.key.dtype);
    // (taps, in) × out to out × (taps, in), or back.
    const int64_t rows = form_.g.taps() * form_.g.in, columns = form_.g.out_channels();
    Box filter;
    filter.size = {columns, rows};
    filter.to = {rows, 1};
    filter.from = {1, columns};
    if (form_.key.part == ConvPart::filter_grad) {
      filter.size = {rows, columns};
      filter.to = {columns, 1};
      filter.from = {1, rows};
    }
    filter_ = std::make_unique<BoxCopy>(device_, filter, element);
    filter_bytes_ = rounded_scratch(static_cast<size_t>(rows * columns) * element);
    if (form_.uneven) {
      Box box = form_.inside();
      if (form_.key.part == ConvPart::input_grad) {
        std::swap(box.to, box.from);
        std::swap(box.to_start, box.from_start);
      }
      padding_ = std::make_unique<BoxCopy>(device_, box, element);
      padded_bytes_ = rounded_scratch(static_cast<size_t>(form_.padded_elements()) * element);
    }
    description = cat("cuDNN ", plan_->engine(), form_.uneven ? ", padded" : "", ", workspace ", plan_->workspace());
  }
  size_t scratch_needed() const override { return filter_bytes_ + padded_bytes_ + plan_->workspace(); }

  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (!is_aligned({args.in[0], args.in[1], args.out[0]}))
      return static_cast<const CudaKernel&>(*direct_).enqueue(args, stream);
    char* const base = static_cast<char*>(args.scratch);
    void* const filter = base;
    void* const padded = padding_ ? base + filter_bytes_ : nullptr;
    void* const workspace = base + filter_bytes_ + padded_bytes_;
    const auto input = [&](size_t i) { return const_cast<void*>(args.in[i]); };  // it does not write to them
    const auto pad = [&](void* x) {
      if (!padding_) return x;
      stream.clear(padded, padded_bytes_);
      padding_->enqueue(padded, x, stream);
      return padded;
    };
    const auto convolve = [&](void* x, void* w, void* y) {
      const CudnnPlan::Argument arguments[] = {{'x', x}, {'w', w}, {'y', y}};
      plan_->enqueue(device_, stream, arguments, workspace);
    };
    switch (form_.key.part) {
      case ConvPart::forward: {
        filter_->enqueue(filter, args.in[1], stream);
        convolve(pad(input(0)), filter, args.out[0]);
        return;
      }
      case ConvPart::input_grad: {
        filter_->enqueue(filter, args.in[0], stream);
        convolve(padding_ ? padded : args.out[0], filter, input(1));
        if (padding_) padding_->enqueue(args.out[0], padded, stream);
        return;
      }
      case ConvPart::filter_grad: {
        convolve(pad(input(0)), filter, input(1));
        filter_->enqueue(args.out[0], filter, stream);
        return;
      }
    }
  }

 private:
  CudaDevice& device_;
  ConvForm form_;
  std::shared_ptr<const CudnnPlan> plan_;
  std::unique_ptr<Kernel> direct_;
  std::unique_ptr<BoxCopy> filter_, padding_;
  size_t filter_bytes_ = 0, padded_bytes_ = 0;
};

}  // namespace

void add_convolutions(Kernels& kernels) {
  for (const OpDef* op : {&op::conv, &op::conv_input_grad, &op::conv_filter_grad})
    kernels.add<ConvKernel>(*op, "cudnn", supports_conv);
}

}  // namespace brio::cuda
