// column_moments: one pass over the tensor, in parts, and one over these (device/column_moments.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/network/column_moments.h"

namespace brio::cuda {
namespace {

class ColumnMomentsKernel final : public CudaKernel {
 public:
  explicit ColumnMomentsKernel(const NodeView& node) : device_(device_of(node)), dtype_(node.in(0).dtype) {
    const Shape& shape = node.in(0).shape;
    columns_ = shape[shape.rank() - 1];
    for (int i = 0; i + 1 < shape.rank(); ++i) rows_ *= static_cast<int64_t>(shape[i]);
    vector_ = static_cast<int>(kVectorBytes / size_of(dtype_));
    while (vector_ > 1 && columns_ % vector_ != 0) vector_ /= 2;
    code_ = code_of(vector_);
    const std::string_view w = wide_name(dtype_);
    join_ = device_.compiler().code(
        "column_moments_join",
        kernel_of(
            cat(w, "* sum, ", w, "* spread, const ", w, "* partial, i64 rows, i32 columns, i64 per_part, i32 parts"),
            "column_moments_join(sum, spread, partial, rows, columns, per_part, parts)", 1024),
        {"elementwise", "column_moments"});
    description = cat("one pass, ", vector_, " columns at once");
  }
  size_t scratch_needed() const override {
    const int64_t parts = std::max(share_of(vector_).parts, share_of(1).parts);
    return static_cast<size_t>(2 * parts * columns_) * size_of(wide_dtype(dtype_));
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (columns_ == 0) return;
    const bool aligned = is_aligned({args.in[0]});
    const Share share = share_of(aligned ? vector_ : 1);
    const auto columns = static_cast<int32_t>(columns_);
    stream.start(aligned ? *code_ : *code_of(1),
                 {static_cast<unsigned>(share.across), static_cast<unsigned>(share.parts)},
                 {share.width, 256 / share.width}, args.scratch, args.in[0], rows_, columns, share.per_part);
    stream.start(*join_, blocks_for(columns_, 32), {32, 32}, args.out[0], args.out[1], args.scratch, rows_, columns,
                 share.per_part, static_cast<int32_t>(share.parts));
  }

 private:
  // How columns and rows are shared out: by the sizes alone, so that bits repeat.
  struct Share {
    unsigned width = 4;  // threads beside each other
    int64_t across = 1, parts = 1, per_part = 1;
  };
  Share share_of(int vector) const {
    constexpr int64_t kEnough = 1056, kLeastRows = 8;  // blocks; rows that are worth a thread
    Share share;
    const int64_t threads = (columns_ + vector - 1) / vector;
    while (share.width < 64 && share.width < threads) share.width *= 2;
    const auto idle = [&](int64_t width) { return (threads + width - 1) / width * width - threads; };
    while (share.width > 8 && idle(share.width / 2) < idle(share.width)) share.width /= 2;
    share.across = (threads + share.width - 1) / share.width;
    const int64_t least = kLeastRows * (256 / share.width);
    share.parts = std::clamp<int64_t>(rows_ / least, 1, std::max<int64_t>(1, kEnough / share.across));
    share.per_part = std::max<int64_t>(1, (rows_ + share.parts - 1) / share.parts);
    share.parts = std::max<int64_t>(1, (rows_ + share.per_part - 1) / share.per_part);
    return share;
  }
  std::shared_ptr<const Code> code_of(int vector) const {
    const std::string_view t = type_name(dtype_), w = wide_name(dtype_);
    return device_.compiler().code(
        "column_moments",
        kernel_of(cat(w, "* partial, const ", t, "* x, i64 rows, i32 columns, i64 per_part"),
                  cat("column_moments<", vector, ", ", share_of(vector).width, ", 4>(partial, x, rows, columns, ",
                      "per_part)")),
        {"elementwise", "column_moments"});
  }
  CudaDevice& device_;
  DType dtype_;
  int64_t rows_ = 1, columns_ = 0;
  int vector_ = 1;
  std::shared_ptr<const Code> code_, join_;
};

Support supports_column_moments(const NodeView& node) {
  const int64_t columns = node.in(0).shape[node.in(0).shape.rank() - 1];
  return columns < int64_t{1} << 30 ? Support::can() : Support::cannot("too many columns");
}

}  // namespace

void add_column_moments(Kernels& kernels) {
  kernels.add<ColumnMomentsKernel>(op::column_moments, "one pass", supports_column_moments);
}

}  // namespace brio::cuda
