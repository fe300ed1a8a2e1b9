// row_norm and row_norm_grad: the row kernels.
#include "brio/backends/cpu/kernels/row_norm_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/row_norm.h"

namespace brio::cpu {
namespace {

class RowNormKernel final : public Kernel {
 public:
  explicit RowNormKernel(const NodeView& view) : backward_(view.node.op == &op::row_norm_grad) {
    const RowNormForm form(view.in(0).shape, view.attrs());
    call_.dtype = view.in(0).dtype;
    call_.rows = form.rows;
    call_.columns = form.columns;
    call_.epsilon = form.epsilon;
    call_.centered = form.centered;
    description = "rows";
  }
  size_t scratch_bytes() const override {
    return backward_ ? row_norm_scratch(call_.dtype, call_.rows, call_.columns) : 0;
  }
  // A row is read before it is written; the cotangent too.
  bool allows_in_place(size_t in, size_t out) const override {
    return out == 0 && (in == 0 || (in == 2 && backward_));
  }
  void run(const KernelArgs& args) const override {
    RowNormCall call = call_;
    call.x = args.in[0];
    call.scale = args.in[1];
    (backward_ ? call.g : call.offset) = args.in[2];
    call.out = args.out[0];
    if (!backward_) return row_norm(call);
    call.dscale = args.out[1];
    call.doffset = args.out[2];
    call.scratch = args.scratch;
    row_norm_grad(call);
  }

 private:
  bool backward_;
  RowNormCall call_{};
};

Support supports(const NodeView& view) {
  const DType dtype = view.in(0).dtype;
  return dtype == f32 || dtype == f64 ? Support::can() : Support::cannot(cat("no row kernel for ", dtype));
}

}  // namespace

void add_row_norm_kernels(Registry& registry) {
  for (const OpDef* op : {&op::row_norm, &op::row_norm_grad})
    registry.add(kDevice, *op, {"rows", kPriority, supports, prepare<RowNormKernel>});
}

}  // namespace brio::cpu
