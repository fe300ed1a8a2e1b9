// Fourier transforms of 64 rows, complex and real, by one thread and by all. Checks each against its inverse first.
//
//   cmake --build build/release --target lab_fft && build/release/lab_fft
#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench/kernels/stopwatch.h"
#include "brio/brio.h"

namespace {

using namespace brio;

double best(const std::function<Tensor()>& f) {
  return best_microseconds([&] { f().array(); });
}

}  // namespace

int main() {
  const int all = thread_count();
  for (int threads : {all, 1})  // a plan is made for the threads that there are
    for (int64_t n : {256, 1024, 4096, 1000, 1009}) {
      set_thread_count(threads);
      const Tensor x = random::normal({64, n}, {.seed = 1});
      const Tensor z = complex(x, random::normal({64, n}, {.seed = 2})), half = signal::rfft(x);
      const float error = std::max(max(abs(signal::ifft(signal::fft(z)) - z)).item<float>(),
                                   max(abs(signal::irfft(half, {n}) - x)).item<float>());
      if (!(error < 1e-5f)) {
        std::printf("wrong: %lld points differ by %g\n", static_cast<long long>(n), static_cast<double>(error));
        return 1;
      }
      std::printf("%d threads, 64 x %4lld: fft %7.1f  rfft %7.1f  irfft %7.1f us\n", threads,
                  static_cast<long long>(n), best([&] { return signal::fft(z); }),
                  best([&] { return signal::rfft(x); }), best([&] { return signal::irfft(half, {n}); }));
    }
  return 0;
}
