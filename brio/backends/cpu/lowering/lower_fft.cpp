// fft, rfft and irfft: rows by the plans of fft_plan.h.
//
// A real row of even length is transformed as half as many complex numbers, which its memory already is; one of odd
// length as a complex row without imaginary parts.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "brio/backends/cpu/fft/fft_plan.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/base/error.h"
#include "brio/base/isa.h"
#include "brio/ops/signal/fft.h"
#include "brio/tensor/complex.h"

namespace brio::cpu {
namespace {

constexpr double kNanosecondsPerStep = 0.15;  // of n·log2(n) for one row
constexpr int64_t kPieceNumbers = 4096;       // short rows are handed out in pieces of about so many

template <typename T>
class FftKernel final : public Kernel {
 public:
  explicit FftKernel(const NodeView& view)
      : real_in_(view.node.op == &op::rfft),
        real_out_(view.node.op == &op::irfft),
        inverse_(real_out_ || (view.node.op == &op::fft && fft_is_inverse(view.attrs()))),
        n_(last(view, real_in_)),
        halved_((real_in_ || real_out_) && n_ % 2 == 0),
        functions_(fft_functions<T>()),
        plan_(std::max<int64_t>(1, halved_ ? n_ / 2 : n_), functions_.lanes) {
    const Shape& shape = real_in_ ? view.in(0).shape : view.out(0).shape;
    rows_ = n_ == 0 ? Size(0) : shape.elements() / n_;
    if (fft_is_scaled(view.attrs())) scale_ = static_cast<T>(1 / static_cast<double>(n_));
    if (halved_) roots_ = real_row_roots<T>(n_);
    // Rows that are no complex ones as they lie: copies of a group, in and out.
    const bool copies_in = real_out_ || (real_in_ && !halved_), copies_out = (real_in_ || real_out_) && !halved_;
    const int64_t group = plan_.group();
    copy_in_ = copies_in ? 2 * plan_.n * group : 0;
    copy_out_ = copies_out ? 2 * plan_.n * group : 0;
    piece_ = std::max<int64_t>(1, kPieceNumbers / std::max<int64_t>(1, n_ * group)) * group;
    pieces_ = (rows_ + piece_ - 1) / piece_;
    const auto points = static_cast<double>(n_);
    slots_ = slots_for(pieces_, static_cast<double>(rows_) * points * std::log2(points + 1) * kNanosecondsPerStep);
    slot_bytes_ = round_to_line(static_cast<size_t>(copy_in_ + copy_out_ + plan_.scratch()) * sizeof(T));
    using Way = typename FftPlan<T>::Way;
    description = cat("fft ", isa_name(),
                      plan_.way == Way::lanes   ? " rows in lanes"
                      : plan_.way == Way::split ? cat(" ", plan_.first.n, " x ", plan_.second.n)
                                                : cat(" by a convolution of ", plan_.convolution->n));
  }
  size_t scratch_bytes() const override { return slot_bytes_ * static_cast<size_t>(slots_); }

  void run(const KernelArgs& args) const override {
    const T* const in = static_cast<const T*>(args.in[0]);
    T* const out = static_cast<T*>(args.out[0]);
    run_pieces(pieces_, slots_, [&](int64_t piece, int64_t slot) {
      T* scratch = reinterpret_cast<T*>(static_cast<char*>(args.scratch) + slot_bytes_ * static_cast<size_t>(slot));
      const int64_t end = std::min(rows_, (piece + 1) * piece_);
      for (int64_t row = piece * piece_; row < end; row += plan_.group())
        run_group(in + row * in_width(), out + row * out_width(), std::min(plan_.group(), end - row), scratch);
    });
  }

 private:
  static int64_t last(const NodeView& view, bool real_in) {
    const Shape& shape = real_in ? view.in(0).shape : view.out(0).shape;
    return shape[shape.rank() - 1];
  }
  // Numbers in a row.
  int64_t in_width() const { return real_in_ ? n_ : real_out_ ? 2 * (n_ / 2 + 1) : 2 * n_; }
  int64_t out_width() const { return real_out_ ? n_ : real_in_ ? 2 * (n_ / 2 + 1) : 2 * n_; }

  void run_group(const T* in, T* out, int64_t count, T* scratch) const {
    T *const in_copy = scratch, *const out_copy = scratch + copy_in_, *const space = out_copy + copy_out_;
    const int64_t own = 2 * plan_.n;
    if (copy_in_)
      for (int64_t row = 0; row < count; ++row) make_complex(in + row * in_width(), in_copy + row * own);
    functions_.rows(plan_, copy_in_ ? in_copy : in, copy_in_ ? own : in_width(), copy_out_ ? out_copy : out,
                    copy_out_ ? own : out_width(), count, inverse_, scale_, space);
    for (int64_t row = 0; row < count; ++row) {
      T* const to = out + row * out_width();
      if (copy_out_) take_real(out_copy + row * own, to);
      else if (real_in_) functions_.split_real(to, plan_.n, roots_.data());
    }
  }

  void make_complex(const T* in, T* row) const {
    if (halved_) return functions_.join_real(in, row, plan_.n, roots_.data());
    for (int64_t i = 0; i < n_; ++i) {
      const bool mirrored = real_out_ && i > n_ / 2;
      const T* x = in + (real_in_ ? i : 2 * (mirrored ? n_ - i : i));
      row[2 * i] = *x;
      row[2 * i + 1] = real_in_ || i == 0 ? T{0} : mirrored ? -x[1] : x[1];
    }
  }
  void take_real(const T* row, T* out) const {
    if (real_in_) std::memcpy(out, row, static_cast<size_t>(out_width()) * sizeof(T));
    else
      for (int64_t i = 0; i < n_; ++i) out[i] = row[2 * i];
  }

  bool real_in_, real_out_, inverse_;
  int64_t n_;
  bool halved_;
  FftFunctions<T> functions_;
  FftPlan<T> plan_;
  std::vector<T> roots_;
  T scale_ = 1;
  int64_t rows_, piece_, pieces_, slots_, copy_in_, copy_out_;
  size_t slot_bytes_;
};

std::unique_ptr<Kernel> prepare_fft(const NodeView& view) {
  if (real_dtype(view.in(0).dtype) == f32) return std::make_unique<FftKernel<float>>(view);
  return std::make_unique<FftKernel<double>>(view);
}

}  // namespace

void add_fft_kernels(Registry& registry) {
  for (const OpDef* op : {&op::fft, &op::rfft, &op::irfft})
    registry.add(kDevice, *op, {"fft", kPriority, always, prepare_fft});
}

}  // namespace brio::cpu
