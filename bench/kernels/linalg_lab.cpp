// Linear algebra: what a call costs, for batches of small matrices and for large ones. Checks a · a⁻¹ first.
//
//   cmake --build build/release --target lab_linalg && build/release/lab_linalg
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

#include "brio/brio.h"

namespace {

using namespace brio;

double best_microseconds(const std::function<Tensor()>& f) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  const auto start = Clock::now();
  for (int n = 0; n < 3 || Clock::now() - start < std::chrono::milliseconds(300); ++n) {
    const auto before = Clock::now();
    f().array();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  return best;
}

}  // namespace

int main() {
  for (const auto& [batch, n] :
       {std::pair<int64_t, int64_t>{1000, 4}, {1000, 8}, {1000, 16}, {1, 64}, {1, 256}, {1, 1024}}) {
    const Tensor x = random::uniform({batch, n, n}, {.low = -1, .high = 1, .seed = 1});
    const Tensor a = x + constant(2.0 * static_cast<double>(n), f32) * eye(n),
                 b = random::uniform({batch, n, 1}, {.seed = 2});
    const Tensor symmetric = a + linalg::matrix_transpose(a);
    for (const Tensor& t : {x, a, b, symmetric}) t.array();
    const float error = max(abs(matmul(a, linalg::inv(a)) - eye(n))).item<float>();
    if (!(error < 1e-4f)) {
      std::printf("wrong: a · inv(a) differs from 1 by %g\n", static_cast<double>(error));
      return 1;
    }
    std::printf("%5ld x %4ld:", batch, n);
    const auto show = [](const char* name, const std::function<Tensor()>& f) {
      std::printf("  %s %.0f", name, best_microseconds(f));
      std::fflush(stdout);
    };
    show("cholesky", [&] { return linalg::cholesky(symmetric); });
    show("solve", [&] { return linalg::solve(a, b); });
    show("inv", [&] { return linalg::inv(a); });
    show("det", [&] { return linalg::det(a); });
    show("qr", [&] { return linalg::qr(x).q; });
    show("svd", [&] { return linalg::svd(x).u; });
    show("eigh", [&] { return linalg::eigh(symmetric).v; });
    std::printf(" us\n");
  }
}
