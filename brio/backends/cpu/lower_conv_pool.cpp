// A convolution with its bias, ReLU and pooling, and its gradients: see conv_pool_kernels.h. Rows of pooled values
// are the pieces of work; the sums of a filter's gradient are cut by shape alone, and added in order.
#include <algorithm>
#include <cstring>

#include "brio/backends/cpu/conv_pool_kernels.h"
#include "brio/backends/cpu/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/base/error.h"
#include "brio/ops/conv_pool.h"

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
  int64_t padded_bytes() const { return row.padded_out * static_cast<int64_t>(sizeof(float)); }

  // The lines of x under a row, zeros where they reach beyond it.
  void copy_lines(const float* x, int64_t r, float* lines) const {
    const int64_t n = r / rows, top = r % rows * 2 * row.stride_h - low_h;
    const int64_t left = std::min(low_w, row.columns()), inside = std::clamp<int64_t>(width, 0, row.columns() - left);
    for (int64_t l = 0; l < row.lines(); ++l, lines += row.line) {
      const int64_t y = top + l;
      std::memset(lines, 0, static_cast<size_t>(row.line) * sizeof(float));
      if (y >= 0 && y < height)
        std::memcpy(lines + left * row.in, x + (n * height + y) * width * row.in,
                    static_cast<size_t>(inside * row.in) * sizeof(float));
    }
  }
};

class ConvPoolKernel final : public Kernel {
 public:
  explicit ConvPoolKernel(const NodeView& view) : p_(form_of(view)), fns_(find_conv_pool_fns()) {
    const double time = p_.flops_of_row() / kFlopsPerNs;
    rows_ = std::max<int64_t>(1, static_cast<int64_t>(kPieceTime / time));
    pieces_ = (p_.all_rows() + rows_ - 1) / rows_;
    slots_ = slots_for(pieces_, time * static_cast<double>(p_.all_rows()));
    description = "conv and pool in one pass";
  }
  size_t scratch_bytes() const override { return weights_bytes() + static_cast<size_t>(slots_) * p_.lines_bytes(); }
  void run(const KernelArgs& args) const override {
    const ConvPoolRow& row = p_.row;
    auto* const filter = static_cast<float*>(args.scratch);
    float* const bias = filter + row.depth() * row.padded_out;
    std::memset(filter, 0, weights_bytes());
    for (int64_t k = 0; k < row.depth(); ++k)
      std::memcpy(filter + k * row.padded_out, static_cast<const float*>(args.in[1]) + k * row.out,
                  static_cast<size_t>(row.out) * sizeof(float));
    std::memcpy(bias, args.in[2], static_cast<size_t>(row.out) * sizeof(float));
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      auto* const lines = reinterpret_cast<float*>(static_cast<char*>(args.scratch) + weights_bytes() +
                                                   static_cast<size_t>(slot) * p_.lines_bytes());
      for (int64_t r = piece * rows_; r < std::min(p_.all_rows(), (piece + 1) * rows_); ++r) {
        p_.copy_lines(static_cast<const float*>(args.in[0]), r, lines);
        const int64_t at = r * row.pooled * row.out;
        fns_.forward(row, lines, filter, bias, static_cast<float*>(args.out[0]) + at,
                     static_cast<uint8_t*>(args.out[1]) + at);
      }
    });
  }

 private:
  size_t weights_bytes() const { return static_cast<size_t>((p_.row.depth() + 1) * p_.padded_bytes()); }

  Pictures p_;
  ConvPoolFns fns_;
  int64_t rows_, pieces_, slots_;
};

class ConvPoolGradKernel final : public Kernel {
 public:
  explicit ConvPoolGradKernel(const NodeView& view) : p_(form_of(view)), fns_(find_conv_pool_fns()) {
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
      std::memset(sums(piece), 0, sums_bytes());
      for (int64_t r = piece * rows_; r < std::min(p_.all_rows(), (piece + 1) * rows_); ++r) {
        p_.copy_lines(static_cast<const float*>(args.in[0]), r, lines);
        fns_.make_tables(row, lines, tables);
        const int64_t at = r * row.pooled * row.out;
        fns_.filter_grad(row, tables, static_cast<const uint8_t*>(args.in[1]) + at,
                         static_cast<const float*>(args.in[2]) + at, sums(piece));
      }
    });
    for (int64_t k = 0; k <= row.depth(); ++k) {
      float* const to =
          k < row.depth() ? static_cast<float*>(args.out[0]) + k * row.out : static_cast<float*>(args.out[1]);
      for (int64_t c = 0; c < row.out; ++c) {
        float sum = 0;
        for (int64_t piece = 0; piece < pieces_; ++piece) sum += sums(piece)[k * row.padded_out + c];
        to[c] = sum;
      }
    }
  }

 private:
  size_t sums_bytes() const { return static_cast<size_t>((p_.row.depth() + 1) * p_.padded_bytes()); }
  size_t slot_bytes() const { return p_.lines_bytes() + p_.tables_bytes(); }

  Pictures p_;
  ConvPoolFns fns_;
  int64_t rows_, pieces_, slots_;
};

// Pooling by itself is bound by memory: rows, shared out.
class ReluPoolKernel final : public Kernel {
 public:
  explicit ReluPoolKernel(const NodeView& view)
      : forward_(view.node.op == &op::relu_pool),
        g_(relu_pool_geometry(forward_ ? view.in(0).shape : view.out(0).shape, view.attrs())),
        fns_(find_conv_pool_fns()) {
    rows_ = g_.batch * g_.axis[0].count() * g_.axis[1].count();
    const int64_t floats = g_.axis[2].count() * g_.taps() * g_.channels;  // of a row
    grain_ = std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(floats, 1));
    bytes_ = view.out(0).bytes();
    whole_ = std::ranges::all_of(g_.axis, [](const WindowAxis& axis) { return axis.size % axis.window == 0; });
    description = "relu and pool";
  }
  void run(const KernelArgs& args) const override {
    if (!forward_ && !whole_) std::memset(args.out[0], 0, bytes_);  // what is in no window
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
  bool forward_, whole_ = true;
  PoolGeometry g_;
  ConvPoolFns fns_;
  int64_t rows_, grain_;
  size_t bytes_;
};

// What does not depend on sizes is asked first: graphs of unknown sizes are judged by that.
Support supports_conv_pool(const NodeView& view) {
  if (view.in(0).dtype != f32) return Support::cannot(cat("no kernel for ", view.in(0).dtype));
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
  const DType dtype = view.in(view.node.op == &op::relu_pool ? 0 : 1).dtype;
  if (dtype != f32) return Support::cannot(cat("no kernel for ", dtype));
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
