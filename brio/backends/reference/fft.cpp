// Fourier transforms by their definition.
#include "brio/ops/signal/fft.h"

#include <numbers>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

using Z = std::complex<double>;

// Σ x(i)·e^(∓2πi·i·k/n) over i < n.
template <typename X>
Z sum_of_waves(int64_t n, int64_t k, bool inverse, const X& x) {
  Z sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n);
    sum += product(x(i), std::polar(1.0, inverse ? angle : -angle));
  }
  return sum;
}

int64_t last(const Shape& shape) { return shape[shape.rank() - 1]; }
int64_t row_count(const Shape& shape) { return last(shape) ? shape.elements() / last(shape) : Size(0); }
double scale_of(const Call& call, int64_t n) { return fft_is_scaled(call.attrs) ? 1 / static_cast<double>(n) : 1; }

void run_fft(const Call& call) {
  const int64_t n = last(call.in_shape(0)), rows = row_count(call.in_shape(0));
  visit_complex(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < n; ++k)
        call.out<T>()[row * n + k] =
            T(scale_of(call, n) * sum_of_waves(n, k, fft_is_inverse(call.attrs),
                                               [&](int64_t i) { return Z(call.in<T>(0)[row * n + i]); }));
  });
}

void run_rfft(const Call& call) {
  const int64_t n = last(call.in_shape(0)), rows = row_count(call.in_shape(0)), width = n / 2 + 1;
  visit_complex(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < width; ++k)
        call.out<T>()[row * width + k] = T(scale_of(call, n) * sum_of_waves(n, k, false, [&](int64_t i) {
                                             return Z(call.in<typename T::value_type>(0)[row * n + i]);
                                           }));
  });
}

// The other half of the spectrum is the conjugate of the first, so that the sum is real.
void run_irfft(const Call& call) {
  const int64_t n = call.attrs.extents(1)[0], width = n / 2 + 1, rows = row_count(call.in_shape(0));
  visit_complex(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    using Part = typename T::value_type;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < n; ++k) {
        const Z sum = sum_of_waves(n, k, true, [&](int64_t i) {
          const Z x = Z(call.in<T>(0)[row * width + (i < width ? i : n - i)]);
          return i == 0 || 2 * i == n ? Z(x.real()) : i < width ? x : std::conj(x);
        });
        call.out<Part>()[row * n + k] = static_cast<Part>(scale_of(call, n) * sum.real());
      }
  });
}

}  // namespace

void add_fft(Registry& r) {
  add<run_fft>(r, op::fft);
  add<run_rfft>(r, op::rfft);
  add<run_irfft>(r, op::irfft);
}

}  // namespace brio::reference
