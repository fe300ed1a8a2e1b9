// What a Fourier transform of one length needs besides its data: how the length is taken apart, and tables of roots
// of unity. Made when a kernel is prepared.
//
// The unit of work is a transform of `lanes` columns at once, one per lane of a vector, so that nothing is shuffled
// inside a transform. Three ways lead to it:
//   lanes  short rows: as many rows as there are lanes are turned into columns
//   split  n = a·b with both at least `lanes`: the row is seen as a matrix [a, b]. It has b columns of a points;
//          after these are transformed, multiplied by roots and turned, the matrix has a columns of b points,
//          which are transformed, too
//   chirp  a length with a large prime factor: a convolution with e^(iπk²/n) (Bluestein), by transforms of a length
//          that splits
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace brio::cpu {

// One pass over the points of Stockham's algorithm, seen as [radix, m, s]: for each of m·s a transform of `radix`
// points, whose results go to [m, radix, s], multiplied by roots.
template <typename T>
struct FftStage {
  int64_t radix, m, s;
  std::vector<T> twiddles;  // [m][radix - 1] pairs: e^(-2πi·p·j / (radix·m))
  std::vector<T> roots;     // of a radix without code of its own: `radix` pairs
};

template <typename T>
struct FftCore {
  int64_t n = 1;
  std::vector<FftStage<T>> stages;
};

template <typename T>
struct FftPlan {
  enum class Way { lanes, split, chirp };

  FftPlan(int64_t n, int64_t lanes);
  int64_t group() const { return way == Way::lanes ? lanes : 1; }  // rows that are transformed together
  int64_t scratch() const;                                         // numbers that a group needs

  int64_t n, lanes;
  Way way;
  FftCore<T> first, second;  // second: for split
  std::vector<T> turn;       // split: e^(-2πi·j·p / n), [first.n][second.n] real parts and as many imaginary ones
  std::vector<T> chirp;      // n pairs: e^(-iπk²/n)
  std::vector<T> spectrum;   // of the conjugate chirp, scaled: pairs
  std::unique_ptr<FftPlan> convolution;  // of the padded length
};

// Of one row that is real: with h = n / 2, e^(-2πi·k / n) for k ≤ h / 2, as pairs.
template <typename T>
std::vector<T> real_row_roots(int64_t n);

// The vectorised parts, for the instruction set at hand.
template <typename T>
struct FftFunctions {
  int64_t lanes;
  // Transforms plan.group() rows at most; strides between rows count numbers, not pairs. `swap`: the inverse, whose
  // parts change places on the way in and out.
  void (*rows)(const FftPlan<T>& plan, const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t count,
               bool swap, T scale, T* scratch);
  // z, the transform of h pairs of real numbers, becomes that of the 2h numbers: h + 1 pairs, in place.
  void (*split_real)(T* z, int64_t h, const T* roots);
  // The other way round, from h + 1 pairs at x to h pairs at z, twice as large.
  void (*join_real)(const T* x, T* z, int64_t h, const T* roots);
};
template <typename T>
FftFunctions<T> fft_functions();

}  // namespace brio::cpu
