// Between the choice (gemm_choice.cpp) and the kernels: a problem in normal form, and the Gemm objects that cut it
// into pieces, spread them over the threads and finish them with bias and activation. Private to this room.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "brio/backends/cpu/gemm/gemm.h"
#include "brio/backends/cpu/gemm/gemm_kernels.h"

namespace brio::cpu {

struct GemmProblem {
  DType dtype;
  GemmShape shape;  // c_row is n; relu as the epilogue says
  std::vector<int64_t> batch, a_batch, b_batch;
  int64_t batch_count;
  bool bias;
  void (*activation)(void* out, const void* a, const void* b, const void* c, size_t n);  // null for none and relu

  double flops() const {
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) *
           static_cast<double>(batch_count);
  }
};

// Adds bias and applies relu and activation, what of these is left to do, to rows × n of C.
struct GemmFinish {
  DType dtype;
  bool bias_relu_done;
  bool relu;
  void (*activation)(void* out, const void* a, const void* b, const void* c, size_t n);

  void operator()(void* c, int64_t rows, int64_t n, int64_t c_row, const void* bias) const;
};

// How C is cut: depends on the problem alone, never on the number of threads.
struct GemmCut {
  int64_t rows, columns;
};

// Where one element of the batch begins, in elements.
struct GemmBatchOffset {
  int64_t a, b;
};
GemmBatchOffset batch_offset(const GemmProblem& problem, int64_t index);

template <typename P>
P* advance(P* pointer, int64_t elements, size_t size) {
  using Byte = std::conditional_t<std::is_const_v<P>, const char, char>;
  return static_cast<Byte*>(pointer) + elements * static_cast<int64_t>(size);
}

// Calls piece(batch, first row, first column, slot) for every piece of every product, on several threads where
// that pays; pieces that run at the same time have different slots.
class GemmPieces {
 public:
  GemmPieces() = default;
  GemmPieces(const GemmProblem& problem, GemmCut cut, double flops_per_nanosecond);

  int64_t slots() const { return slots_; }

  template <typename F>
  void run(const F& piece) const {
    run_any([](const void* f, int64_t batch, int64_t row, int64_t column,
               int64_t slot) { (*static_cast<const F*>(f))(batch, row, column, slot); },
            &piece);
  }

 private:
  using Piece = void (*)(const void* f, int64_t batch, int64_t row, int64_t column, int64_t slot);
  void run_any(Piece piece, const void* f) const;
  void run_range(Piece piece, const void* f, int64_t begin, int64_t end, int64_t slot) const;

  GemmCut cut_{1, 1};
  int64_t row_pieces_ = 0, column_pieces_ = 0, pieces_ = 0, grain_ = 1, slots_ = 1;
};

std::unique_ptr<Gemm> make_empty_gemm();                              // C has no elements
std::unique_ptr<Gemm> make_sumless_gemm(const GemmProblem& problem);  // k is 0

// `turn_b`: B is transposed into scratch first, for the dot kernel.
// `swapped`: the problem is the transpose of the caller's, whose C is a vector: A and B have changed places.
std::unique_ptr<Gemm> make_own_gemm(const GemmProblem& problem, const GemmKernelInfo& kernel, GemmCut cut,
                                    bool turn_b, bool swapped);

}  // namespace brio::cpu
