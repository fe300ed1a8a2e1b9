#include "brio/backends/cpu/gemm/gemm_run.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "brio/base/thread_pool.h"

namespace brio::cpu {
namespace {

constexpr double kWorthThreads = 30e3;   // nanoseconds of work that are worth waking a thread for
constexpr double kWorthClaiming = 10e3;  // nanoseconds of work that a thread takes at once

int64_t parts(int64_t total, int64_t step) { return (total + step - 1) / step; }
size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

void GemmFinish::operator()(void* c, int64_t rows, int64_t n, int64_t c_row, const void* bias) const {
  if (!bias_relu_done && (bias || relu)) apply_bias_relu(dtype, c, rows, n, c_row, bias, relu);
  if (!activation) return;
  if (c_row == n) return activation(c, c, nullptr, nullptr, static_cast<size_t>(rows * n));
  for (int64_t i = 0; i < rows; ++i) {
    void* row = advance(c, i * c_row, size_of(dtype));
    activation(row, row, nullptr, nullptr, static_cast<size_t>(n));
  }
}

GemmBatchOffset batch_offset(const GemmProblem& problem, int64_t index) {
  GemmBatchOffset offset{0, 0};
  for (size_t i = problem.batch.size(); i-- > 0;) {
    const int64_t at = index % problem.batch[i];
    index /= problem.batch[i];
    offset.a += at * problem.a_batch[i];
    offset.b += at * problem.b_batch[i];
  }
  return offset;
}

GemmPieces::GemmPieces(const GemmProblem& problem, GemmCut cut, double flops_per_nanosecond)
    : cut_(cut),
      row_pieces_(parts(problem.shape.m, cut.rows)),
      column_pieces_(parts(problem.shape.n, cut.columns)),
      pieces_(row_pieces_ * column_pieces_ * problem.batch_count) {
  const double nanoseconds = problem.flops() / flops_per_nanosecond;
  const double each = nanoseconds / static_cast<double>(pieces_);
  grain_ = std::max<int64_t>(1, static_cast<int64_t>(kWorthClaiming / each));
  slots_ = nanoseconds < kWorthThreads ? 1 : std::min<int64_t>(parts(pieces_, grain_), thread_count());
}

void GemmPieces::run_range(Piece piece, const void* f, int64_t begin, int64_t end, int64_t slot) const {
  for (int64_t i = begin; i < end; ++i) {
    // Pieces that share columns of B follow each other.
    const int64_t row = i % row_pieces_, column = i / row_pieces_ % column_pieces_;
    piece(f, i / (row_pieces_ * column_pieces_), row * cut_.rows, column * cut_.columns, slot);
  }
}

void GemmPieces::run_any(Piece piece, const void* f) const {
  if (slots_ == 1) return run_range(piece, f, 0, pieces_, 0);
  std::atomic<int64_t> next{0};
  parallel_for(slots_, 1, [&](int64_t slot, int64_t) {
    for (;;) {
      const int64_t begin = next.fetch_add(grain_, std::memory_order_relaxed);
      if (begin >= pieces_) return;
      run_range(piece, f, begin, std::min(pieces_, begin + grain_), slot);
    }
  });
}

namespace {

class EmptyGemm : public Gemm {
 public:
  void run(const void*, const void*, const void*, void*, void*) const override {}
};

// Without a sum every element of the product is zero.
class SumlessGemm : public Gemm {
 public:
  explicit SumlessGemm(const GemmProblem& problem)
      : rows_(problem.shape.m * problem.batch_count),
        n_(problem.shape.n),
        bias_(problem.bias),
        finish_{problem.dtype, false, problem.shape.relu, problem.activation} {}

  void run(const void*, const void*, const void* bias, void* c, void*) const override {
    std::memset(c, 0, static_cast<size_t>(rows_ * n_) * size_of(finish_.dtype));
    finish_(c, rows_, n_, n_, bias_ ? bias : nullptr);
  }

 private:
  int64_t rows_, n_;
  bool bias_;
  GemmFinish finish_;
};

// One call of one kernel that does everything: what tiny products run through.
class OneCallGemm : public Gemm {
 public:
  OneCallGemm(const GemmProblem& problem, const GemmKernelInfo& kernel)
      : shape_(problem.shape),
        kernel_(kernel.run),
        bias_(problem.bias),
        scratch_(kernel.scratch ? kernel.scratch(problem.shape) : 0) {}

  size_t scratch_bytes() const override { return scratch_; }
  void run(const void* a, const void* b, const void* bias, void* c, void* scratch) const override {
    kernel_(shape_, {a, b, bias_ ? bias : nullptr, c, scratch});
  }

 private:
  GemmShape shape_;
  GemmKernel kernel_;
  bool bias_;
  size_t scratch_;
};

class OwnGemm : public Gemm {
 public:
  OwnGemm(const GemmProblem& problem, const GemmKernelInfo& kernel, GemmCut cut, bool turn, bool swapped)
      : problem_(problem),
        kernel_(kernel.run),
        cut_(cut),
        turn_(turn),
        swapped_(swapped),
        finish_{problem.dtype, kernel.applies_bias_relu && !swapped, problem.shape.relu, problem.activation},
        pieces_(problem, cut, is_floating(problem.dtype) ? (problem.dtype == f64 ? 50 : 100) : 20) {
    if (swapped) problem_.shape.relu = false;  // done at the end, with the bias
    const GemmShape largest = piece_shape(0, 0);
    slot_bytes_ = kernel.scratch ? round_up(kernel.scratch(largest)) : 0;
    if (turn_)
      turned_bytes_ = round_up(static_cast<size_t>(problem.shape.n * problem.shape.k) * size_of(problem.dtype));
  }

  size_t scratch_bytes() const override { return turned_bytes_ + slot_bytes_ * static_cast<size_t>(pieces_.slots()); }

  void run(const void* a, const void* b, const void* bias, void* c, void* scratch) const override {
    if (swapped_) std::swap(a, b);
    if (!problem_.bias) bias = nullptr;
    const GemmShape& whole = problem_.shape;
    const size_t size = size_of(problem_.dtype);
    char* slots = static_cast<char*>(scratch) + turned_bytes_;
    if (turn_) {
      turn_b(problem_.dtype, b, whole.b_row, whole.b_col, whole.k, whole.n, scratch);
      b = scratch;
    }
    pieces_.run([&](int64_t batch, int64_t row, int64_t column, int64_t slot) {
      const GemmShape shape = piece_shape(row, column);
      const GemmBatchOffset offset = batch_offset(problem_, batch);
      void* piece_c = advance(c, (batch * whole.m + row) * whole.n + column, size);
      const void* piece_bias = bias && !swapped_ ? advance(bias, column, size) : nullptr;
      kernel_(shape,
              {advance(a, offset.a + row * shape.a_row, size), advance(b, offset.b + column * shape.b_col, size),
               piece_bias, piece_c, slots + static_cast<size_t>(slot) * slot_bytes_});
      if (!swapped_) finish_(piece_c, shape.m, shape.n, shape.c_row, piece_bias);
    });
    if (swapped_) finish_swapped(c, bias);
  }

 private:
  GemmShape piece_shape(int64_t row, int64_t column) const {
    GemmShape shape = problem_.shape;
    shape.m = std::min(cut_.rows, shape.m - row);
    shape.n = std::min(cut_.columns, shape.n - column);
    if (turn_) {
      shape.b_row = 1;
      shape.b_col = shape.k;
    }
    return shape;
  }

  // C is a vector: m × 1 for the caller when it is 1 × m here, and the other way round.
  void finish_swapped(void* c, const void* bias) const {
    const int64_t rows = problem_.shape.n * problem_.batch_count, n = problem_.shape.m;
    finish_(c, rows, n, n, bias);
  }

  GemmProblem problem_;
  GemmKernel kernel_;
  GemmCut cut_;
  bool turn_, swapped_;
  GemmFinish finish_;
  GemmPieces pieces_;
  size_t slot_bytes_ = 0, turned_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Gemm> make_empty_gemm() { return std::make_unique<EmptyGemm>(); }

std::unique_ptr<Gemm> make_sumless_gemm(const GemmProblem& problem) { return std::make_unique<SumlessGemm>(problem); }

std::unique_ptr<Gemm> make_own_gemm(const GemmProblem& problem, const GemmKernelInfo& kernel, GemmCut cut,
                                    bool turn_b, bool swapped) {
  const bool one_piece = problem.batch_count == 1 && cut.rows >= problem.shape.m && cut.columns >= problem.shape.n;
  if (one_piece && !turn_b && !swapped && kernel.applies_bias_relu && !problem.activation)
    return std::make_unique<OneCallGemm>(problem, kernel);
  return std::make_unique<OwnGemm>(problem, kernel, cut, turn_b, swapped);
}

}  // namespace brio::cpu
