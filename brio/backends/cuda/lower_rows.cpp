// Softmax, softmax cross-entropy and layer normalisation: rows of the last axis, one pass each (device/rows.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/composites.h"
#include "brio/ops/row_norm.h"

namespace brio::cuda {
namespace {

Support supports_rows(const NodeView& node) {
  if (!is_floating(node.in(0).dtype)) return Support::cannot(cat("no rows of ", node.in(0).dtype));
  const Shape& shape = node.in(0).shape;
  if (shape.rank() == 0 || shape[shape.rank() - 1] == 0) return Support::cannot("rows are empty");
  return Support::can();
}

struct RowGrid {
  int64_t rows = 1, columns = 0;
  int group = 32;  // threads that have one row
  explicit RowGrid(const Shape& shape) : columns(shape[shape.rank() - 1]) {
    for (int i = 0; i + 1 < shape.rank(); ++i) rows *= static_cast<int64_t>(shape[i]);
    if (columns > 1024) group = 256;
  }
  Grid blocks() const { return blocks_for(rows, 256 / group); }
};

std::shared_ptr<const Code> rows_code(CudaDevice& device, std::string_view label, std::string signature,
                                      std::string call) {
  return device.compiler().code(
      label, cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(", signature, ") { ", call, "; }\n"),
      {"elementwise", "rows"});
}

class SoftmaxKernel final : public CudaKernel {
 public:
  explicit SoftmaxKernel(const NodeView& node) : grid_(node.in(0).shape) {
    const std::string_view t = type_name(node.in(0).dtype);
    code_ = rows_code(device_of(node), "softmax", cat(t, "* out, const ", t, "* in, i64 rows, int columns"),
                      cat("softmax_rows<", t, ", ", node.node.op == &op::log_softmax ? "true" : "false", ", ",
                          grid_.group, ">(out, in, rows, columns)"));
    description = "rows";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    stream.start(*code_, grid_.blocks(), {256}, args.out[0], args.in[0], grid_.rows, static_cast<int>(grid_.columns));
  }

 private:
  RowGrid grid_;
  std::shared_ptr<const Code> code_;
};

class XentKernel final : public CudaKernel {
 public:
  explicit XentKernel(const NodeView& node)
      : op_(*node.node.op),
        logits_(node.in(0).shape),
        grid_(node.in(0).shape),
        value_(&op_ != &op::softmax_xent_grad),
        gradient_(&op_ != &op::softmax_xent),
        sparse_(xent_is_sparse(node.attrs())) {
    const std::string_view t = type_name(node.in(0).dtype), l = sparse_ ? type_name(node.in(1).dtype) : "i32";
    code_ = rows_code(device_of(node), "xent",
                      cat(t, "* value, ", t, "* gradient, const ", t, "* in, const void* labels, const ", t,
                          "* cotangent, i64 rows, int columns, FailureAt failure"),
                      cat("xent_rows<", t, ", ", l, sparse_ ? ", true" : ", false", value_ ? ", true" : ", false",
                          gradient_ ? ", true, " : ", false, ", grid_.group,
                          ">(value, gradient, in, labels, cotangent, rows, columns, failure)"));
    description = "rows, one pass";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    void* const none = nullptr;
    const CudaStream::FailureAt failure = sparse_ ? stream.failure_of(*this) : CudaStream::FailureAt{nullptr, 0};
    stream.start(*code_, grid_.blocks(), {256}, value_ ? args.out[0] : none,
                 gradient_ ? args.out[value_ ? 1 : 0] : none, args.in[0], args.in[1],
                 gradient_ ? args.in[2] : static_cast<const void*>(none), grid_.rows, static_cast<int>(grid_.columns),
                 failure);
  }
  bool may_refuse() const override { return sparse_; }
  void refuse(long long value, long long place) const override { throw_bad_label(op_, logits_, value, place); }

 private:
  const OpDef& op_;
  Shape logits_;
  RowGrid grid_;
  bool value_, gradient_, sparse_;
  std::shared_ptr<const Code> code_;
};

class RowNormKernel final : public CudaKernel {
 public:
  explicit RowNormKernel(const NodeView& node) : form_(node.in(0).shape, node.attrs()), grid_(node.in(0).shape) {
    const std::string_view t = type_name(node.in(0).dtype);
    code_ = rows_code(
        device_of(node), "row_norm",
        cat(t, "* out, const ", t, "* in, const ", t, "* scale, const ", t,
            "* offset, i64 rows, int columns, int centered, f64 epsilon"),
        cat("row_norm<", t, ", ", grid_.group, ">(out, in, scale, offset, rows, columns, centered, epsilon)"));
    description = "rows";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    stream.start(*code_, grid_.blocks(), {256}, args.out[0], args.in[0], args.in[1], args.in[2], grid_.rows,
                 static_cast<int>(grid_.columns), static_cast<int>(form_.centered), form_.epsilon);
  }

 private:
  RowNormForm form_;
  RowGrid grid_;
  std::shared_ptr<const Code> code_;
};

class RowNormGradKernel final : public CudaKernel {
 public:
  explicit RowNormGradKernel(const NodeView& node) : form_(node.in(0).shape, node.attrs()), grid_(node.in(0).shape) {
    const DType dtype = node.in(0).dtype;
    const std::string_view t = type_name(dtype), w = wide_name(dtype);
    CudaDevice& device = device_of(node);
    rows_ = rows_code(device, "row_norm_grad",
                      cat(t, "* out, ", w, "* statistics, const ", t, "* in, const ", t, "* scale, const ", t,
                          "* cotangent, i64 rows, int columns, int centered, f64 epsilon"),
                      cat("row_norm_grad<", t, ", ", grid_.group,
                          ">(out, statistics, in, scale, cotangent, rows, columns, centered, epsilon)"));
    columns_ = rows_code(device, "row_norm_columns",
                         cat(w, "* partial, const ", w, "* statistics, const ", t, "* x, const ", t,
                             "* g, i64 rows, int columns, i64 per_part"),
                         cat("row_norm_columns<", t, ">(partial, statistics, x, g, rows, columns, per_part)"));
    join_ = rows_code(device, "row_norm_join",
                      cat(t, "* scale, ", t, "* offset, const ", w, "* partial, int columns, int parts"),
                      cat("row_norm_join<", t, ">(scale, offset, partial, columns, parts)"));
    parts_ = std::clamp<int64_t>(grid_.rows / 64, 1, 256);
    per_part_ = (grid_.rows + parts_ - 1) / parts_;
    const size_t number = size_of(wide_dtype(dtype));
    partials_at_ = (static_cast<size_t>(2 * grid_.rows) * number + 255) & ~size_t{255};
    scratch_ = partials_at_ + static_cast<size_t>(2 * parts_ * grid_.columns) * number;
    description = "rows, then columns";
  }
  size_t scratch_needed() const override { return scratch_; }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const int columns = static_cast<int>(grid_.columns);
    void* const partials = static_cast<char*>(args.scratch) + partials_at_;
    if (grid_.rows != 0)
      stream.start(*rows_, grid_.blocks(), {256}, args.out[0], args.scratch, args.in[0], args.in[1], args.in[2],
                   grid_.rows, columns, static_cast<int>(form_.centered), form_.epsilon);
    stream.start(*columns_, {static_cast<unsigned>((columns + 31) / 32), static_cast<unsigned>(parts_)}, {32, 8},
                 partials, args.scratch, args.in[0], args.in[2], grid_.rows, columns, per_part_);
    stream.start(*join_, blocks_for(columns, 256), {256}, args.out[1], args.out[2], partials, columns,
                 static_cast<int>(parts_));
  }

 private:
  RowNormForm form_;
  RowGrid grid_;
  int64_t parts_ = 1, per_part_ = 0;
  size_t partials_at_ = 0, scratch_ = 0;
  std::shared_ptr<const Code> rows_, columns_, join_;
};

}  // namespace

void add_rows(Kernels& kernels) {
  kernels.add<SoftmaxKernel>(op::softmax, "rows", supports_rows);
  kernels.add<SoftmaxKernel>(op::log_softmax, "rows", supports_rows);
  for (const OpDef* op : {&op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad})
    kernels.add<XentKernel>(*op, "rows", supports_rows);
  kernels.add<RowNormKernel>(op::row_norm, "rows", supports_rows);
  kernels.add<RowNormGradKernel>(op::row_norm_grad, "rows", supports_rows);
}

}  // namespace brio::cuda
