// matmul and linear of small matrices (device/small_products.cuh).
#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"

namespace brio::cuda {
namespace {

constexpr int kTile = 16;  // as in small_products.cuh
// On an H200 cuBLASLt takes 5 µs and more for any product, and 8 where it divides the sum. Where the two meet was not
// measured: these bounds are well below what fills the device.
constexpr int64_t kMostProducts = 1 << 21, kMostElements = 512;

// A product of two matrices; leading dims of the first are more rows of it.
struct SmallProduct {
  bool transposed_a, transposed_b;
  int64_t m, n, k;
  bool is_one;  // not a batch of them

  explicit SmallProduct(const NodeView& node) {
    const size_t flags = node.node.op == &op::linear ? 1 : 0;
    const Shape &a = node.in(0).shape, &b = node.in(1).shape;
    transposed_a = node.attrs()[flags] != 0 && a.rank() > 1;
    transposed_b = node.attrs()[flags + 1] != 0 && b.rank() > 1;
    const MatmulShape sizes = MatmulShape::of(a, b, transposed_a, transposed_b);
    const auto batch = static_cast<int64_t>(sizes.batch.elements());
    is_one = batch == 1 || (b.rank() <= 2 && !transposed_a);
    m = is_one ? sizes.m * batch : sizes.m;
    n = sizes.n;
    k = sizes.k;
  }
};

Support supports_small(const NodeView& node) {
  const DType dtype = node.in(0).dtype;
  if (!is_floating(dtype)) return Support::cannot(cat("no product of ", dtype));
  const SmallProduct product(node);
  if (!product.is_one) return Support::cannot("a batch of products");
  if (product.m == 0 || product.n == 0 || product.k == 0) return Support::cannot("an operand is empty");
  // Each factor by itself first: all three may overflow.
  if (product.k > kMostElements || product.m > kMostProducts || product.n > kMostProducts ||
      product.m * product.n > kMostProducts || product.m * product.n * product.k > kMostProducts)
    return Support::cannot("large matrices");
  return Support::can();
}

std::string_view function_of(FusedActivation activation) {
  switch (activation) {
    case FusedActivation::relu: return "op_relu(x)";
    case FusedActivation::sigmoid: return "op_sigmoid(x)";
    case FusedActivation::tanh: return "op_tanh(x)";
    case FusedActivation::none: break;
  }
  return "x";
}

class SmallProductKernel final : public CudaKernel {
 public:
  explicit SmallProductKernel(const NodeView& node) {
    const SmallProduct product(node);
    const bool linear = node.node.op == &op::linear;
    has_bias_ = linear;
    m_ = static_cast<int32_t>(product.m);
    n_ = static_cast<int32_t>(product.n);
    k_ = static_cast<int32_t>(product.k);
    const DType dtype = node.out(0).dtype;
    const std::string_view t = type_name(dtype), w = wide_name(dtype);
    const FusedActivation activation = linear ? linear_activation(node.attrs()) : FusedActivation::none;
    const auto flag = [](bool on) { return on ? "true" : "false"; };
    code_ = device_of(node).compiler().code(
        "small_product",
        kernel_of(
            cat(t, "* out, const ", t, "* a, const ", t, "* b, const ", t, "* bias, i32 m, i32 n, i32 k"),
            cat("small_product<", flag(product.transposed_a), ", ", flag(product.transposed_b),
                ">(out, a, b, bias, m, n, k, [](", w, " x) -> ", w, " { return ", function_of(activation), "; })")),
        {"elementwise", "small_products"});
    description = cat("small product, ", m_, " x ", n_, " x ", k_, ", ", dtype);
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const void* const bias = has_bias_ ? args.in[2] : nullptr;
    const auto tiles = [](int32_t size) { return static_cast<unsigned>((size + kTile - 1) / kTile); };
    stream.start(*code_, {tiles(m_) * tiles(n_)}, {kTile * kTile}, args.out[0], args.in[0], args.in[1], bias, m_, n_,
                 k_);
  }

 private:
  int32_t m_, n_, k_;
  bool has_bias_;
  std::shared_ptr<const Code> code_;
};

}  // namespace

void add_small_products(Kernels& kernels) {
  constexpr int kBeforeLibrary = 12;
  for (const OpDef* op : {&op::matmul, &op::linear})
    kernels.add<SmallProductKernel>(*op, "small", supports_small, kBeforeLibrary);
}

}  // namespace brio::cuda
