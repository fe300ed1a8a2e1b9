// Linear algebra: what a call costs, for batches of small matrices and for large ones. Checks a · a⁻¹ first.
//
//   cmake --build build/release --target lab_linalg && build/release/lab_linalg
#include <algorithm>
#include <cmath>
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
      std::printf("  %s %.0f", name, best(f));
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
