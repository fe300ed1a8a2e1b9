// Kernel lab for the CPU tile engine: each case is checked against a plain loop first, then timed beside it.
//   lab_tiles [filter]       prints the best of many repetitions; compare ratios, not machines
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <time.h>

#include "brio/backends/cpu/kernels/optimizer_kernels.h"
#include "brio/backends/cpu/kernels/softmax_cross_entropy.h"
#include "brio/backends/cpu/tiles/tile_program.h"
#include "brio/base/isa.h"
#include "brio/base/thread_pool.h"

namespace {

using namespace brio;
using namespace brio::cpu;

// With LAB_CPU_TIME=1, the CPU time of this thread instead of the time on the wall: for one thread on a busy
// machine.
struct Clock {
  static std::chrono::nanoseconds now() {
    static const bool cpu = std::getenv("LAB_CPU_TIME") != nullptr;
    timespec t;
    clock_gettime(cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return std::chrono::nanoseconds(t.tv_sec * 1'000'000'000 + t.tv_nsec);
  }
};

// Best time of one call, in nanoseconds.
double best_ns(const std::function<void(int64_t)>& repeat, double budget_ms = 150) {
  int64_t count = 1;
  while (true) {  // calibrate to about a millisecond per sample
    const auto t = Clock::now();
    repeat(count);
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - t).count();
    if (ns > 5e5 || count > (int64_t{1} << 30)) break;
    count *= 2;
  }
  double best = 1e30;
  const auto start = Clock::now();
  do {
    const auto t = Clock::now();
    repeat(count);
    best = std::min(best,
                    std::chrono::duration<double, std::nano>(Clock::now() - t).count() / static_cast<double>(count));
  } while (std::chrono::duration<double, std::milli>(Clock::now() - start).count() < budget_ms);
  return best;
}

struct AlignedFloats {
  explicit AlignedFloats(size_t n)
      : size(n), data(static_cast<float*>(std::aligned_alloc(64, (n * 4 + 63) / 64 * 64))) {
    std::mt19937 generator(7);
    for (size_t i = 0; i < n; ++i) data[i] = static_cast<float>(generator() % 2001) / 1000.0f - 1.0f;
  }
  ~AlignedFloats() { std::free(data); }
  AlignedFloats(const AlignedFloats&) = delete;
  size_t size;
  float* data;
};

const char* filter = "";
bool wanted(const std::string& name) { return name.find(filter) != std::string::npos; }

void report(const std::string& name, double ns, double bytes, double plain_ns) {
  std::printf("%-44s %12.1f ns  %7.2f GB/s", name.c_str(), ns, bytes / ns);
  if (plain_ns > 0) std::printf("   plain %12.1f ns   ratio %.2f", plain_ns, ns / plain_ns);
  std::printf("\n");
  std::fflush(stdout);
}

void require(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "WRONG RESULT: %s\n", what.c_str());
  std::exit(1);
}

TileProgram::Input dense(const Shape& space) {
  TileProgram::Input input{f32, {}};
  const Strides strides = row_major(space);
  for (int i = 0; i < space.rank(); ++i) input.strides[i] = strides[i];
  return input;
}

TileFn fn(const char* op) { return find_tile_fn(op, f32, f32); }

struct Runner {
  explicit Runner(TileProgram program) : kernel(std::move(program)), scratch(kernel.scratch_bytes() / 4 + 16) {}
  double time(std::vector<const void*> in, std::vector<void*> out) {
    return best_ns([&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) kernel.run(in.data(), out.data(), scratch.data);
    });
  }
  void once(std::vector<const void*> in, std::vector<void*> out) { kernel.run(in.data(), out.data(), scratch.data); }
  TileKernel kernel;
  AlignedFloats scratch;
};

// Single operations in the L1 cache and at three elements.
void single_ops() {
  AlignedFloats a(1024), b(1024), out(1024);
  for (size_t i = 0; i < 1024; ++i) b.data[i] = std::fabs(b.data[i]) + 0.1f;
  for (const char* op : {"add", "mul", "div", "max", "relu", "sqrt", "rsqrt", "exp", "log", "tanh", "sigmoid",
                         "softplus", "erf", "sin", "pow", "expm1", "log1p"}) {
    const std::string name = std::string("op ") + op;
    if (!wanted(name)) continue;
    const TileFn f = fn(op);
    const bool positive = std::string(op) == "log" || std::string(op) == "pow" || std::string(op) == "sqrt" ||
                          std::string(op) == "rsqrt" || std::string(op) == "log1p";
    const float* first = positive ? b.data : a.data;
    const double large = best_ns(
        [&](int64_t c) {
          while (c--) f(out.data, first, b.data, nullptr, 1024);
        },
        30);
    const double tiny = best_ns(
        [&](int64_t c) {
          while (c--) f(out.data, first, b.data, nullptr, 3);
        },
        30);
    std::printf("%-20s n=1024 %8.1f ns (%.3f ns each)   n=3 %6.1f ns\n", name.c_str(), large, large / 1024, tiny);
  }
  for (const char* op : {"greater", "equal"}) {
    if (!wanted(std::string("op ") + op)) continue;
    const TileFn f = find_tile_fn(op, f32, boolean);
    std::printf("op %-17s n=1024 %8.1f ns   n=3 %6.1f ns\n", op,
                best_ns(
                    [&](int64_t c) {
                      while (c--) f(out.data, a.data, b.data, nullptr, 1024);
                    },
                    30),
                best_ns(
                    [&](int64_t c) {
                      while (c--) f(out.data, a.data, b.data, nullptr, 3);
                    },
                    30));
  }
  if (wanted("op select")) {
    std::vector<uint8_t> c(1024);
    for (size_t i = 0; i < 1024; ++i) c[i] = i % 3 == 0;
    const TileFn f = fn("select");
    std::printf("op %-17s n=1024 %8.1f ns   n=3 %6.1f ns\n", "select",
                best_ns(
                    [&](int64_t k) {
                      while (k--) f(out.data, c.data(), a.data, b.data, 1024);
                    },
                    30),
                best_ns(
                    [&](int64_t k) {
                      while (k--) f(out.data, c.data(), a.data, b.data, 3);
                    },
                    30));
  }
}

// y = relu((a * b + 0.5) * s - a) * a: six steps, as in docs/decisions/cpu-tiles.md.
TileProgram six_steps(int64_t n) {
  TileProgram program;
  program.space = Shape{n};
  program.inputs = {dense(program.space), dense(program.space)};
  program.constants = {{f32, 0x3f000000}, {f32, 0x3fc00000}};
  program.steps = {{fn("mul"), f32, {0, 1, -1}}, {fn("add"), f32, {4, 2, -1}},   {fn("mul"), f32, {5, 3, -1}},
                   {fn("sub"), f32, {6, 0, -1}}, {fn("relu"), f32, {7, -1, -1}}, {fn("mul"), f32, {8, 0, -1}}};
  program.outputs = {{9}};
  return program;
}
void plain_six(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float t = (a[i] * b[i] + 0.5f) * 1.5f - a[i];
    out[i] = (t > 0 ? t : 0.0f) * a[i];
  }
}
void chains() {
  for (int64_t n : {int64_t{3}, int64_t{100}, int64_t{1000}, int64_t{10'000}, int64_t{100'000}, int64_t{1'000'000},
                    int64_t{16} << 20}) {
    const std::string name = "six steps n=" + std::to_string(n);
    if (!wanted(name)) continue;
    AlignedFloats a(static_cast<size_t>(n)), b(static_cast<size_t>(n)), out(static_cast<size_t>(n)),
        want(static_cast<size_t>(n));
    Runner runner(six_steps(n));
    runner.once({a.data, b.data}, {out.data});
    plain_six(a.data, b.data, want.data, n);
    for (int64_t i = 0; i < n; ++i) require(out.data[i] == want.data[i], name);
    const double plain = best_ns([&](int64_t c) {
      while (c--) plain_six(a.data, b.data, want.data, n);
    });
    report(name, runner.time({a.data, b.data}, {out.data}), 12.0 * static_cast<double>(n), plain);
  }
}

void copies() {
  const int64_t n = int64_t{16} << 20;
  if (!wanted("copy")) return;
  AlignedFloats a(static_cast<size_t>(n)), out(static_cast<size_t>(n));
  const double plain = best_ns([&](int64_t c) {
    while (c--) std::memcpy(out.data, a.data, static_cast<size_t>(n) * 4);
  });
  TileProgram program;
  program.space = Shape{n};
  program.inputs = {dense(program.space)};
  program.outputs = {{0}};
  Runner runner(program);
  report("copy 64 MB, memcpy on one thread", plain, 8.0 * static_cast<double>(n), 0);
  report("copy 64 MB", runner.time({a.data}, {out.data}), 8.0 * static_cast<double>(n), plain);
}

void broadcasts() {
  struct Case {
    const char* name;
    Shape space;
    int64_t row_stride, column_stride;  // of the second operand
  };
  const Case cases[] = {{"bias over [32,10]", Shape{32, 10}, 0, 1},
                        {"bias over [32,64]", Shape{32, 64}, 0, 1},
                        {"bias over [N,3]", Shape{1 << 19, 3}, 0, 1},
                        {"bias over [N,64]", Shape{1 << 14, 64}, 0, 1},
                        {"bias over [N,4096]", Shape{1 << 8, 4096}, 0, 1},
                        {"column over [N,3]", Shape{1 << 19, 3}, 1, 0},
                        {"column over [N,64]", Shape{1 << 14, 64}, 1, 0},
                        {"column over [N,4096]", Shape{1 << 8, 4096}, 1, 0},
                        {"transposed [1024,1024]", Shape{1024, 1024}, 1, 1024}};
  for (const Case& c : cases) {
    if (!wanted(c.name)) continue;
    const int64_t n = c.space.elements();
    AlignedFloats a(static_cast<size_t>(n)), b(static_cast<size_t>(n)), out(static_cast<size_t>(n)),
        want(static_cast<size_t>(n));
    TileProgram program;
    program.space = c.space;
    program.inputs = {dense(c.space), {f32, {c.row_stride, c.column_stride}}};
    program.steps = {{fn("add"), f32, {0, 1, -1}}};
    program.outputs = {{2}};
    Runner runner(program);
    const auto plain = [&] {
      for (int64_t i = 0; i < c.space[0]; ++i)
        for (int64_t j = 0; j < c.space[1]; ++j)
          want.data[i * c.space[1] + j] = a.data[i * c.space[1] + j] + b.data[i * c.row_stride + j * c.column_stride];
    };
    runner.once({a.data, b.data}, {out.data});
    plain();
    require(std::memcmp(out.data, want.data, static_cast<size_t>(n) * 4) == 0, c.name);
    const double plain_ns = best_ns([&](int64_t k) {
      while (k--) plain();
    });
    report(c.name, runner.time({a.data, b.data}, {out.data}), 8.0 * static_cast<double>(n), plain_ns);
  }
}

void reductions() {
  struct Case {
    Shape space;
    uint8_t mask;
  };
  const Case cases[] = {{Shape{3}, 1},           {Shape{1000}, 1},        {Shape{1 << 20}, 1},
                        {Shape{16 << 20}, 1},    {Shape{16384, 1024}, 2}, {Shape{16384, 1024}, 1},
                        {Shape{1 << 18, 64}, 1}, {Shape{1 << 18, 64}, 2}, {Shape{1 << 20, 16}, 1},
                        {Shape{1 << 20, 10}, 2}, {Shape{512, 32768}, 1},  {Shape{1 << 22, 3}, 1},
                        {Shape{1 << 22, 3}, 2},  {Shape{64, 512, 49}, 5}, {Shape{64, 512, 49}, 2},
                        {Shape{32, 64}, 1},      {Shape{32, 10}, 2},      {Shape{128, 256}, 1}};
  for (const Case& c : cases) {
    const std::string name = "sum " + c.space.str() + " mask " + std::to_string(c.mask);
    if (!wanted(name)) continue;
    const int64_t n = c.space.elements();
    AlignedFloats a(static_cast<size_t>(n)), out(static_cast<size_t>(n));
    TileProgram program;
    program.space = c.space;
    program.inputs = {dense(c.space)};
    program.reductions = {{0, ReduceKind::sum}};
    program.reduced_mask = c.mask;
    Runner runner(program);
    // The plain pass over the same bytes: read them all, eight sums.
    volatile float sink;
    const auto plain = [&] {
      float s[64] = {};
      int64_t i = 0;
      for (; i + 64 <= n; i += 64)
        for (int l = 0; l < 64; ++l) s[l] += a.data[i + l];
      for (; i < n; ++i) s[0] += a.data[i];
      sink = s[0] + s[13] + s[40];
    };
    const double plain_ns = best_ns([&](int64_t k) {
      while (k--) plain();
    });
    report(name, runner.time({a.data}, {out.data}), 4.0 * static_cast<double>(n), plain_ns);
    (void)sink;
  }
}

// Value and gradient of softmax cross-entropy, beside a copy of the same bytes by as many threads.
void cross_entropy() {
  struct Case {
    int64_t rows, classes;
  };
  for (const Case& c : {Case{32, 10}, Case{128, 1000}, Case{1024, 32000}, Case{8192, 32000}}) {
    const std::string name = "xent " + std::to_string(c.rows) + "x" + std::to_string(c.classes);
    if (!wanted(name)) continue;
    const int64_t n = c.rows * c.classes;
    AlignedFloats x(static_cast<size_t>(n)), grad(static_cast<size_t>(n)), loss(static_cast<size_t>(c.rows));
    std::vector<int32_t> labels;
    for (int64_t r = 0; r < c.rows; ++r) labels.push_back(static_cast<int32_t>(r * 7919 % c.classes));
    const float g = 1.0f / static_cast<float>(c.rows);
    const SoftmaxXent call{f32, c.rows, c.classes, x.data, i32, labels.data(), loss.data, grad.data, &g, true};
    const auto run = [&] { require(softmax_xent(call), name); };
    run();
    for (int64_t r : {int64_t{0}, c.rows - 1}) {
      const float* row = x.data + r * c.classes;
      double sum = 0;
      for (int64_t k = 0; k < c.classes; ++k) sum += std::exp(static_cast<double>(row[k]));
      const int64_t label = labels[static_cast<size_t>(r)];
      require(std::fabs(loss.data[r] - (std::log(sum) - static_cast<double>(row[label]))) < 1e-5, name + " loss");
      const double want = (std::exp(static_cast<double>(row[label])) / sum - 1) * static_cast<double>(g);
      require(std::fabs(grad.data[r * c.classes + label] - want) < 1e-6 * static_cast<double>(g), name + " grad");
    }
    const auto copy = [&] {
      parallel_for(n, 1 << 16, [&](int64_t b, int64_t e) {
        std::memcpy(grad.data + b, x.data + b, static_cast<size_t>(e - b) * 4);
      });
    };
    // Alternating samples: whatever disturbs the machine disturbs both.
    double ns = 1e30, plain = 1e30;
    for (int i = 0; i < (n > 100'000'000 ? 3 : 4); ++i) {
      plain = std::min(plain, best_ns(
                                  [&](int64_t k) {
                                    while (k--) copy();
                                  },
                                  60));
      ns = std::min(ns, best_ns(
                            [&](int64_t k) {
                              while (k--) run();
                            },
                            60));
    }
    report(name, ns, 8.0 * static_cast<double>(n), plain);
  }
}

void optimizers() {
  for (int64_t n : {int64_t{6500}, int64_t{25'000'000}}) {
    const std::string name = "adam n=" + std::to_string(n);
    if (!wanted(name)) continue;
    AlignedFloats p(static_cast<size_t>(n)), g(static_cast<size_t>(n)), m(static_cast<size_t>(n)),
        v(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) v.data[i] = std::fabs(v.data[i]);
    // Four tensors, as a small network has.
    std::vector<UpdateTensor> tensors;
    const int64_t cuts[] = {0, n / 2, n / 2 + n / 4, n - 10, n};
    for (int k = 0; k < 4; ++k) {
      UpdateTensor t{};
      t.n = cuts[k + 1] - cuts[k];
      t.param_in = t.param_out = p.data + cuts[k];
      t.grad = g.data + cuts[k];
      t.slot_in[0] = t.slot_out[0] = m.data + cuts[k];
      t.slot_in[1] = t.slot_out[1] = v.data + cuts[k];
      tensors.push_back(t);
    }
    const AdamRule rule{1e-3, 10, 0.9, 0.999, 1e-7, false};
    const auto run = [&] { update_adam(f32, tensors, rule); };
    const auto plain_loop = [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        m.data[i] += (g.data[i] - m.data[i]) * 0.1f;
        v.data[i] += (g.data[i] * g.data[i] - v.data[i]) * 0.001f;
        p.data[i] -= m.data[i] * 1e-3f / (std::sqrt(v.data[i]) + 1e-7f);
      }
    };
    const auto plain = [&] {
      if (n < 100'000) plain_loop(0, n);
      else parallel_for(n, 1 << 16, plain_loop);
    };
    double ns = 1e30, plain_ns = 1e30;
    for (int i = 0; i < 4; ++i) {
      plain_ns = std::min(plain_ns, best_ns(
                                        [&](int64_t k) {
                                          while (k--) plain();
                                        },
                                        60));
      ns = std::min(ns, best_ns(
                            [&](int64_t k) {
                              while (k--) run();
                            },
                            60));
    }
    report(name, ns, 28.0 * static_cast<double>(n), plain_ns);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) filter = argv[1];
  std::printf("instruction set %s, %d threads\n", std::string(isa_name()).c_str(), thread_count());
  single_ops();
  chains();
  copies();
  broadcasts();
  reductions();
  cross_entropy();
  optimizers();
}
