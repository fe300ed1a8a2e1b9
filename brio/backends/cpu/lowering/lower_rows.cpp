// softmax, log_softmax and the softmax cross-entropies: the row kernels.
#include "brio/backends/cpu/kernels/softmax_cross_entropy.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/ops/network/composites.h"

namespace brio::cpu {
namespace {

Support row_floats_only(const NodeView& view) {
  const DType dtype = view.in(0).dtype;
  if (dtype == f32 || dtype == f64) return Support::can();
  return Support::cannot(cat("no row kernel for ", dtype));
}

struct Rows {
  int64_t rows = 1, classes;
  explicit Rows(const Shape& shape) : classes(shape[shape.rank() - 1]) {
    for (int i = 0; i + 1 < shape.rank(); ++i) rows *= shape[i];
  }
};

class SoftmaxKernel final : public Kernel {
 public:
  explicit SoftmaxKernel(const NodeView& view)
      : dtype_(view.in(0).dtype), rows_(view.in(0).shape), log_(view.node.op == &op::log_softmax) {
    description = "rows";
  }
  bool allows_in_place(size_t, size_t) const override { return true; }
  void run(const KernelArgs& args) const override {
    (log_ ? log_softmax_rows : softmax_rows)(dtype_, args.in[0], args.out[0], rows_.rows, rows_.classes);
  }

 private:
  DType dtype_;
  Rows rows_;
  bool log_;
};

// The loss, its gradient, or both.
class XentKernel final : public Kernel {
 public:
  explicit XentKernel(const NodeView& view) : op_(view.node.op), logits_(view.in(0).shape), rows_(view.in(0).shape) {
    call_.dtype = view.in(0).dtype;
    call_.rows = rows_.rows;
    call_.classes = rows_.classes;
    call_.label_dtype = view.in(1).dtype;
    call_.g_is_scalar = false;
    has_loss_ = op_ != &op::softmax_xent_grad;
    has_grad_ = op_ != &op::softmax_xent;
    description = has_loss_ && has_grad_ ? "rows: loss and gradient in one pass" : "rows";
  }
  bool allows_in_place(size_t in, size_t out) const override {
    return in == 0 && has_grad_ && out == (has_loss_ ? 1u : 0u);
  }
  void run(const KernelArgs& args) const override {
    SoftmaxXent call = call_;
    call.logits = args.in[0];
    call.labels = args.in[1];
    call.loss = has_loss_ ? args.out[0] : nullptr;
    call.grad = has_grad_ ? args.out[has_loss_ ? 1 : 0] : nullptr;
    call.g = has_grad_ ? args.in[2] : nullptr;
    if (softmax_xent(call)) return;
    check_labels(*op_, logits_, call.label_dtype, call.labels);
  }

 private:
  const OpDef* op_;
  Shape logits_;
  Rows rows_;
  SoftmaxXent call_{};
  bool has_loss_, has_grad_;
};

}  // namespace

void add_row_kernels(Registry& registry) {
  for (const OpDef* op : {&op::softmax, &op::log_softmax})
    registry.add(kDevice, *op, {"rows", kPriority, row_floats_only, prepare<SoftmaxKernel>});
  for (const OpDef* op : {&op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad})
    registry.add(kDevice, *op, {"rows", kPriority, row_floats_only, prepare<XentKernel>});
}

}  // namespace brio::cpu
