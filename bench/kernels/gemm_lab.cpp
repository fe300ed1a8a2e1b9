// Lab for matrix products: every implementation that can do a shape is first compared with plain loops, then timed.
//
//   lab_gemm [peak|small|wide|square|thin|f64|bf16|all]
//
// Columns: GFLOP/s of the chosen implementation and of each candidate, best of many short runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <hwy/highway.h>

#include "brio/backends/cpu/gemm/gemm.h"
#include "brio/backends/cpu/gemm/gemm_kernels.h"
#include "brio/backends/cpu/gemm/gemm_onednn.h"
#include "brio/backends/cpu/gemm/gemm_run.h"
#include "brio/backends/cpu/onednn.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"

#ifdef BRIO_LAB_LIBXSMM
#include <libxsmm.h>
#endif

namespace {

using namespace brio;
using namespace brio::cpu;

double seconds(const std::function<void()>& f, double budget = 0.25) {
  clockid_t clock = CLOCK_MONOTONIC;
  auto now = [&] {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  f();
  double begin = now();
  f();
  const double once = std::max(now() - begin, 1e-9);
  // A long run on one thread is measured by its own time, so that other programs on the machine disturb little.
  if (once > 1e-4 && thread_count() == 1) clock = CLOCK_THREAD_CPUTIME_ID;
  const int repeat = static_cast<int>(std::max(1.0, 2e-4 / once));
  double best = 1e9;
  for (const double end = now() + budget; now() < end;) {
    begin = now();
    for (int i = 0; i < repeat; ++i) f();
    best = std::min(best, (now() - begin) / repeat);
  }
  return best;
}

// The rate of independent multiply-adds that never leave the registers.
#if defined(__x86_64__)
#define BRIO_LAB_TEN(op)                                                                            \
  op " %11,%10,%0\n" op " %11,%10,%1\n" op " %11,%10,%2\n" op " %11,%10,%3\n" op " %11,%10,%4\n" op \
     " %11,%10,%5\n" op " %11,%10,%6\n" op " %11,%10,%7\n" op " %11,%10,%8\n" op " %11,%10,%9\n"
#define BRIO_LAB_FMA_LOOP(name, isa, bytes, T, op)                                                             \
  __attribute__((target(isa), noinline)) void name(int64_t rounds) {                                           \
    typedef T V __attribute__((vector_size(bytes)));                                                           \
    V a0{}, a1{}, a2{}, a3{}, a4{}, a5{}, a6{}, a7{}, a8{}, a9{}, m = a0 + T(0.5), c = a0 + T(1);              \
    for (int64_t i = 0; i < rounds; ++i)                                                                       \
      asm volatile(BRIO_LAB_TEN(op)                                                                            \
                   : "+v"(a0), "+v"(a1), "+v"(a2), "+v"(a3), "+v"(a4), "+v"(a5), "+v"(a6), "+v"(a7), "+v"(a8), \
                     "+v"(a9)                                                                                  \
                   : "v"(m), "v"(c));                                                                          \
  }
BRIO_LAB_FMA_LOOP(fma_f32_512, "avx512f", 64, float, "vfmadd213ps")
BRIO_LAB_FMA_LOOP(fma_f64_512, "avx512f", 64, double, "vfmadd213pd")
BRIO_LAB_FMA_LOOP(fma_f32_256, "avx2,fma", 32, float, "vfmadd213ps")
BRIO_LAB_FMA_LOOP(fma_f64_256, "avx2,fma", 32, double, "vfmadd213pd")
#endif

double peak_gflops(DType dtype) {
#if defined(__x86_64__)
  constexpr int64_t rounds = 20000;
  const double lanes = static_cast<double>(gemm_target_facts().vector_bytes) / static_cast<double>(size_of(dtype));
  const bool wide = gemm_target_facts().vector_bytes == 64;
  const auto loop = dtype == f64 ? (wide ? fma_f64_512 : fma_f64_256) : (wide ? fma_f32_512 : fma_f32_256);
  const double t = seconds([&] { loop(rounds); });
  return 20.0 * lanes * rounds / t * 1e-9;
#else
  (void)dtype;
  return 0;
#endif
}

struct Buffer {
  explicit Buffer(size_t bytes) : data(::operator new(bytes + 64, std::align_val_t(64))) {
    std::memset(data, 0, bytes + 64);
  }
  ~Buffer() { ::operator delete(data, std::align_val_t(64)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data;
};

struct Shape {
  const char* what;
  int64_t m, n, k;
  bool a_turned = false, b_turned = false, bias_relu = false;
  DType dtype = f32;
};

struct Candidate {
  std::string name;
  std::unique_ptr<Gemm> gemm;
};

GemmSpec spec_of(const Shape& s) {
  return {.dtype = s.dtype,
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .a_row = s.a_turned ? 1 : s.k,
          .a_col = s.a_turned ? s.m : 1,
          .b_row = s.b_turned ? 1 : s.n,
          .b_col = s.b_turned ? s.k : 1,
          .bias = s.bias_relu,
          .epilogue = s.bias_relu ? Epilogue::relu : Epilogue::none};
}

GemmProblem problem_of(const GemmSpec& g) {
  return {.dtype = g.dtype,
          .shape = {g.m, g.n, g.k, g.a_row, g.a_col, g.b_row, g.b_col, g.n, g.epilogue == Epilogue::relu},
          .batch = {},
          .a_batch = {},
          .b_batch = {},
          .batch_count = 1,
          .bias = g.bias,
          .activation = nullptr};
}

std::vector<Candidate> candidates(const Shape& s) {
  const GemmSpec spec = spec_of(s);
  const GemmProblem problem = problem_of(spec);
  const GemmCut whole{s.m, s.n}, tiles{std::min<int64_t>(s.m, 256), std::min<int64_t>(s.n, 512)};
  const GemmCut stripes{s.m, std::max<int64_t>(64, (s.n / 2 + 63) / 64 * 64)};
  std::vector<Candidate> list;
  list.push_back({"chosen", Gemm::prepare(spec)});
  auto own = [&](const char* name, const GemmKernelInfo& kernel, GemmCut cut, bool turn = false) {
    if (kernel.run) list.push_back({name, make_own_gemm(problem, kernel, cut, turn, false)});
  };
  const double work = static_cast<double>(s.m * s.n) * static_cast<double>(s.k);
  if (work < 5000) own("tiny", tiny_gemm_kernel(s.dtype, s.k), whole);
  if (work < 3e8) own("direct", direct_gemm_kernel(s.dtype), whole);
  if (s.n <= 16 && !s.a_turned)
    own("dot", dot_gemm_kernel(s.dtype), {std::max<int64_t>(4, s.m / 4), s.n}, s.b_turned ? false : s.n > 1);
  if (s.m <= 8 && !s.b_turned) own("axpy", axpy_gemm_kernel(s.dtype), {s.m, std::max<int64_t>(64, s.n / 4)});
  if (s.n <= 16 && s.a_turned) own("turned", turned_gemm_kernel(s.dtype), {std::max<int64_t>(64, s.m / 4), s.n});
  own("blocked", blocked_gemm_kernel(s.dtype), tiles);
  std::string why;
  for (const auto& [name, cut] :
       {std::pair{"dnn tiles", tiles}, std::pair{"dnn halves", stripes}, std::pair{"dnn whole", whole}})
    if (auto gemm = make_onednn_gemm(problem, cut, why)) list.push_back({name, std::move(gemm)});
  return list;
}

#ifdef BRIO_LAB_LIBXSMM
// libxsmm is column-major: C' = B' · A' computes our row-major C = A · B. Transposed operands only where its JIT can.
std::function<void()> libxsmm_call(const Shape& s, const float* a, const float* b, float* c) {
  if (s.dtype != f32 || s.m * s.n * s.k > 128 * 128 * 128) return nullptr;
  const int flags = (s.b_turned ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) | (s.a_turned ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const auto m = static_cast<libxsmm_blasint>(s.n), n = static_cast<libxsmm_blasint>(s.m),
             k = static_cast<libxsmm_blasint>(s.k);
  const libxsmm_blasint lda = s.b_turned ? k : m, ldb = s.a_turned ? n : k, ldc = m;
  const float one = 1, zero = 0;
  const auto kernel = libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &one, &zero, &flags, nullptr);
  if (!kernel) return nullptr;
  return [=] { kernel(b, a, c); };
}
#endif

template <typename T>
void measure(const Shape& s, double peak) {
  std::mt19937 generator(1);
  auto fill = [&](Buffer& buffer, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<T*>(buffer.data)[i] = T(static_cast<float>(generator() % 2001) / 1000.0f - 1.0f);
  };
  const size_t size = sizeof(T);
  Buffer a(static_cast<size_t>(s.m * s.k) * size), b(static_cast<size_t>(s.k * s.n) * size),
      bias(static_cast<size_t>(s.n) * size);
  Buffer c(static_cast<size_t>(s.m * s.n) * size);
  fill(a, s.m * s.k), fill(b, s.k * s.n), fill(bias, s.n);
  const GemmSpec spec = spec_of(s);
  const double flops = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k);

  auto check = [&](const char* name, bool with_bias) {
    std::mt19937 pick(2);
    for (int sample = 0; sample < 200; ++sample) {
      const int64_t i = static_cast<int64_t>(pick()) % s.m, j = static_cast<int64_t>(pick()) % s.n;
      double sum = 0, magnitude = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        const double term = static_cast<double>(static_cast<T*>(a.data)[i * spec.a_row + p * spec.a_col]) *
                            static_cast<double>(static_cast<T*>(b.data)[p * spec.b_row + j * spec.b_col]);
        sum += term, magnitude += std::abs(term);
      }
      if (with_bias) sum = std::max(0.0, sum + static_cast<double>(static_cast<T*>(bias.data)[j]));
      const double got = static_cast<double>(static_cast<T*>(c.data)[i * s.n + j]);
      const double allowed = (magnitude + 1) * (size == 8 ? 1e-13 : size == 4 ? 1e-5 : 2e-2);
      if (!(std::abs(got - sum) <= allowed)) {
        std::printf("\nWRONG: %s at %ld,%ld: %g instead of %g\n", name, static_cast<long>(i), static_cast<long>(j),
                    got, sum);
        std::exit(1);
      }
    }
  };

  std::printf("%-10s %5ldx%5ldx%5ld %s%s %s", s.what, static_cast<long>(s.m), static_cast<long>(s.n),
              static_cast<long>(s.k), s.a_turned ? "T" : "N", s.b_turned ? "T" : "N", s.bias_relu ? "+br " : "    ");
  for (const Candidate& candidate : candidates(s)) {
    Buffer scratch(candidate.gemm->scratch_bytes());
    auto run = [&] { candidate.gemm->run(a.data, b.data, bias.data, c.data, scratch.data); };
    run();
    check(candidate.name.c_str(), s.bias_relu);
    const double t = seconds(run);
    const std::string name = candidate.name == "chosen" ? candidate.gemm->chosen : candidate.name;
    if (t < 2e-6) std::printf(" | %s %.1f ns", name.c_str(), t * 1e9);
    else std::printf(" | %s %.1f (%.0f%%)", name.c_str(), flops / t * 1e-9, 100 * flops / t * 1e-9 / peak);
    std::fflush(stdout);
  }
#ifdef BRIO_LAB_LIBXSMM
  if constexpr (std::is_same_v<T, float>) {
    if (auto run =
            libxsmm_call(s, static_cast<float*>(a.data), static_cast<float*>(b.data), static_cast<float*>(c.data))) {
      run();
      check("libxsmm", false);
      const double t = seconds(run);
      if (t < 2e-6) std::printf(" | xsmm %.1f ns", t * 1e9);
      else std::printf(" | xsmm %.1f (%.0f%%)", flops / t * 1e-9, 100 * flops / t * 1e-9 / peak);
    }
  }
#endif
  std::printf("\n");
}

void measure(const Shape& s) {
  static const double peak32 = peak_gflops(f32), peak64 = peak_gflops(f64);
  const double peak = (s.dtype == f64 ? peak64 : peak32) * thread_count();
  if (s.dtype == f64) measure<double>(s, peak);
  else if (s.dtype == bf16) measure<BFloat16>(s, peak);
  else if (s.dtype == f16) measure<Half>(s, peak);
  else measure<float>(s, peak);
}

std::vector<Shape> small_shapes() {
  return {{"mse 3x2", 3, 1, 2},
          {"mse grad", 2, 1, 3, true},
          {"", 3, 4, 2},
          {"", 4, 4, 4},
          {"", 8, 8, 8},
          {"", 16, 16, 16},
          {"", 32, 32, 32},
          {"mlp", 32, 64, 100, false, false, true},
          {"mlp dW", 100, 64, 32, true},
          {"mlp dX", 32, 100, 64, false, true},
          {"mlp out", 32, 10, 64, false, false, true},
          {"out dW", 64, 10, 32, true},
          {"out dX", 32, 64, 10, false, true},
          {"", 64, 64, 64},
          {"", 64, 64, 64, true},
          {"", 64, 64, 64, false, true},
          {"", 96, 96, 96},
          {"", 128, 128, 128},
          {"", 128, 128, 128, true},
          {"", 128, 128, 128, false, true}};
}
std::vector<Shape> square_shapes() {
  std::vector<Shape> list;
  for (int64_t n : {192, 256, 384, 512, 768, 1024, 2048})
    for (int t = 0; t < (n == 512 ? 4 : 1); ++t) list.push_back({"square", n, n, n, (t & 1) != 0, (t & 2) != 0});
  return list;
}
std::vector<Shape> wide_shapes() {
  return {{"fc1", 256, 4096, 1024, false, false, true},
          {"fc1 dX", 256, 1024, 4096, false, true},
          {"fc1 dW", 1024, 4096, 256, true},
          {"fc2", 256, 4096, 4096, false, false, true},
          {"fc2 dX", 256, 4096, 4096, false, true},
          {"fc2 dW", 4096, 4096, 256, true}};
}
std::vector<Shape> thin_shapes() {
  return {{"fc3", 256, 10, 4096, false, false, true},
          {"fc3 dX", 256, 4096, 10, false, true},
          {"fc3 dW", 4096, 10, 256, true},
          {"gemv", 4096, 1, 4096},
          {"gemvT", 4096, 1, 4096, true},
          {"row", 1, 4096, 4096},
          {"rowT", 1, 4096, 4096, false, true},
          {"few", 4, 4096, 4096},
          {"few", 8, 4096, 4096},
          {"few", 16, 4096, 4096},
          {"outer", 1000, 1000, 1},
          {"dot", 1, 1, 4096}};
}

}  // namespace

int main(int count, char** arguments) {
  if (const char* target = std::getenv("BRIO_LAB_TARGET"))  // avx2 or sse4
    hwy::SetSupportedTargetsForTest(std::string(target) == "avx2" ? HWY_AVX2 : HWY_SSE4);
  const std::string which = count > 1 ? arguments[1] : "all";
  auto wanted = [&](const char* name) { return which == name || which == "all"; };
  std::printf("%s, %d threads, peak of one core: f32 %.1f, f64 %.1f GFLOP/s\n", gemm_target_facts().name,
              thread_count(), peak_gflops(f32), peak_gflops(f64));
  auto all = [](std::vector<Shape> shapes, DType dtype) {
    for (Shape& s : shapes) {
      s.dtype = dtype;
      measure(s);
    }
  };
  if (wanted("small")) all(small_shapes(), f32);
  if (wanted("thin")) all(thin_shapes(), f32);
  if (wanted("square")) all(square_shapes(), f32);
  if (wanted("wide")) all(wide_shapes(), f32);
  if (wanted("f64")) all(small_shapes(), f64), all(square_shapes(), f64);
  if (wanted("bf16")) all(square_shapes(), bf16), all(wide_shapes(), bf16), all(thin_shapes(), bf16);
  if (wanted("f16")) all(square_shapes(), f16);
  return 0;
}
