#include "brio/backends/cpu/fft/fft_plan.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace brio::cpu {
namespace {

constexpr int64_t kLargestRadix = 47;       // of a length with a larger prime factor a convolution is made
constexpr int64_t kLargestSplitRadix = 13;  // so that both parts of a split have two stages at least
constexpr int64_t kSmallestPart = 16;       // of a split: fills the vectors that there are, and takes two stages
constexpr int64_t kShortRow = 128;          // up to here rows are turned into columns

// e^(-2πi·k/n), from an angle in the first eighth of the circle, where sine and cosine are exact to the last bit or
// so.
std::complex<double> root(int64_t k, int64_t n) {
  k %= n;
  const bool lower = 2 * k > n;  // mirrored at the real axis
  if (lower) k = n - k;
  const bool left = 4 * k > n;  // at the imaginary one
  if (left) k = n - 2 * k;      // in halves: angles count 2n to the circle from here on
  else k = 2 * k;
  const bool steep = 4 * k > n;  // at the diagonal
  const double angle = std::numbers::pi * static_cast<double>(steep ? n - 2 * k : 2 * k) / static_cast<double>(2 * n);
  double c = std::cos(angle), s = std::sin(angle);
  if (steep) std::swap(c, s);
  return {left ? -c : c, lower ? s : -s};
}

template <typename T>
void push(std::vector<T>& pairs, std::complex<double> z) {
  pairs.push_back(static_cast<T>(z.real()));
  pairs.push_back(static_cast<T>(z.imag()));
}

// Large radices first: fewer passes. 8 takes more registers than most have, but saves a pass over the points.
std::vector<int64_t> radices(int64_t n) {
  std::vector<int64_t> list;
  for (; n % 8 == 0 && n != 16; n /= 8) list.push_back(8);
  for (int64_t r : {4, 2}) {
    for (; n % r == 0; n /= r) list.push_back(r);
  }
  for (int64_t r = 3; n > 1; r += 2) {
    for (; n % r == 0; n /= r) list.push_back(r);
  }
  return list;
}

int64_t largest_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t r = 2; r * r <= n; ++r)
    for (; n % r == 0; n /= r) largest = r;
  return std::max(largest, n);
}

template <typename T>
FftCore<T> make_core(int64_t n) {
  FftCore<T> core;
  core.n = n;
  int64_t s = 1, left = n;
  for (int64_t radix : radices(n)) {
    left /= radix;
    FftStage<T> stage{radix, left, s, {}, {}};
    for (int64_t p = 0; p < left; ++p)
      for (int64_t j = 1; j < radix; ++j) push(stage.twiddles, root(p * j, radix * left));
    for (int64_t j = 0; j < radix; ++j) push(stage.roots, root(j, radix));
    core.stages.push_back(std::move(stage));
    s *= radix;
  }
  return core;
}

// The divisor nearest to the square root from below; 1 if there is none that both parts could be.
int64_t split_of(int64_t n) {
  if (largest_factor(n) > kLargestSplitRadix) return 1;
  for (auto a = static_cast<int64_t>(std::sqrt(static_cast<double>(n))); a >= kSmallestPart; --a)
    if (n % a == 0) return a;
  return 1;
}

// The length of the convolution: at least so long, and of whole vectors however it is split.
int64_t padded_length(int64_t least) {
  constexpr int64_t step = kSmallestPart * kSmallestPart;
  for (int64_t m = (least + step - 1) / step * step;; m += step)
    if (largest_factor(m) <= 5) return m;
}

}  // namespace

template <typename T>
FftPlan<T>::FftPlan(int64_t length, int64_t vector_lanes) : n(length), lanes(vector_lanes) {
  const int64_t a = n > kShortRow ? split_of(n) : 1;
  if (a > 1) {
    way = Way::split;
    first = make_core<T>(a);
    second = make_core<T>(n / a);
    turn.resize(static_cast<size_t>(2 * n));
    for (int64_t j = 0; j < a; ++j)
      for (int64_t p = 0; p < n / a; ++p) {
        const std::complex<double> z = root(j * p, n);
        turn[static_cast<size_t>(j * (n / a) + p)] = static_cast<T>(z.real());
        turn[static_cast<size_t>(n + j * (n / a) + p)] = static_cast<T>(z.imag());
      }
  } else if (largest_factor(n) <= kLargestRadix) {
    way = Way::lanes;
    first = make_core<T>(n);
  } else {
    way = Way::chirp;
    const int64_t m = padded_length(2 * n - 1);
    convolution = std::make_unique<FftPlan>(m, lanes);
    std::vector<T> wave(static_cast<size_t>(2 * m));
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {  // k² mod 2n
      const std::complex<double> z = root(square, 2 * n);
      push(chirp, z);
      for (const int64_t at : {k, (m - k) % m}) {
        wave[static_cast<size_t>(2 * at)] = static_cast<T>(z.real());
        wave[static_cast<size_t>(2 * at + 1)] = static_cast<T>(-z.imag());
      }
    }
    spectrum.resize(wave.size());
    std::vector<T> space(static_cast<size_t>(convolution->scratch()));
    fft_functions<T>().rows(*convolution, wave.data(), 0, spectrum.data(), 0, 1, false,
                            static_cast<T>(1.0 / static_cast<double>(m)), space.data());
  }
}

template <typename T>
int64_t FftPlan<T>::scratch() const {
  switch (way) {
    case Way::lanes: return 4 * n * lanes;
    case Way::split: return 2 * n + 4 * std::max(first.n, second.n) * lanes;
    case Way::chirp: return 4 * convolution->n + convolution->scratch();
  }
  __builtin_unreachable();
}

template <typename T>
std::vector<T> real_row_roots(int64_t n) {
  std::vector<T> roots;
  for (int64_t k = 0; k <= n / 4; ++k) push(roots, root(k, n));
  return roots;
}

template struct FftPlan<float>;
template struct FftPlan<double>;
template std::vector<float> real_row_roots<float>(int64_t n);
template std::vector<double> real_row_roots<double>(int64_t n);

}  // namespace brio::cpu
