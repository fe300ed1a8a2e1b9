// matmul and linear: specs of gemm.h, which chooses the kernel.
#include "brio/backends/cpu/gemm/gemm.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"

namespace brio::cpu {
namespace {

struct Operand {
  int64_t row, column;         // element strides of the matrix as it is multiplied
  std::vector<int64_t> batch;  // per dimension of the result's batch
};

Operand operand(const Shape& shape, bool transposed, bool vector_is_row, const Shape& batch) {
  const Strides strides = row_major(shape);
  const int rank = shape.rank();
  Operand result{};
  if (rank == 1) {
    result = vector_is_row ? Operand{0, 1, {}} : Operand{1, 0, {}};
  } else {
    result.row = strides[rank - 2];
    result.column = strides[rank - 1];
    if (transposed) std::swap(result.row, result.column);
  }
  const int own = std::max(0, rank - 2), shift = batch.rank() - own;
  for (int i = 0; i < batch.rank(); ++i)
    result.batch.push_back(i < shift || shape[i - shift] == 1 ? 0 : strides[i - shift]);
  return result;
}

GemmSpec spec_of(const NodeView& view, bool transpose_a, bool transpose_b) {
  const Shape &a = view.in(0).shape, &b = view.in(1).shape;
  transpose_a &= a.rank() > 1;
  transpose_b &= b.rank() > 1;
  const MatmulShape sizes = MatmulShape::of(a, b, transpose_a, transpose_b);
  const Operand left = operand(a, transpose_a, true, sizes.batch),
                right = operand(b, transpose_b, false, sizes.batch);
  GemmSpec spec{.dtype = view.in(0).dtype,
                .m = sizes.m,
                .n = sizes.n,
                .k = sizes.k,
                .a_row = left.row,
                .a_col = left.column,
                .b_row = right.row,
                .b_col = right.column};
  // Leading dimensions of A that B does not share are more rows of one product.
  if (b.rank() <= 2 && a.rank() > 2 && !transpose_a) {
    spec.m *= sizes.batch.elements();
    return spec;
  }
  spec.batch.assign(sizes.batch.begin(), sizes.batch.end());
  spec.a_batch = left.batch;
  spec.b_batch = right.batch;
  return spec;
}

class ProductKernel final : public Kernel {
 public:
  explicit ProductKernel(const NodeView& view) {
    const bool is_linear = view.node.op == &op::linear;
    const size_t flags = is_linear ? 1 : 0;
    GemmSpec spec = spec_of(view, view.attrs()[flags] != 0, view.attrs()[flags + 1] != 0);
    if (is_linear) {
      spec.bias = has_bias_ = true;
      const FusedActivation activation = linear_activation(view.attrs());
      spec.epilogue = static_cast<Epilogue>(activation);
      static_assert(static_cast<int>(Epilogue::tanh) == static_cast<int>(FusedActivation::tanh));
      if (activation != FusedActivation::none && activation != FusedActivation::relu)
        spec.activation = find_tile_fn(name_of(activation), spec.dtype, spec.dtype);
    }
    gemm_ = Gemm::prepare(spec);
    description = gemm_->chosen;
    for (const std::string& reason : gemm_->skipped) description += cat("\n      not ", reason);
  }
  size_t scratch_bytes() const override { return gemm_->scratch_bytes(); }
  void run(const KernelArgs& args) const override {
    gemm_->run(args.in[0], args.in[1], has_bias_ ? args.in[2] : nullptr, args.out[0], args.scratch);
  }

 private:
  std::unique_ptr<Gemm> gemm_;
  bool has_bias_ = false;
};

}  // namespace

void add_product_kernels(Registry& registry) {
  registry.add(kDevice, op::matmul, {"gemm", kPriority, always, prepare<ProductKernel>});
  registry.add(kDevice, op::linear, {"gemm", kPriority, always, prepare<ProductKernel>});
}

}  // namespace brio::cpu
