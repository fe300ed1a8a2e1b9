// A convolution with its bias, ReLU and pooling, and its gradients: see conv_pool_kernels.h. Rows of pooled values
// are the pieces of work; the sums of a filter's gradient are cut by shape alone, and added in order. Numbers of 16
// bits are widened as the lines under a row are copied, and narrowed as its results are written.
#include <algorithm>
#include <cstring>

#include "brio/backends/cpu/convolution/conv_pool_bf16.h"
#include "brio/backends/cpu/convolution/conv_pool_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"
#include "brio/ops/network/conv_pool.h"

namespace brio::cpu {
namespace {

constexpr int64_t kMostDepth = 160;      // elements of x under a window: above, oneDNN's products are as good
constexpr double kPieceTime = 20e3;      // nanoseconds
constexpr double kFlopsPerNs = 60;       // roughly
constexpr int64_t kGradientPieces = 32;  // whose sums are added in the end

ConvPoolForm form_of(const NodeView& view) {
  const Shape& filter = view.node.op == &op::conv_relu_pool ? view.in(1).shape : view.out(0).shape;
  return {*view.node.op, view.in(0).shape, filter, view.attrs()};
}

// Between the dtype of the tensors and f32, in which the kernels compute.
struct Widening {
  DType dtype;
  TileFn widen = nullptr, narrow = nullptr;  // none: they are f32

  explicit Widening(DType of) : dtype(of) {
    if (of == f32) return;
    widen = find_tile_fn("cast", of, f32);
    narrow = find_tile_fn("cast", f32, of);
  }
  bool needed() const { return widen != nullptr; }
  const char* at(const void* data, int64_t element) const {
    return static_cast<const char*>(data) + static_cast<size_t>(element) * size_of(dtype);
  }
  void read(const void* data, int64_t element, float* to, int64_t n) const {
    const auto count = static_cast<size_t>(n);
    if (widen) widen(to, at(data, element), nullptr, nullptr, count);
    else std::memcpy(to, at(data, element), count * sizeof(float));
  }
  void write(void* data, int64_t element, const float* from, int64_t n) const {
    const auto count = static_cast<size_t>(n);
    char* const to = static_cast<char*>(data) + static_cast<size_t>(element) * size_of(dtype);
    if (narrow) narrow(to, from, nullptr, nullptr, count);
    else std::memcpy(to, from, count * sizeof(float));
  }
  // Where n elements are, or their wide copy in `memory`.
  const float* wide(const void* data, int64_t element, int64_t n, float* memory) const {
    if (!widen) return static_cast<const float*>(data) + element;
    read(data, element, memory, n);
    return memory;
  }
};

// x's pictures, row by row of pooled values.
struct Pictures {
  ConvPoolRow row;
  int64_t batch, rows;  // pooled rows of a picture
  int64_t height, width, low_h, low_w;

  explicit Pictures(const ConvPoolForm& form) {
    const WindowAxis &h = form.conv.axis[1], &w = form.conv.axis[2];
    row = {.in = form.conv.in,
           .out = form.conv.out,
           .kernel_h = h.window,
           .kernel_w = w.window,
           .stride_h = h.stride,
           .stride_w = w.stride,
           .pooled = form.pool.axis[2].count(),
           .padded_out = (form.conv.out + kConvPoolPad - 1) / kConvPoolPad * kConvPoolPad,
           .line = 0};
    row.line = (row.columns() * row.in + 2 * kConvPoolPad - 1) / kConvPoolPad * kConvPoolPad;
    batch = form.conv.batch;
    rows = form.pool.axis[1].count();
    height = h.size, width = w.size, low_h = h.low, low_w = w.low;
  }

  int64_t all_rows() const { return batch * rows; }
  double flops_of_row() const { return 8.0 * static_cast<double>(row.pooled * row.depth() * row.out); }
  size_t lines_bytes() const { return static_cast<size_t>(row.lines() * row.line) * sizeof(float); }
  size_t tables_bytes() const { return static_cast<size_t>(4 * row.kernel_h * row.line) * sizeof(float); }
  int64_t results() const { return row.pooled * row.out; }  // of a row
  size_t results_bytes() const { return round_to_line(static_cast<size_t>(results()) * sizeof(float)); }
  int64_t padded_bytes() const { return row.padded_out * static_cast<int64_t>(sizeof(float)); }

  // The lines of x under a row, zeros where they reach beyond it.
  void copy_lines(const void* x, const Widening& as, int64_t r, float* lines) const {
    copy_lines(r, lines, [&](int64_t element, float* to, int64_t n) { as.read(x, element, to, n); });
  }
  void copy_lines(const uint16_t* x, int64_t r, uint16_t* lines) const {
    copy_lines(r, lines, [&](int64_t element, uint16_t* to, int64_t n) {
      std::memcpy(to, x + element, static_cast<size_t>(n) * sizeof(uint16_t));
    });
  }
  template <typename T, typename Read>
  void copy_lines(int64_t r, T* lines, const Read& read) const {
    const int64_t n = r / rows, top = r % rows * 2 * row.stride_h - low_h;
    const int64_t left = std::min(low_w, row.columns()), inside = std::clamp<int64_t>(width, 0, row.columns() - left);
    for (int64_t l = 0; l < row.lines(); ++l, lines += row.line) {
      const int64_t y = top + l;
      std::memset(lines, 0, static_cast<size_t>(row.line) * sizeof(T));
      if (y >= 0 && y < height) read((n * height + y) * width * row.in, lines + left * row.in, inside * row.in);
    }
  }
};

class ConvPoolKernel final : public Kernel {
 public:
  explicit ConvPoolKernel(const NodeView& view)
      : p_(form_of(view)), as_(view.in(0).dtype), fns_(find_conv_pool_fns(as_.dtype)) {
    const double time = p_.flops_of_row() / kFlopsPerNs;
    rows_ = std::max<int64_t>(1, static_cast<int64_t>(kPieceTime / time));
    pieces_ = (p_.all_rows() + rows_ - 1) / rows_;
    slots_ = slots_for(pieces_, time * static_cast<double>(p_.all_rows()));
    multiplies_bf16_ = as_.dtype == bf16 && has_bf16_products();
    description = multiplies_bf16_ ? "conv and pool in one pass, bf16 products" : "conv and pool in one pass";
  }
  size_t scratch_bytes() const override { return weights_bytes() + static_cast<size_t>(slots_) * slot_bytes(); }
  void run(const KernelArgs& args) const override {
    if (multiplies_bf16_) return run_bf16(args);
    const ConvPoolRow& row = p_.row;
    auto* const filter = static_cast<float*>(args.scratch);
    float* const bias = filter + row.depth() * row.padded_out;
    std::memset(filter, 0, weights_bytes());
    for (int64_t k = 0; k < row.depth(); ++k) as_.read(args.in[1], k * row.out, filter + k * row.padded_out, row.out);
    as_.read(args.in[2], 0, bias, row.out);
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      char* const own = static_cast<char*>(args.scratch) + weights_bytes() + static_cast<size_t>(slot) * slot_bytes();
      auto* const lines = reinterpret_cast<float*>(own);
      auto* const wide = reinterpret_cast<float*>(own + p_.lines_bytes());
      for (int64_t r = piece * rows_; r < std::min(p_.all_rows(), (piece + 1) * rows_); ++r) {
        p_.copy_lines(args.in[0], as_, r, lines);
        const int64_t at = r * p_.results();
        float* const to = as_.needed() ? wide : static_cast<float*>(args.out[0]) + at;
        fns_.forward(row, lines, filter, bias, to, static_cast<uint8_t*>(args.out[1]) + at);
        if (as_.needed()) as_.write(args.out[0], at, to, p_.results());
      }
    });
  }

 private:
  void run_bf16(const KernelArgs& args) const {
    const ConvPoolRow& row = p_.row;
    auto* const filter = static_cast<uint32_t*>(args.scratch);
    auto* const bias = static_cast<float*>(args.scratch) + bf16_pairs(row) * row.padded_out;
    pack_bf16_filter(row, static_cast<const uint16_t*>(args.in[1]), filter);
    std::memset(bias, 0, static_cast<size_t>(p_.padded_bytes()));
    as_.read(args.in[2], 0, bias, row.out);
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      auto* const lines = reinterpret_cast<uint16_t*>(static_cast<char*>(args.scratch) + weights_bytes() +
                                                      static_cast<size_t>(slot) * slot_bytes());
      for (int64_t r = piece * rows_; r < std::min(p_.all_rows(), (piece + 1) * rows_); ++r) {
        p_.copy_lines(static_cast<const uint16_t*>(args.in[0]), r, lines);
        const int64_t at = r * p_.results();
        conv_pool_bf16(row, lines, filter, bias, static_cast<uint16_t*>(args.out[0]) + at,
                       static_cast<uint8_t*>(args.out[1]) + at);
      }
    });
  }
  // Pairs of bf16 take no more than their floats.
  size_t weights_bytes() const { return static_cast<size_t>((p_.row.depth() + 1) * p_.padded_bytes()); }
  size_t slot_bytes() const { return p_.lines_bytes() + (as_.needed() ? p_.results_bytes() : 0); }

  Pictures p_;
  Widening as_;
  ConvPoolFns fns_;
  int64_t rows_, pieces_, slots_;
  bool multiplies_bf16_ = false;
};

class ConvPoolGradKernel final : public Kernel {
 public:
  explicit ConvPoolGradKernel(const NodeView& view)
      : p_(form_of(view)), as_(view.in(0).dtype), fns_(find_conv_pool_fns(as_.dtype)) {
    rows_ = (p_.all_rows() + kGradientPieces - 1) / kGradientPieces;
    pieces_ = (p_.all_rows() + rows_ - 1) / rows_;
    slots_ = slots_for(pieces_, p_.flops_of_row() / 4 / kFlopsPerNs * static_cast<double>(p_.all_rows()));
    description = "gradient of conv and pool from the pooled one";
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(pieces_) * sums_bytes() + static_cast<size_t>(slots_) * slot_bytes();
  }
  void run(const KernelArgs& args) const override {
    const ConvPoolRow& row = p_.row;
    char* const scratch = static_cast<char*>(args.scratch);
    const auto sums = [&](int64_t piece) {
      return reinterpret_cast<float*>(scratch + static_cast<size_t>(piece) * sums_bytes());
    };
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      auto* const lines = reinterpret_cast<float*>(scratch + static_cast<size_t>(pieces_) * sums_bytes() +
                                                   static_cast<size_t>(slot) * slot_bytes());
      float* const tables = lines + row.lines() * row.line;
      float* const wide = tables + 4 * row.kernel_h * row.line;
      std::memset(sums(piece), 0, sums_bytes());
      for (int64_t r = piece * rows_; r < std::min(p_.all_rows(), (piece + 1) * rows_); ++r) {
        p_.copy_lines(args.in[0], as_, r, lines);
        fns_.make_tables(row, lines, tables);
        const int64_t at = r * p_.results();
        fns_.filter_grad(row, tables, static_cast<const uint8_t*>(args.in[1]) + at,
                         as_.wide(args.in[2], at, p_.results(), wide), sums(piece));
      }
    });
    float* const all = sums(0);
    for (int64_t k = 0; k <= row.depth(); ++k) {
      float* const line = all + k * row.padded_out;
      for (int64_t c = 0; c < row.out; ++c)
        for (int64_t piece = 1; piece < pieces_; ++piece) line[c] += sums(piece)[k * row.padded_out + c];
      if (k < row.depth()) as_.write(args.out[0], k * row.out, line, row.out);
      else as_.write(args.out[1], 0, line, row.out);
    }
  }

 private:
  size_t sums_bytes() const { return static_cast<size_t>((p_.row.depth() + 1) * p_.padded_bytes()); }
  size_t slot_bytes() const { return p_.lines_bytes() + p_.tables_bytes() + (as_.needed() ? p_.results_bytes() : 0); }

  Pictures p_;
  Widening as_;
  ConvPoolFns fns_;
  int64_t rows_, pieces_, slots_;
};

// Pooling by itself is bound by memory: rows, shared out. Numbers of 16 bits are widened a row at a time.
class ReluPoolKernel final : public Kernel {
 public:
  explicit ReluPoolKernel(const NodeView& view)
      : forward_(view.node.op == &op::relu_pool),
        g_(relu_pool_geometry(forward_ ? view.in(0).shape : view.out(0).shape, view.attrs())),
        as_(view.in(forward_ ? 0 : 1).dtype),
        one_(g_),
        fns_(find_conv_pool_fns(as_.dtype)) {
    rows_ = g_.batch * g_.axis[0].count() * g_.axis[1].count();
    const int64_t floats = g_.axis[2].count() * g_.taps() * g_.channels;  // of a row
    grain_ = std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(floats, 1));
    bytes_ = view.out(0).bytes();
    whole_ = std::ranges::all_of(g_.axis, [](const WindowAxis& axis) { return axis.size % axis.window == 0; });
    one_.batch = 1;
    one_.axis[1].size = one_.axis[1].window;
    pieces_ = (rows_ + grain_ - 1) / grain_;
    slots_ = as_.needed() ? slots_for(pieces_, static_cast<double>(floats * rows_) / kFloatsPerNs) : 0;
    description = "relu and pool";
  }
  size_t scratch_bytes() const override { return static_cast<size_t>(slots_) * slot_bytes() + bias_bytes(); }
  void run(const KernelArgs& args) const override {
    if (!forward_ && !whole_) std::memset(args.out[0], 0, bytes_);  // what is in no window
    if (as_.needed()) return run_wide(args);
    parallel_for(rows_, grain_, [&](int64_t begin, int64_t end) {
      if (forward_)
        fns_.relu_pool(g_, static_cast<const float*>(args.in[0]), static_cast<const float*>(args.in[1]),
                       static_cast<float*>(args.out[0]), static_cast<uint8_t*>(args.out[1]), begin, end);
      else
        fns_.relu_pool_grad(g_, static_cast<const uint8_t*>(args.in[0]), static_cast<const float*>(args.in[1]),
                            static_cast<float*>(args.out[0]), begin, end);
    });
  }

 private:
  static constexpr double kFloatsPerNs = 5;  // roughly

  void run_wide(const KernelArgs& args) const {
    auto* const bias = static_cast<float*>(args.scratch);
    if (forward_) as_.read(args.in[1], 0, bias, g_.channels);
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      char* const own = static_cast<char*>(args.scratch) + bias_bytes() + static_cast<size_t>(slot) * slot_bytes();
      auto* const lines = reinterpret_cast<float*>(own);
      auto* const pooled = reinterpret_cast<float*>(own + lines_bytes());
      for (int64_t r = piece * grain_; r < std::min(rows_, (piece + 1) * grain_); ++r) {
        const int64_t rows = g_.axis[1].count(), picture = r / rows * g_.axis[1].size;
        const int64_t from = (picture + r % rows * g_.axis[1].window) * g_.axis[2].size * g_.channels;
        const int64_t to = r * results();
        if (forward_) {
          as_.read(args.in[0], from, lines, line_floats());
          fns_.relu_pool(one_, lines, bias, pooled, static_cast<uint8_t*>(args.out[1]) + to, 0, 1);
          as_.write(args.out[0], to, pooled, results());
        } else {
          as_.read(args.in[1], to, pooled, results());
          if (!whole_) std::memset(lines, 0, lines_bytes());
          fns_.relu_pool_grad(one_, static_cast<const uint8_t*>(args.in[0]) + to, pooled, lines, 0, 1);
          as_.write(args.out[0], from, lines, line_floats());
        }
      }
    });
  }
  int64_t results() const { return g_.axis[2].count() * g_.channels; }  // of a row
  int64_t line_floats() const { return g_.axis[1].window * g_.axis[2].size * g_.channels; }
  size_t lines_bytes() const { return round_to_line(static_cast<size_t>(line_floats()) * sizeof(float)); }
  size_t slot_bytes() const { return lines_bytes() + round_to_line(static_cast<size_t>(results()) * sizeof(float)); }
  size_t bias_bytes() const {
    return as_.needed() ? round_to_line(static_cast<size_t>(g_.channels) * sizeof(float)) : 0;
  }

  bool forward_, whole_ = true;
  PoolGeometry g_;
  Widening as_;
  PoolGeometry one_;  // of one row of windows
  ConvPoolFns fns_;
  int64_t rows_, grain_, pieces_, slots_;
  size_t bytes_;
};

bool is_short(DType dtype) { return dtype == bf16 || dtype == f16; }

// What does not depend on sizes is asked first: graphs of unknown sizes are judged by that.
Support supports_conv_pool(const NodeView& view) {
  const DType dtype = view.in(0).dtype;
  if (dtype != f32 && !is_short(dtype)) return Support::cannot(cat("no kernel for ", dtype));
  if (view.in(0).shape.rank() != 4) return Support::cannot("it is not over two spatial axes");
  const bool forward = view.node.op == &op::conv_relu_pool;
  const Attrs attrs = view.attrs();
  if (attrs[0] != 1) return Support::cannot("there are several groups");
  const size_t dilation = attrs.after_list(1);
  size_t window = attrs.after_list(attrs.after_list(attrs.after_list(dilation)));
  if (!forward) window = attrs.after_list(window);
  for (const int64_t each : attrs.list(dilation))
    if (each != 1) return Support::cannot("windows of the convolution have gaps");
  for (const int64_t each : attrs.list(window))
    if (each != 2) return Support::cannot("windows of the pooling are not 2 × 2");
  const Shape& filter = forward ? view.in(1).shape : view.out(0).shape;
  if (filter[0] * filter[1] * filter[2] > kMostDepth)
    return Support::cannot(cat("more than ", kMostDepth, " elements under a window"));
  const ConvPoolForm form = form_of(view);
  if (!form.conv.has_elements() || form.pool.counts() == 0) return Support::cannot("there are no elements");
  return Support::can();
}

Support supports_relu_pool(const NodeView& view) {
  const Aval& x = view.in(view.node.op == &op::relu_pool ? 0 : 1);
  if (x.dtype != f32 && !is_short(x.dtype)) return Support::cannot(cat("no kernel for ", x.dtype));
  if (x.dtype != f32 && x.shape.rank() > 4) return Support::cannot(cat("windows of ", x.dtype, " over three axes"));
  return Support::can();
}

}  // namespace

void add_conv_pool_kernels(Registry& registry) {
  registry.add(kDevice, op::conv_relu_pool, {"conv_pool", kPriority, supports_conv_pool, prepare<ConvPoolKernel>});
  registry.add(kDevice, op::conv_relu_pool_grad,
               {"conv_pool", kPriority, supports_conv_pool, prepare<ConvPoolGradKernel>});
  for (const OpDef* op : {&op::relu_pool, &op::relu_pool_grad})
    registry.add(kDevice, *op, {"relu_pool", kPriority, supports_relu_pool, prepare<ReluPoolKernel>});
}

}  // namespace brio::cpu
