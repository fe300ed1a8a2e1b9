// Attention, forward and with its gradient, causal and not, beside its plain form. Checks the two against each other
// first.
//
//   cmake --build build/release --target lab_attention && build/release/lab_attention
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <functional>

#include "brio/brio.h"

namespace {

using namespace brio;

double best_milliseconds(const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  const auto start = Clock::now();
  for (int n = 0; n < 3 || Clock::now() - start < std::chrono::milliseconds(500); ++n) {
    const auto before = Clock::now();
    f();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - before).count());
  }
  return best;
}

using Attend = std::function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v)>;

std::vector<Tensor> step(const Attend& attend, const std::vector<Tensor>& x) {
  GradientTape tape;
  for (size_t i = 0; i < 3; ++i) tape.watch(x[i]);
  const Tensor loss = sum(attend(x[0], x[1], x[2]) * x[3]);
  return tape.gradient(loss, {x[0], x[1], x[2]});
}

}  // namespace

int main() {
  for (const Shape& shape : {Shape{8, 128, 8, 64}, Shape{2, 1024, 8, 64}}) {
    std::vector<Tensor> x;
    for (uint64_t seed : {1, 2, 3, 4}) {
      x.push_back(random::normal(shape, {.seed = seed}));
      x.back().array();
    }
    for (bool causal : {false, true}) {
      const Attend fused = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
        return scaled_dot_product_attention(q, k, v, {.causal = causal});
      };
      const Attend plain = [&](const Tensor& q, const Tensor& k, const Tensor& v) {
        const int64_t attrs[] = {0, 0, causal, std::bit_cast<int64_t>(0.125), 0, 0};
        const std::vector<Tensor> in = {q, k, v};
        return op::scaled_dot_product_attention.plain(in, Attrs(attrs))[0];
      };
      const std::vector<Tensor> a = step(fused, x), b = step(plain, x);
      for (size_t i = 0; i < 3; ++i) {
        const float error = max(abs(a[i] - b[i])).item<float>();
        if (!(error < 1e-4f)) {
          std::printf("wrong: gradient %zu differs by %g\n", i, static_cast<double>(error));
          return 1;
        }
      }
      std::printf("%s%s:", shape.str().c_str(), causal ? " causal" : "");
      for (const auto& [name, attend] : {std::pair<const char*, Attend>{"fused", fused}, {"plain", plain}}) {
        const double forward = best_milliseconds([&] { attend(x[0], x[1], x[2]).array(); });
        const double both = best_milliseconds([&] {
          for (const Tensor& g : step(attend, x)) g.array();
        });
        std::printf("  %s %.2f, with gradient %.2f ms", name, forward, both);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
}
