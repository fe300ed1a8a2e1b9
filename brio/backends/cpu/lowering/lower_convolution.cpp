// conv and its gradients. Each of the three asks, best first: a matrix product (filters of size 1), oneDNN, the
// depthwise kernels, products over columns. docs/decisions/convolution.md has the measurements.
#include <algorithm>
#include <cstring>

#include "brio/backends/cpu/convolution/conv_columns.h"
#include "brio/backends/cpu/convolution/conv_depthwise.h"
#include "brio/backends/cpu/convolution/conv_onednn.h"
#include "brio/backends/cpu/gemm/gemm.h"
#include "brio/backends/cpu/gemm/gemm_kernels.h"
#include "brio/backends/cpu/kernels/movement.h"
#include "brio/backends/cpu/kernels/widened.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// NOLINTNEXTLINE(clang-analyzer-core.DivideZero): what is empty is left to the reference, so no step is 0
int64_t steps_in(int64_t total, int64_t step) { return (total + step - 1) / step; }

// Is every window one element, and every element a window? Then x is its own matrix of columns.
bool is_pointwise(const ConvGeometry& g) {
  if (g.groups != 1) return false;
  return std::ranges::all_of(g.axis, [](const WindowAxis& axis) {
    return axis.window == 1 && axis.stride == 1 && axis.low == 0 && axis.high == 0;
  });
}
bool is_depthwise(const ConvGeometry& g) { return g.in == 1 && g.groups > 1; }

// ---- filters of size 1

class PointwiseKernel final : public Kernel {
 public:
  explicit PointwiseKernel(const NodeView& view) : swap_(view.node.op == &op::conv_input_grad) {
    const ConvGeometry g = geometry(view);
    GemmSpec spec{.dtype = view.in(0).dtype, .m = g.pixels()};
    if (swap_) {  // x = y · filterᵀ
      spec.n = g.in, spec.k = g.out;
      spec.b_row = 1, spec.b_col = g.out;
    } else {
      spec.n = g.out, spec.k = g.in;
      spec.b_row = g.out, spec.b_col = 1;
    }
    spec.a_row = spec.k, spec.a_col = 1;
    gemm_ = Gemm::prepare(spec);
    description = cat("gemm ", gemm_->chosen);
  }
  size_t scratch_bytes() const override { return gemm_->scratch_bytes(); }
  void run(const KernelArgs& args) const override {
    gemm_->run(args.in[swap_ ? 1 : 0], args.in[swap_ ? 0 : 1], nullptr, args.out[0], args.scratch);
  }

 private:
  bool swap_;  // the filter comes first
  std::unique_ptr<Gemm> gemm_;
};

Support supports_pointwise(const NodeView& view) {
  const ConvGeometry g = geometry(view);
  if (!g.has_elements()) return Support::cannot("there are no elements");
  if (!is_pointwise(g)) return Support::cannot("the windows are larger than one element, apart or padded");
  return Support::can();
}

// ---- depthwise

// A multiplier is as many copies of x's channels, each with one filter.
class DepthwiseKernel final : public Kernel {
 public:
  explicit DepthwiseKernel(const NodeView& view)
      : op_(*view.node.op),
        g_(geometry(view)),
        times_(g_.out),
        channels_(g_.groups),
        size_(size_of(view.in(0).dtype)),
        fns_(find_depthwise_fns(view.in(0).dtype)),
        add_(find_tile_fn("add", view.in(0).dtype, view.in(0).dtype)) {
    g_.groups *= times_;
    g_.out = 1;
    const int64_t rows = g_.batch * g_.axis[0].count() * g_.axis[1].count();
    if (&op_ == &op::conv_filter_grad) {
      pieces_ = std::min<int64_t>(rows, kSums);
      rows_ = steps_in(rows, pieces_);
      pieces_ = steps_in(rows, rows_);
    } else if (&op_ == &op::conv_input_grad) {
      pieces_ = g_.batch;
    } else {
      rows_ = std::max<int64_t>(1, static_cast<int64_t>(20e3 / (g_.flops() / kRate / static_cast<double>(rows))));
      pieces_ = steps_in(rows, rows_);
    }
    slots_ = slots_for(pieces_, g_.flops() / kRate);
    description = cat("depthwise ", gemm_target_facts().name);
  }

  size_t scratch_bytes() const override { return copy_bytes() + sums_bytes() * static_cast<size_t>(sums()); }

  void run(const KernelArgs& args) const override {
    const bool input_grad = &op_ == &op::conv_input_grad;
    const void* x = args.in[0];
    char* const scratch = static_cast<char*>(args.scratch);
    if (times_ > 1 && !input_grad) {
      fns_.repeat(x, scratch, g_.batch * g_.sizes() * channels_, times_);
      x = scratch;
    }
    const int64_t rows = g_.batch * g_.axis[0].count() * g_.axis[1].count();
    if (input_grad) {
      void* const to = times_ > 1 ? args.scratch : args.out[0];
      run_pieces(pieces_, slots_,
                 [&](int64_t n, int64_t) { fns_.input_grad(g_, args.in[0], args.in[1], to, n, n + 1); });
      if (times_ > 1) fns_.fold(to, args.out[0], g_.batch * g_.sizes() * channels_, times_);
    } else if (&op_ == &op::conv) {
      run_pieces(pieces_, slots_, [&](int64_t i, int64_t) {
        fns_.forward(g_, x, args.in[1], args.out[0], i * rows_, std::min(rows, (i + 1) * rows_));
      });
    } else {
      const auto n = static_cast<size_t>(g_.taps() * g_.groups);
      auto sum = [&](int64_t i) {
        return i == 0 ? args.out[0] : scratch + copy_bytes() + static_cast<size_t>(i - 1) * sums_bytes();
      };
      run_pieces(pieces_, slots_, [&](int64_t i, int64_t) {
        std::memset(sum(i), 0, n * size_);
        fns_.filter_grad(g_, x, args.in[1], sum(i), i * rows_, std::min(rows, (i + 1) * rows_));
      });
      for (int64_t i = 1; i < pieces_; ++i) add_(args.out[0], args.out[0], sum(i), nullptr, n);
    }
  }

 private:
  static constexpr int64_t kSums = 16;  // steps_in that a filter's gradient is summed in, by shape alone
  static constexpr double kRate = 20;   // flops per nanosecond, roughly

  int64_t sums() const { return &op_ == &op::conv_filter_grad ? pieces_ - 1 : 0; }
  size_t sums_bytes() const { return round_to_line(static_cast<size_t>(g_.taps() * g_.groups) * size_); }
  size_t copy_bytes() const {
    return times_ > 1 ? round_to_line(static_cast<size_t>(g_.batch * g_.sizes() * g_.groups) * size_) : 0;
  }

  const OpDef& op_;
  ConvGeometry g_;
  int64_t times_, channels_;  // the multiplier, x's channels
  size_t size_;
  DepthwiseFns fns_;
  TileFn add_;
  int64_t pieces_ = 1, rows_ = 1, slots_ = 1;
};

Support supports_depthwise(const NodeView& view) {
  const ConvGeometry g = geometry(view);
  if (!g.has_elements()) return Support::cannot("there are no elements");
  if (!is_floating(view.in(0).dtype)) return Support::cannot(cat("no kernel for ", view.in(0).dtype));
  if (!is_depthwise(g)) return Support::cannot(cat("a group has ", g.in, " channels, not one of several"));
  return Support::can();
}

// ---- products over columns

// The product of one piece, on the calling thread.
struct PieceGemm {
  GemmKernelInfo kernel;
  GemmShape shape;

  PieceGemm() = default;
  PieceGemm(DType dtype, const GemmShape& largest) : shape(largest) {
    constexpr int64_t cached = 1 << 20;
    const auto size = static_cast<int64_t>(size_of(dtype));
    const bool direct = (dtype == f32 || dtype == f64) && largest.k * largest.n * size <= cached &&
                        (largest.a_col == 1 || largest.m * largest.k * size <= cached);
    kernel = direct ? direct_gemm_kernel(dtype) : blocked_gemm_kernel(dtype);
  }
  size_t scratch_bytes() const { return kernel.scratch ? round_to_line(kernel.scratch(shape)) : 0; }
};

// What the three have in common: blocks of windows, memory per slot.
class ColumnsKernel : public Kernel {
 public:
  explicit ColumnsKernel(const NodeView& view)
      : g_(geometry(view)),
        dtype_(view.in(0).dtype),
        size_(size_of(dtype_)),
        width_(g_.taps() * g_.in),
        plain_(is_pointwise(g_)),
        fns_(find_column_fns(dtype_)) {}

 protected:
  // Windows per block, so that their columns take about so many bytes.
  int64_t windows_for(int64_t bytes, int64_t least, int64_t most) const {
    return std::clamp(bytes / (width_ * static_cast<int64_t>(size_)), least, most);
  }
  size_t filter_bytes() const { return static_cast<size_t>(width_ * g_.out_channels()) * size_; }
  bool large_filter() const { return width_ * g_.out * static_cast<int64_t>(size_) > (1 << 20); }
  double nanoseconds() const { return g_.flops() / (dtype_ == f32 ? 100 : dtype_ == f64 ? 50 : 20); }
  void describe(std::string_view what) { description = cat(what, " columns, gemm ", gemm_.kernel.name); }

  const void* columns(int64_t group, int64_t first, int64_t count, const void* x, void* memory) const {
    if (plain_) return at(x, first * width_);
    fns_.gather(g_, group, first, count, x, memory);
    return memory;
  }
  const void* at(const void* data, int64_t elements) const {
    return static_cast<const char*>(data) + static_cast<size_t>(elements) * size_;
  }
  void* at(void* data, int64_t elements) const {
    return static_cast<char*>(data) + static_cast<size_t>(elements) * size_;
  }

  ConvGeometry g_;
  DType dtype_;
  size_t size_;
  int64_t width_;  // of a row: taps × channels of a group
  bool plain_;
  ColumnFns fns_;
  PieceGemm gemm_;
  int64_t block_ = 1, pieces_ = 1, slots_ = 1;
};

// y = columns · filter
class ForwardColumns final : public ColumnsKernel {
 public:
  explicit ForwardColumns(const NodeView& view) : ColumnsKernel(view) {
    // A filter that is packed for every block needs large ones to be worth it.
    block_ = large_filter() ? 512 : windows_for(256 << 10, 48, 1024);
    if (nanoseconds() > 400e3) block_ = std::min(block_, std::max<int64_t>(48, steps_in(g_.pixels(), 8)));
    block_ = std::min(block_, g_.pixels());
    pieces_ = steps_in(g_.pixels(), block_);
    slots_ = slots_for(pieces_, nanoseconds());
    gemm_ = PieceGemm(dtype_, shape(block_));
    describe("forward");
  }
  size_t scratch_bytes() const override { return slot_bytes() * static_cast<size_t>(slots_); }
  void run(const KernelArgs& args) const override {
    run_pieces(pieces_, slots_, [&](int64_t i, int64_t slot) {
      char* const memory = static_cast<char*>(args.scratch) + static_cast<size_t>(slot) * slot_bytes();
      const int64_t first = i * block_, count = std::min(block_, g_.pixels() - first);
      for (int64_t group = 0; group < g_.groups; ++group)
        gemm_.kernel.run(shape(count),
                         {columns(group, first, count, args.in[0], memory), at(args.in[1], group * g_.out), nullptr,
                          at(args.out[0], first * g_.out_channels() + group * g_.out), memory + columns_bytes()});
    });
  }

 private:
  GemmShape shape(int64_t count) const {
    return {count, g_.out, width_, width_, 1, g_.out_channels(), 1, g_.out_channels(), false};
  }
  size_t columns_bytes() const { return plain_ ? 0 : round_to_line(static_cast<size_t>(block_ * width_) * size_); }
  size_t slot_bytes() const { return columns_bytes() + gemm_.scratch_bytes(); }
};

// columns = y · filterᵀ, which are then added where they came from: each picture by one thread, in the order of its
// windows.
class InputGradColumns final : public ColumnsKernel {
 public:
  explicit InputGradColumns(const NodeView& view)
      : ColumnsKernel(view),
        turn_(size_, std::vector<int64_t>{g_.groups, g_.out, width_},
              std::vector<int64_t>{g_.out, 1, g_.out_channels()}, std::vector<int64_t>{g_.out * width_, width_, 1}) {
    pictures_ = large_filter() ? std::min(g_.batch, steps_in(256, g_.counts())) : 1;
    block_ = std::min(large_filter() ? 512 : windows_for(256 << 10, 48, 1024), pictures_ * g_.counts());
    pieces_ = steps_in(g_.batch, pictures_);
    slots_ = slots_for(pieces_, nanoseconds());
    gemm_ = PieceGemm(dtype_, shape(block_));
    describe("input gradient");
  }
  size_t scratch_bytes() const override {
    return round_to_line(filter_bytes()) + slot_bytes() * static_cast<size_t>(slots_);
  }
  void run(const KernelArgs& args) const override {
    turn_.run(args.in[0], args.scratch);
    run_pieces(pieces_, slots_, [&](int64_t i, int64_t slot) {
      char* const memory =
          static_cast<char*>(args.scratch) + round_to_line(filter_bytes()) + static_cast<size_t>(slot) * slot_bytes();
      const int64_t begin = i * pictures_, end = std::min(g_.batch, begin + pictures_),
                    picture = g_.sizes() * g_.in_channels();
      std::memset(at(args.out[0], begin * picture), 0, static_cast<size_t>((end - begin) * picture) * size_);
      for (int64_t first = begin * g_.counts(); first < end * g_.counts(); first += block_) {
        const int64_t count = std::min(block_, end * g_.counts() - first);
        for (int64_t group = 0; group < g_.groups; ++group) {
          gemm_.kernel.run(shape(count), {at(args.in[1], first * g_.out_channels() + group * g_.out),
                                          at(static_cast<const void*>(args.scratch), group * g_.out * width_),
                                          nullptr, memory, memory + columns_bytes()});
          fns_.add(g_, group, first, count, memory, args.out[0]);
        }
      }
    });
  }

 private:
  GemmShape shape(int64_t count) const {
    return {count, width_, g_.out, g_.out_channels(), 1, width_, 1, width_, false};
  }
  size_t columns_bytes() const { return round_to_line(static_cast<size_t>(block_ * width_) * size_); }
  size_t slot_bytes() const { return columns_bytes() + gemm_.scratch_bytes(); }

  StridedCopy turn_;
  int64_t pictures_ = 1;  // per piece
};

// filter = columnsᵀ · y, summed over blocks of windows within a piece, then over the pieces in their order.
class FilterGradColumns final : public ColumnsKernel {
 public:
  explicit FilterGradColumns(const NodeView& view) : ColumnsKernel(view), add_(find_tile_fn("add", dtype_, dtype_)) {
    block_ = std::min(windows_for(1 << 20, 128, 1024), g_.pixels());
    const int64_t blocks = steps_in(g_.pixels(), block_);
    constexpr int64_t most = 8, most_bytes = 32 << 20;
    pieces_ = std::clamp<int64_t>(most_bytes / static_cast<int64_t>(filter_bytes()), 2, most);
    if (nanoseconds() < 100e3) pieces_ = 1;  // one thread is enough
    blocks_ = steps_in(blocks, std::min(pieces_, blocks));
    pieces_ = steps_in(blocks, blocks_);
    slots_ = slots_for(pieces_, nanoseconds());
    gemm_ = PieceGemm(dtype_, shape(block_));
    describe("filter gradient");
  }
  size_t scratch_bytes() const override {
    return sum_bytes() * static_cast<size_t>(pieces_ - 1) + slot_bytes() * static_cast<size_t>(slots_);
  }
  void run(const KernelArgs& args) const override {
    char* const scratch = static_cast<char*>(args.scratch);
    const int64_t elements = width_ * g_.out_channels();
    auto sum_of = [&](int64_t piece) {
      return piece == 0 ? args.out[0] : scratch + static_cast<size_t>(piece - 1) * sum_bytes();
    };
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      char* const product =
          scratch + sum_bytes() * static_cast<size_t>(pieces_ - 1) + static_cast<size_t>(slot) * slot_bytes();
      char *const memory = product + sum_bytes(), *const gemm_memory = memory + columns_bytes();
      const int64_t begin = piece * blocks_ * block_, end = std::min(g_.pixels(), begin + blocks_ * block_);
      for (int64_t first = begin; first < end; first += block_) {
        const int64_t count = std::min(block_, end - first);
        void* const to = first == begin ? sum_of(piece) : product;
        for (int64_t group = 0; group < g_.groups; ++group)
          gemm_.kernel.run(shape(count), {columns(group, first, count, args.in[0], memory),
                                          at(args.in[1], first * g_.out_channels() + group * g_.out), nullptr,
                                          at(to, group * g_.out), gemm_memory});
        if (first != begin) add_(sum_of(piece), sum_of(piece), product, nullptr, static_cast<size_t>(elements));
      }
    });
    parallel_for(elements, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t piece = 1; piece < pieces_; ++piece)
        add_(at(args.out[0], begin), at(args.out[0], begin), at(sum_of(piece), begin), nullptr,
             static_cast<size_t>(end - begin));
    });
  }

 private:
  GemmShape shape(int64_t count) const {
    return {width_, g_.out, count, 1, width_, g_.out_channels(), 1, g_.out_channels(), false};
  }
  size_t columns_bytes() const { return plain_ ? 0 : round_to_line(static_cast<size_t>(block_ * width_) * size_); }
  size_t sum_bytes() const { return round_to_line(filter_bytes()); }
  size_t slot_bytes() const { return sum_bytes() + columns_bytes() + gemm_.scratch_bytes(); }

  TileFn add_;
  int64_t blocks_ = 1;  // per piece
};

Support supports_columns(const NodeView& view) {
  if (!geometry(view).has_elements()) return Support::cannot("there are no elements");
  return Support::can();
}

}  // namespace

void add_convolution_kernels(Registry& registry) {
  for (const OpDef* op : {&op::conv, &op::conv_input_grad})
    registry.add(kDevice, *op, {"gemm", kPriority + 3, supports_pointwise, prepare<PointwiseKernel>});
  for (const OpDef* op : {&op::conv, &op::conv_input_grad, &op::conv_filter_grad}) {
    registry.add(kDevice, *op, {"onednn", kPriority + 2, supports_onednn_conv, prepare_onednn_conv});
    registry.add(kDevice, *op, {"depthwise", kPriority + 1, supports_depthwise, prepare_widened<DepthwiseKernel>});
  }
  registry.add(kDevice, op::conv, {"columns", kPriority, supports_columns, prepare_widened<ForwardColumns>});
  registry.add(kDevice, op::conv_input_grad,
               {"columns", kPriority, supports_columns, prepare_widened<InputGradColumns>});
  registry.add(kDevice, op::conv_filter_grad,
               {"columns", kPriority, supports_columns, prepare_widened<FilterGradColumns>});
}

}  // namespace brio::cpu
