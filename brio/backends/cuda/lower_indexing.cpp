// gather, scatter_add, one_hot, iota and tables of rows (device/indexing.cuh).
#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"
#include "brio/backends/cuda/lower.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::cuda {
namespace {

std::shared_ptr<const Code> indexing_code(const NodeView& node, std::string_view label, std::string signature,
                                          std::string call) {
  return device_of(node).compiler().code(label, kernel_of(signature, call), {"elementwise", "indexing"});
}

Grid enough_blocks(const CudaDevice& device, int64_t n) {
  return {static_cast<unsigned>(std::min<int64_t>(blocks_for(n, 256).x, int64_t{32} * device.multiprocessors()))};
}

// A tensor as [outer, size, inner] around an axis.
struct Around {
  int64_t outer = 1, size, inner = 1;
  Around(const Shape& shape, int64_t axis) : size(shape[static_cast<int>(axis)]) {
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= static_cast<int64_t>(shape[i]);
  }
};

class RangeCheck final : public CudaKernel {
 public:
  RangeCheck(const NodeView& node, size_t input, int64_t size, std::function<void(long long, long long)> refuse)
      : device_(device_of(node)), count_(node.in(input).shape.elements()), size_(size), refuse_(std::move(refuse)) {
    code_ = indexing_code(
        node, "check_range",
        cat("const ", type_name(node.in(input).dtype), "* numbers, i64 count, i64 size, FailureAt failure"),
        "check_range(numbers, count, size, failure)");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    stream.start(*code_, enough_blocks(device_, count_), {256}, args.in[0], count_, size_, stream.failure_of(*this));
  }
  void refuse(long long value, long long place) const override { refuse_(value, place); }

 private:
  CudaDevice& device_;
  int64_t count_, size_;
  std::function<void(long long, long long)> refuse_;
  std::shared_ptr<const Code> code_;
};

class GatherKernel final : public CudaKernel {
 public:
  explicit GatherKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        params_(node.in(0).shape),
        axis_(node.attrs()[0]),
        around_(params_, axis_),
        count_(node.in(1).shape.elements()) {
    const size_t element = size_of(node.out(0).dtype), row = static_cast<size_t>(around_.inner) * element;
    element_code_ = code_for(node, element);
    if (element < kVectorBytes && row != 0 && row % kVectorBytes == 0) {
      vector_ = static_cast<int64_t>(kVectorBytes / element);
      vector_code_ = code_for(node, kVectorBytes);
    }
    description = vector_code_ ? "one thread a vector" : "one thread an element";
    if (around_.outer * count_ * around_.inner != 0)
      check_ = range_check(node, 1, around_.size, [this](long long value, long long at) { refuse(value, at); });
  }
  Check input_check() const override { return {1, check_.get()}; }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const bool vectors = vector_code_ && is_aligned({args.out[0], args.in[0]});
    const int64_t inner = vectors ? around_.inner / vector_ : around_.inner, total = around_.outer * count_ * inner;
    if (total == 0) return;
    stream.start(vectors ? *vector_code_ : *element_code_, enough_blocks(device_, total), {256}, args.out[0],
                 args.in[0], args.in[1], total, count_, around_.size, inner, stream.failure_of(*this));
  }
  void refuse(long long value, long long place) const override { throw_bad_index(op_, params_, axis_, value, place); }

 private:
  static std::shared_ptr<const Code> code_for(const NodeView& node, size_t bytes) {
    const std::string_view word = word_name(bytes), l = type_name(node.in(1).dtype);
    return indexing_code(node, "gather",
                         cat(word, "* out, const ", word, "* in, const ", l,
                             "* indices, i64 total, i64 count, i64 size, i64 inner, FailureAt failure"),
                         "gather_rows(out, in, indices, total, count, size, inner, failure)");
  }
  CudaDevice& device_;
  const OpDef& op_;
  Shape params_;
  int64_t axis_;
  Around around_;
  int64_t count_, vector_ = 1;
  std::shared_ptr<const Code> element_code_, vector_code_;  // the second: where rows are whole vectors
  std::unique_ptr<CudaKernel> check_;
};

class ScatterAddKernel final : public CudaKernel {
 public:
  explicit ScatterAddKernel(const NodeView& node)
      : device_(device_of(node)),
        op_(*node.node.op),
        params_(node.in(0).shape),
        axis_(node.attrs()[0]),
        around_(params_, axis_),
        count_(node.in(1).shape.elements()),
        bytes_(node.out(0).bytes()),
        // Whole rows: one block for each row that is named. Else one thread for each place within rows.
        by_rows_(around_.outer == 1 && around_.inner >= 16 && count_ < int64_t{1} << 31 &&
                 around_.size < int64_t{1} << 31) {
    const std::string_view t = type_name(node.out(0).dtype), l = type_name(node.in(1).dtype);
    if (by_rows_) {
      fill_ = indexing_code(node, "fill", "i32* out, i32 value, i64 count", "fill_i32(out, value, count)");
      first_ =
          indexing_code(node, "find_first",
                        cat("i32* first, i32* named, const ", l, "* indices, i32 count, i64 size, FailureAt failure"),
                        "find_first(first, named, indices, count, size, failure)");
      add_ = indexing_code(node, "scatter_rows",
                           cat(t, "* table, const ", t, "* rows, const ", l,
                               "* indices, const i32* first, const i32* named, i32 count, i64 size, i64 width"),
                           "scatter_equal_rows(table, rows, indices, first, named, count, size, width)");
    } else {
      add_ = indexing_code(node, "scatter_add",
                           cat(t, "* out, const ", t, "* in, const ", l, "* indices, const ", t,
                               "* updates, i64 outer, i64 count, i64 size, i64 inner, FailureAt failure"),
                           "scatter_add_rows(out, in, indices, updates, outer, count, size, inner, failure)");
    }
    description =
        by_rows_ ? "in the order of the indices, a block a row" : "in the order of the indices, a thread a place";
    if (around_.outer * around_.inner * count_ != 0)
      check_ = range_check(node, 1, around_.size, [this](long long value, long long at) { refuse(value, at); });
  }
  Check input_check() const override { return {1, check_.get()}; }
  bool allows_in_place(size_t in, size_t) const override { return in == 0; }  // the table that it adds to
  size_t scratch_needed() const override {
    return by_rows_ ? static_cast<size_t>(2 * around_.size) * sizeof(int32_t) : 0;
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const int64_t lanes = around_.outer * around_.inner;
    if (lanes == 0) return;
    if (!by_rows_) {
      stream.start(*add_, blocks_for(lanes, 256), {256}, args.out[0], args.in[0], args.in[1], args.in[2],
                   around_.outer, count_, around_.size, around_.inner, stream.failure_of(*this));
      return;
    }
    if (args.out[0] != args.in[0]) stream.copy(args.out[0], args.in[0], bytes_);
    if (count_ == 0) return;
    const int count = static_cast<int>(count_);
    int32_t* const first = static_cast<int32_t*>(args.scratch);
    int32_t* const named = first + around_.size;
    stream.start(*fill_, enough_blocks(device_, around_.size), {256}, first, count, around_.size);
    stream.clear(named, static_cast<size_t>(around_.size) * sizeof(int32_t));
    stream.start(*first_, blocks_for(count_, 256), {256}, first, named, args.in[1], count, around_.size,
                 stream.failure_of(*this));
    stream.start(*add_, {static_cast<unsigned>(count)}, {256}, args.out[0], args.in[2], args.in[1], first, named,
                 count, around_.size, around_.inner);
  }
  void refuse(long long value, long long place) const override { throw_bad_index(op_, params_, axis_, value, place); }

 private:
  CudaDevice& device_;
  const OpDef& op_;
  Shape params_;
  int64_t axis_;
  Around around_;
  int64_t count_;
  size_t bytes_;
  bool by_rows_;
  std::shared_ptr<const Code> fill_, first_, add_;
  std::unique_ptr<CudaKernel> check_;
};

class OneHotKernel final : public CudaKernel {
 public:
  explicit OneHotKernel(const NodeView& node)
      : device_(device_of(node)), total_(node.out(0).shape.elements()), depth_(node.attrs()[0]) {
    for (int i = static_cast<int>(node.attrs()[2]); i < node.in(0).shape.rank(); ++i)
      inner_ *= static_cast<int64_t>(node.in(0).shape[i]);
    const std::string_view t = type_name(node.out(0).dtype), l = type_name(node.in(0).dtype);
    code_ = indexing_code(node, "one_hot", cat(t, "* out, const ", l, "* indices, i64 total, i64 depth, i64 inner"),
                          "one_hot(out, indices, total, depth, inner)");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (total_ == 0) return;
    stream.start(*code_, enough_blocks(device_, total_), {256}, args.out[0], args.in[0], total_, depth_, inner_);
  }

 private:
  CudaDevice& device_;
  int64_t total_, depth_, inner_ = 1;
  std::shared_ptr<const Code> code_;
};

class IotaKernel final : public CudaKernel {
 public:
  explicit IotaKernel(const NodeView& node) : device_(device_of(node)), total_(node.out(0).shape.elements()) {
    const std::string_view t = type_name(node.out(0).dtype);
    code_ = indexing_code(node, "iota", cat(t, "* out, i64 total"), "iota(out, total)");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (total_ != 0) stream.start(*code_, enough_blocks(device_, total_), {256}, args.out[0], total_);
  }

 private:
  CudaDevice& device_;
  int64_t total_;
  std::shared_ptr<const Code> code_;
};

class SpreadRowsKernel final : public CudaKernel {
 public:
  explicit SpreadRowsKernel(const NodeView& node) : device_(device_of(node)), total_(node.out(0).shape.elements()) {
    const int64_t rows = node.out(0).shape[0];
    width_ = rows == 0 ? 1 : total_ / rows;
    last_ = static_cast<int>(static_cast<int64_t>(node.in(0).shape[0]) - 1);
    const std::string_view word = word_name(size_of(node.out(0).dtype));
    code_ =
        indexing_code(node, "spread_rows",
                      cat(word, "* out, const ", word, "* rows, const i32* places, i64 total, i64 width, i32 last"),
                      "spread_rows(out, rows, places, total, width, last)");
  }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (total_ == 0) return;
    stream.start(*code_, enough_blocks(device_, total_), {256}, args.out[0], args.in[0], args.in[1], total_, width_,
                 last_);
  }

 private:
  CudaDevice& device_;
  int64_t total_, width_ = 1;
  int last_ = 0;
  std::shared_ptr<const Code> code_;
};

int64_t width_of(const Shape& rows) {
  int64_t width = 1;
  for (int i = 1; i < rows.rank(); ++i) width *= static_cast<int64_t>(rows[i]);
  return width;
}

class SumRowsKernel final : public CudaKernel {
 public:
  explicit SumRowsKernel(const NodeView& node)
      : device_(device_of(node)),
        table_(node.out(1).shape),
        size_(node.attrs()[0]),
        count_(static_cast<int>(static_cast<int64_t>(node.in(0).shape.elements()))),
        width_(width_of(node.out(1).shape)) {
    table_.set(0, size_);
    const std::string_view t = type_name(node.out(1).dtype), l = type_name(node.in(0).dtype);
    fill_ = indexing_code(node, "fill", "i32* out, i32 value, i64 count", "fill_i32(out, value, count)");
    first_ =
        indexing_code(node, "find_first",
                      cat("i32* first, i32* named, const ", l, "* indices, i32 count, i64 size, FailureAt failure"),
                      "find_first(first, named, indices, count, size, failure)");
    number_ = device_.compiler().code(
        "number_firsts",
        cat("extern \"C\" __global__ void __launch_bounds__(1024) NAME(i32* ids, i32* place, const i32* first, "
            "const ",
            l, "* indices, i32 count, i64 size) { number_firsts(ids, place, first, indices, count, size); }\n"),
        {"elementwise", "indexing"});
    sum_ = indexing_code(node, "sum_equal_rows",
                         cat(t, "* out, const ", t, "* rows, const ", l,
                             "* indices, const i32* place, const i32* named, i32 count, i64 width"),
                         "sum_equal_rows(out, rows, indices, place, named, count, width)");
    clear_ = indexing_code(node, "clear_unused_rows", cat(t, "* out, const i32* ids, i32 count, i64 width"),
                           "clear_unused_rows(out, ids, count, width)");
    description = "in the order of the indices, without a sort";
    if (count_ != 0)
      check_ = range_check(node, 0, size_, [this](long long value, long long at) { refuse(value, at); });
  }
  Check input_check() const override { return {0, check_.get()}; }
  size_t scratch_needed() const override { return static_cast<size_t>(2 * size_ + count_ + 64) * sizeof(int32_t); }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    int32_t* const first = static_cast<int32_t*>(args.scratch);
    int32_t* const named = first + size_;
    int32_t* const place = named + size_;
    const unsigned rows = static_cast<unsigned>(count_) + 1;
    if (count_ != 0) {
      stream.start(*fill_, enough_blocks(device_, size_), {256}, first, count_, size_);
      stream.clear(named, static_cast<size_t>(size_) * sizeof(int32_t));
      stream.start(*first_, blocks_for(count_, 256), {256}, first, named, args.in[0], count_, size_,
                   stream.failure_of(*this));
      stream.start(*number_, {1}, {1024}, args.out[0], place, first, args.in[0], count_, size_);
    }
    if (width_ == 0) return;
    stream.start(*clear_, {rows}, {256}, args.out[1], args.out[0], count_, width_);
    if (count_ != 0)
      stream.start(*sum_, {rows}, {256}, args.out[1], args.in[1], args.in[0], place, named, count_, width_);
  }
  void refuse(long long value, long long place) const override {
    throw_bad_index(op::scatter_add, table_, 0, value, place);
  }

 private:
  CudaDevice& device_;
  Shape table_;
  int64_t size_;
  int count_;
  int64_t width_;
  std::shared_ptr<const Code> fill_, first_, number_, sum_, clear_;
  std::unique_ptr<CudaKernel> check_;
};

// row_places, and subtract_rows, which finds the places for itself.
class PlacesKernel final : public CudaKernel {
 public:
  explicit PlacesKernel(const NodeView& node)
      : device_(device_of(node)), subtracts_(node.node.op == &op::subtract_rows) {
    const Aval& ids = node.in(subtracts_ ? 2 : 0);
    count_ = static_cast<int>(static_cast<int64_t>(ids.shape.elements()));
    size_ = subtracts_ ? static_cast<int64_t>(node.in(0).shape[0]) : node.attrs()[0];
    width_ = subtracts_ ? width_of(node.in(0).shape) : 0;
    fill_ = indexing_code(node, "fill", "i32* out, i32 value, i64 count", "fill_i32(out, value, count)");
    place_ = indexing_code(node, "place_rows", "i32* places, const i32* ids, i32 count, i64 size",
                           "place_rows(places, ids, count, size)");
    if (!subtracts_) return;
    const std::string_view t = type_name(node.out(0).dtype);
    subtract_ = indexing_code(
        node, "subtract_placed",
        cat(t, "* out, const ", t, "* table, const ", t, "* rows, const i32* places, i64 total, i64 width"),
        "subtract_placed(out, table, rows, places, total, width)");
  }
  size_t scratch_needed() const override { return subtracts_ ? static_cast<size_t>(size_) * sizeof(int32_t) : 0; }
  bool allows_in_place(size_t in, size_t out) const override { return subtracts_ && in == 0 && out == 0; }
  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    if (size_ == 0) return;
    void* const places = subtracts_ ? args.scratch : args.out[0];
    stream.start(*fill_, enough_blocks(device_, size_), {256}, places, count_, size_);
    if (count_ != 0)
      stream.start(*place_, blocks_for(count_, 256), {256}, places, args.in[subtracts_ ? 2 : 0], count_, size_);
    const int64_t total = size_ * width_;
    if (subtracts_ && total != 0)
      stream.start(*subtract_, enough_blocks(device_, total), {256}, args.out[0], args.in[0], args.in[1], places,
                   total, width_);
  }

 private:
  CudaDevice& device_;
  bool subtracts_;
  int count_ = 0;
  int64_t size_ = 0, width_ = 0;
  std::shared_ptr<const Code> fill_, place_, subtract_;
};

Support supports_gather(const NodeView& node) {
  return node.out(0).dtype == DType::string ? Support::cannot("strings stay on the host") : Support::can();
}
Support supports_real(const NodeView& node) {
  return is_real(node.out(0).dtype) ? Support::can() : Support::cannot(cat("no kernel for ", node.out(0).dtype));
}

}  // namespace

std::unique_ptr<CudaKernel> range_check(const NodeView& node, size_t input, int64_t size,
                                        std::function<void(long long value, long long place)> refuse) {
  return std::make_unique<RangeCheck>(node, input, size, std::move(refuse));
}

void add_indexing(Kernels& kernels) {
  kernels.add<GatherKernel>(op::gather, "rows", supports_gather);
  kernels.add<ScatterAddKernel>(op::scatter_add, "rows", supports_real);
  kernels.add<OneHotKernel>(op::one_hot, "elements", supports_real);
  kernels.add<IotaKernel>(op::iota, "elements", supports_real);
  kernels.add<SpreadRowsKernel>(op::spread_rows, "rows", supports_real);
  kernels.add<SumRowsKernel>(op::sum_rows, "rows", supports_real);
  kernels.add<PlacesKernel>(op::row_places, "rows", supports_real);
  kernels.add<PlacesKernel>(op::subtract_rows, "rows", supports_real);
}

}  // namespace brio::cuda
