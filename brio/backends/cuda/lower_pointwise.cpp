// Convolutions by filters of size 1, and their gradients, are products of matrices: (pixels, in) by (in, out).
// cuBLASLt takes these as they lie, where cuDNN wants the filter transposed.
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/convolution.h"

namespace brio::cuda {
namespace {

ConvGeometry geometry(const NodeView& node) {
  return ConvGeometry::of(*node.node.op, node.in(0).shape, node.in(1).shape, node.out(0).shape, node.attrs());
}

// The product that a node is, as a graph of its own; its operands are those of the node, in their order or the other.
struct Pointwise {
  Graph graph;
  Node node;
  bool swaps = false;

  explicit Pointwise(const NodeView& of) {
    const ConvGeometry g = geometry(of);
    const DType dtype = of.out(0).dtype;
    const Aval pixels_in{Shape{g.pixels(), g.in}, dtype}, pixels_out{Shape{g.pixels(), g.out}, dtype},
        filter{Shape{g.in, g.out}, dtype};
    const OpDef* const op = of.node.op;
    swaps = op == &op::conv_input_grad;  // (filter, cotangent) → cotangent · filterᵀ
    const ValueId a = graph.add_input(swaps ? pixels_out : pixels_in);
    const ValueId b = graph.add_input(op == &op::conv_filter_grad ? pixels_out : filter);
    node = graph.add(op::matmul, {a, b}, {op == &op::conv_filter_grad, swaps});
  }
};

Support supports_pointwise(const NodeView& node) {
  if (!is_floating(node.out(0).dtype)) return Support::cannot(cat("no product of ", node.out(0).dtype));
  const ConvGeometry g = geometry(node);
  if (g.groups != 1 || g.taps() != 1) return Support::cannot("groups, or a filter of several elements");
  for (const WindowAxis& axis : g.axis)
    if (axis.stride != 1 || axis.low != 0 || axis.count() != axis.size)
      return Support::cannot("windows that are apart, or padding");
  return g.has_elements() ? Support::can() : Support::cannot("an operand is empty");
}

class PointwiseKernel final : public CudaKernel {
 public:
  explicit PointwiseKernel(const NodeView& node) {
    const Pointwise product(node);
    swaps_ = product.swaps;
    product_ = choose(registry(), device_of(node), {product.graph, product.node, node.device}).kernel;
    description = product_->description;
  }
  size_t scratch_needed() const override { return product().scratch_needed(); }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const void* const in[] = {args.in[swaps_ ? 1 : 0], args.in[swaps_ ? 0 : 1]};
    product().enqueue({in, args.out, args.scratch}, stream);
  }

 private:
  const CudaKernel& product() const { return static_cast<const CudaKernel&>(*product_); }
  std::unique_ptr<Kernel> product_;
  bool swaps_;
};

}  // namespace

void add_pointwise(Kernels& kernels) {
  constexpr int kBeforeCudnn = 12;
  for (const OpDef* op : {&op::conv, &op::conv_input_grad, &op::conv_filter_grad})
    kernels.add<PointwiseKernel>(*op, "product", supports_pointwise, kBeforeCudnn);
}

}  // namespace brio::cuda
