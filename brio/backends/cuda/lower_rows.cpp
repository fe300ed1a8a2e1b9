// Softmax, softmax cross-entropy and layer normalisation: rows of the last axis, one pass each (device/rows.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/residuals.h"
#include "brio/ops/network/row_norm.h"

namespace brio::cuda {
namespace {

Support supports_rows(const NodeView& node) {
  if (!is_floating(node.in(0).dtype)) return Support::cannot(cat("no rows of ", node.in(0).dtype));
  const Shape& shape = node.in(0).shape;
  if (shape.rank() == 0 || shape[shape.rank() - 1] == 0) return Support::cannot("rows are empty");
  return Support::can();
}

// How a row is shared out: `group` threads have it, each `packs` times `vector` of its numbers in registers. Longer
// rows lie in shared memory (`packs` is -1), two to a multiprocessor, so that one is read or written while the other
// is computed: 16384 rows of 50304 in bf16 took 1.2 ms in registers. Rows that are too long for that too, or begin at
// odd addresses, are read anew for every pass over them.
struct RowForm {
  int group = 256, vector = 1, packs = 0;
  size_t shared = 0;  // bytes
  std::string arguments() const { return cat(group, ", ", vector, ", ", packs); }
  unsigned threads() const { return static_cast<unsigned>(std::max(group, 256)); }
  unsigned blocks() const { return shared == 0 ? 1 : 2; }  // that are to share a multiprocessor
};

struct RowGrid {
  int64_t rows = 1, columns = 0;
  RowForm packed, plain;

  RowGrid(const CudaDevice& device, const Shape& shape, DType dtype) : columns(shape[shape.rank() - 1]) {
    for (int i = 0; i + 1 < shape.rank(); ++i) rows *= static_cast<int64_t>(shape[i]);
    plain.group = columns > 1024 ? 256 : 32;
    packed = plain;
    const auto vector = static_cast<int>(kVectorBytes / size_of(dtype));
    if (columns % vector != 0) return;
    for (const auto& [group, most] : {std::pair(32, 4), std::pair(256, 8), std::pair(512, 0), std::pair(1024, 13)}) {
      const int64_t packs = (columns + group * vector - 1) / (group * vector);
      const size_t bytes = static_cast<size_t>(columns) * size_of(dtype);
      if (most == 0 && bytes + kReserved <= (device.most_shared() + kReserved) / 2)
        packed = {group, vector, -1, bytes};
      else if (packs <= most) packed = {group, vector, static_cast<int>(packs)};
      else continue;
      return;
    }
  }
  static constexpr size_t kReserved = 2048;  // of a block, by the device and for what a kernel's text declares
  Grid blocks(const RowForm& form) const { return blocks_for(rows, static_cast<int>(form.threads()) / form.group); }
};

// A kernel in its two forms; the plain one is compiled when an address asks for it.
class RowsCode {
 public:
  // text(form): the call of the function on rows.
  template <typename Text>
  RowsCode(CudaDevice& device, const RowGrid& grid, std::string_view label, std::string signature, Text text)
      : device_(&device), grid_(&grid), label_(label), signature_(std::move(signature)) {
    packed_ = compiled(grid.packed, text(grid.packed));
    plain_text_ = text(grid.plain);
  }
  template <typename... Args>
  void start(CudaStream& stream, std::initializer_list<const void*> rows, const Args&... args) const {
    const bool fits = is_aligned(rows);
    const RowForm& form = fits ? grid_->packed : grid_->plain;
    const std::shared_ptr<const Code> code = fits ? packed_ : compiled(grid_->plain, plain_text_);
    stream.start_sharing(form.shared, *code, grid_->blocks(form), {form.threads()}, args...);
  }

 private:
  std::shared_ptr<const Code> compiled(const RowForm& form, const std::string& call) const {
    return device_->compiler().code(label_, kernel_of(signature_, call, form.threads(), form.blocks()),
                                    {"elementwise", "rows"});
  }
  CudaDevice* device_;
  const RowGrid* grid_;
  std::string_view label_;
  std::string signature_, plain_text_;
  std::shared_ptr<const Code> packed_;
};

std::shared_ptr<const Code> rows_code(CudaDevice& device, std::string_view label, std::string_view signature,
                                      std::string_view call, unsigned threads = 256) {
  return device.compiler().code(label, kernel_of(signature, call, threads), {"elementwise", "rows"});
}

class SoftmaxKernel final : public CudaKernel {
 public:
  explicit SoftmaxKernel(const NodeView& node)
      : grid_(device_of(node), node.in(0).shape, node.in(0).dtype),
        code_(device_of(node), grid_, "softmax",
              cat(type_of(node), "* out, const ", type_of(node), "* in, i64 rows, int columns"),
              [&](const RowForm& form) {
                return cat("softmax_rows<", type_of(node), ", ", node.node.op == &op::log_softmax ? "true" : "false",
                           ", ", form.arguments(), ">(out, in, rows, columns)");
              }) {
    description = "rows";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    code_.start(stream, {args.out[0], args.in[0]}, args.out[0], args.in[0], grid_.rows,
                static_cast<int>(grid_.columns));
  }

 private:
  static std::string_view type_of(const NodeView& node) { return type_name(node.in(0).dtype); }
  const RowGrid grid_;
  RowsCode code_;
};

class XentKernel final : public CudaKernel {
 public:
  explicit XentKernel(const NodeView& node)
      : op_(*node.node.op),
        logits_(node.in(0).shape),
        grid_(device_of(node), node.in(0).shape, node.in(0).dtype),
        value_(&op_ != &op::softmax_xent_grad),
        gradient_(&op_ != &op::softmax_xent),
        sparse_(xent_is_sparse(node.attrs())),
        code_(device_of(node), grid_, "xent", signature(node), [&](const RowForm& form) {
          const std::string_view t = type_name(node.in(0).dtype), l = sparse_ ? type_name(node.in(1).dtype) : "i32";
          return cat("xent_rows<", t, ", ", type_of_losses(node), ", ", l, sparse_ ? ", true" : ", false",
                     value_ ? ", true" : ", false", gradient_ ? ", true, " : ", false, ", form.arguments(),
                     ">(value, gradient, in, labels, cotangent, rows, columns, failure)");
        }) {
    description = "rows, one pass";
    if (sparse_ && grid_.rows != 0)
      check_ = range_check(node, 1, grid_.columns, [this](long long value, long long at) { refuse(value, at); });
  }
  Check input_check() const override { return {1, check_.get()}; }
  // A row is known before its gradient is written, and where it is read again, each thread reads what it overwrites.
  bool allows_in_place(size_t in, size_t out) const override {
    return gradient_ && in == 0 && out == (value_ ? 1 : 0);
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    void* const none = nullptr;
    void* const gradient = gradient_ ? args.out[value_ ? 1 : 0] : none;
    const CudaStream::FailureAt failure = sparse_ ? stream.failure_of(*this) : CudaStream::FailureAt{nullptr, 0};
    code_.start(stream, {args.in[0], gradient}, value_ ? args.out[0] : none, gradient, args.in[0], args.in[1],
                gradient_ ? args.in[2] : static_cast<const void*>(none), grid_.rows, static_cast<int>(grid_.columns),
                failure);
  }
  void refuse(long long value, long long place) const override { throw_bad_label(op_, logits_, value, place); }

 private:
  static std::string_view type_of_losses(const NodeView& node) {
    return type_name(node.in(node.node.op == &op::softmax_xent ? 0 : 2).dtype);
  }
  static std::string signature(const NodeView& node) {
    const std::string_view t = type_name(node.in(0).dtype), v = type_of_losses(node);
    return cat(v, "* value, ", t, "* gradient, const ", t, "* in, const void* labels, const ", v,
               "* cotangent, i64 rows, int columns, FailureAt failure");
  }
  const OpDef& op_;
  Shape logits_;
  const RowGrid grid_;
  bool value_, gradient_, sparse_;
  RowsCode code_;
  std::unique_ptr<CudaKernel> check_;
};

class RowNormKernel final : public CudaKernel {
 public:
  explicit RowNormKernel(const NodeView& node)
      : form_(node.in(0).shape, node.attrs()),
        grid_(device_of(node), node.in(0).shape, node.in(0).dtype),
        code_(device_of(node), grid_, "row_norm", signature(node), [&](const RowForm& form) {
          return cat("row_norm<", type_name(node.in(0).dtype), ", ", type_name(node.in(1).dtype), ", ",
                     form.arguments(), ">(out, in, scale, offset, rows, columns, centered, epsilon)");
        }) {
    description = "rows";
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (grid_.rows == 0) return;
    code_.start(stream, {args.out[0], args.in[0], args.in[1], args.in[2]}, args.out[0], args.in[0], args.in[1],
                args.in[2], grid_.rows, static_cast<int>(grid_.columns), static_cast<int>(form_.centered),
                form_.epsilon);
  }

 private:
  static std::string signature(const NodeView& node) {
    const std::string_view t = type_name(node.in(0).dtype), p = type_name(node.in(1).dtype);
    return cat(t, "* out, const ", t, "* in, const ", p, "* scale, const ", p,
               "* offset, i64 rows, int columns, int centered, f64 epsilon");
  }
  RowNormForm form_;
  const RowGrid grid_;
  RowsCode code_;
};

class RowNormGradKernel final : public CudaKernel {
 public:
  explicit RowNormGradKernel(const NodeView& node)
      : form_(node.in(0).shape, node.attrs()),
        device_(device_of(node)),
        dtype_(node.in(0).dtype),
        grid_(device_, node.in(0).shape, dtype_),
        rows_(device_, grid_, "row_norm_grad", signature(node), [&](const RowForm& form) {
          return cat("row_norm_grad<", type_name(dtype_), ", ", type_name(node.in(1).dtype), ", ", form.arguments(),
                     ">(out, statistics, in, scale, cotangent, rows, columns, centered, epsilon)");
        }) {
    const std::string_view t = type_name(dtype_), p = type_name(node.in(1).dtype), w = wide_name(dtype_);
    if (grid_.packed.group == 32 && grid_.packed.packs != 0)
      both_ = rows_code(device_, "row_norm_grad_of_part",
                        cat(t, "* out, ", w, "* partial, const ", t, "* in, const ", p, "* scale, const ", t,
                            "* cotangent, i64 rows, int columns, int centered, f64 epsilon, i64 per_part"),
                        cat("row_norm_grad_of_part<", t, ", ", p, ", ", grid_.packed.vector, ", ", grid_.packed.packs,
                            ", false>(out, partial, in, scale, cotangent, (const ", t,
                            "*)0, rows, columns, centered, epsilon, per_part)"));
    else columns_ = columns_code(grid_.packed.vector);
    join_ = rows_code(device_, "row_norm_join",
                      cat(p, "* scale, ", p, "* offset, const ", w, "* partial, int columns, int parts"),
                      "row_norm_join(scale, offset, partial, columns, parts)", 1024);
    parts_ = std::clamp<int64_t>(grid_.rows / 64, 1, 256);
    per_part_ = (grid_.rows + parts_ - 1) / parts_;
    const size_t number = size_of(wide_dtype(dtype_));
    partials_at_ = rounded_scratch(static_cast<size_t>(2 * grid_.rows) * number);
    scratch_ = partials_at_ + static_cast<size_t>(2 * parts_ * grid_.columns) * number;
    description = both_ ? "rows and columns" : "rows, then columns";
  }
  size_t scratch_needed() const override { return scratch_; }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const int columns = static_cast<int>(grid_.columns);
    void* const partials = static_cast<char*>(args.scratch) + partials_at_;
    if (both_ && is_aligned({args.out[0], args.in[0], args.in[1], args.in[2]})) {
      stream.start(*both_, {static_cast<unsigned>(parts_)}, {256}, args.out[0], partials, args.in[0], args.in[1],
                   args.in[2], grid_.rows, columns, static_cast<int>(form_.centered), form_.epsilon, per_part_);
    } else {
      start_apart(args, partials, stream);
    }
    stream.start(*join_, blocks_for(2 * columns, 32), {32, 32}, args.out[1], args.out[2], partials, columns,
                 static_cast<int>(parts_));
  }

 private:
  void start_apart(const KernelArgs& args, void* partials, CudaStream& stream) const {
    const int columns = static_cast<int>(grid_.columns);
    if (grid_.rows != 0)
      rows_.start(stream, {args.out[0], args.in[0], args.in[1], args.in[2]}, args.out[0], args.scratch, args.in[0],
                  args.in[1], args.in[2], grid_.rows, columns, static_cast<int>(form_.centered), form_.epsilon);
    const bool fits = columns_ && is_aligned({args.in[0], args.in[2]});
    const int vector = fits ? grid_.packed.vector : 1;
    const auto across = static_cast<unsigned>((columns + 32 * vector - 1) / (32 * vector));
    stream.start(fits ? *columns_ : *columns_code(1), {across, static_cast<unsigned>(parts_)}, {32, 8}, partials,
                 args.scratch, args.in[0], args.in[2], grid_.rows, columns, per_part_);
  }
  static std::string signature(const NodeView& node) {
    const DType dtype = node.in(0).dtype;
    const std::string_view t = type_name(dtype);
    return cat(t, "* out, ", wide_name(dtype), "* statistics, const ", t, "* in, const ", type_name(node.in(1).dtype),
               "* scale, const ", t, "* cotangent, i64 rows, int columns, int centered, f64 epsilon");
  }
  std::shared_ptr<const Code> columns_code(int vector) const {
    const std::string_view t = type_name(dtype_), w = wide_name(dtype_);
    return rows_code(
        device_, "row_norm_columns",
        cat(w, "* partial, const ", w, "* statistics, const ", t, "* x, const ", t,
            "* g, i64 rows, int columns, i64 per_part"),
        cat("row_norm_columns<", t, ", ", vector, ">(partial, statistics, x, g, rows, columns, per_part)"));
  }
  RowNormForm form_;
  CudaDevice& device_;
  DType dtype_;
  const RowGrid grid_;
  RowsCode rows_;
  int64_t parts_ = 1, per_part_ = 0;
  size_t partials_at_ = 0, scratch_ = 0;
  std::shared_ptr<const Code> both_, columns_, join_;  // `both_`: for rows that a warp holds
};

// The gradient with what is added to it, and the sum of its columns: for rows that a warp holds.
class RowNormGradSumKernel final : public CudaKernel {
 public:
  explicit RowNormGradSumKernel(const NodeView& node)
      : form_(node.in(0).shape, node.attrs()),
        device_(device_of(node)),
        dtype_(node.in(0).dtype),
        of_scale_(node.in(1).dtype),
        grid_(device_, node.in(0).shape, dtype_) {
    code_ = part_code(grid_.packed.vector, grid_.packed.packs);
    const std::string_view t = type_name(dtype_), p = type_name(of_scale_), w = wide_name(dtype_);
    join_ =
        rows_code(device_, "row_norm_join_sums",
                  cat(p, "* scale, ", p, "* offset, ", t, "* sums, const ", w, "* partial, int columns, int parts"),
                  "row_norm_join_sums(scale, offset, sums, partial, columns, parts)", 1024);
    parts_ = std::clamp<int64_t>(grid_.rows / 64, 1, 256);
    per_part_ = (grid_.rows + parts_ - 1) / parts_;
    description = "rows and columns, onto what is there";
  }
  size_t scratch_needed() const override {
    return static_cast<size_t>(3 * parts_ * grid_.columns) * size_of(wide_dtype(dtype_));
  }
  // A warp has read a row before it writes it.
  bool allows_in_place(size_t in, size_t out) const override { return out == 0 && (in == 2 || in == 3); }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const int columns = static_cast<int>(grid_.columns);
    const bool fits = is_aligned({args.out[0], args.in[0], args.in[1], args.in[2], args.in[3]});
    const std::shared_ptr<const Code> code = fits ? code_ : part_code(1, (columns + 31) / 32);
    stream.start(*code, {static_cast<unsigned>(parts_)}, {256}, args.out[0], args.scratch, args.in[0], args.in[1],
                 args.in[2], args.in[3], grid_.rows, columns, static_cast<int>(form_.centered), form_.epsilon,
                 per_part_);
    stream.start(*join_, blocks_for(3 * columns, 32), {32, 32}, args.out[1], args.out[2], args.out[3], args.scratch,
                 columns, static_cast<int>(parts_));
  }

 private:
  std::shared_ptr<const Code> part_code(int vector, int packs) const {
    const std::string_view t = type_name(dtype_), p = type_name(of_scale_);
    return device_.compiler().code(
        "row_norm_grad_sum",
        kernel_of(
            cat(t, "* out, ", wide_name(dtype_), "* partial, const ", t, "* in, const ", p, "* scale, const ", t,
                "* cotangent, const ", t, "* more, i64 rows, int columns, int centered, f64 epsilon, i64 per_part"),
            cat("row_norm_grad_of_part<", t, ", ", p, ", ", vector, ", ", packs,
                ", true>(out, partial, in, scale, cotangent, more, rows, columns, centered, epsilon, per_part)"),
            256, vector > 1 ? 2 : 1),
        {"elementwise", "rows"});
  }
  RowNormForm form_;
  CudaDevice& device_;
  DType dtype_, of_scale_;
  const RowGrid grid_;
  int64_t parts_ = 1, per_part_ = 0;
  std::shared_ptr<const Code> code_, join_;
};

Support supports_row_norm_grad_sum(const NodeView& node) {
  if (const Support rows = supports_rows(node); !rows.yes) return rows;
  const RowGrid grid(device_of(node), node.in(0).shape, node.in(0).dtype);
  if (grid.rows == 0) return Support::cannot("there are no rows");
  return grid.packed.group == 32 && grid.packed.packs > 0 ? Support::can()
                                                          : Support::cannot("a warp does not hold a row");
}

}  // namespace

void add_rows(Kernels& kernels) {
  kernels.add<SoftmaxKernel>(op::softmax, "rows", supports_rows);
  kernels.add<SoftmaxKernel>(op::log_softmax, "rows", supports_rows);
  for (const OpDef* op : {&op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad})
    kernels.add<XentKernel>(*op, "rows", supports_rows);
  kernels.add<RowNormKernel>(op::row_norm, "rows", supports_rows);
  kernels.add<RowNormGradKernel>(op::row_norm_grad, "rows", supports_rows);
  kernels.add<RowNormGradSumKernel>(op::row_norm_grad_sum, "rows", supports_row_norm_grad_sum);
}

}  // namespace brio::cuda
