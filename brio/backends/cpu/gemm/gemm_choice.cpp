// Which implementation a product gets: the list in choose(), best first. Thresholds are measured
// (docs/decisions/gemm.md) and depend on shape, strides, dtype and instruction set alone.
#include <algorithm>

#include "brio/backends/cpu/gemm/gemm_onednn.h"
#include "brio/backends/cpu/gemm/gemm_run.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// ---- normal form

void validate(const GemmSpec& spec) {
  if (spec.dtype == boolean) throw InvalidArgument("gemm: bool matrices have no product; cast them first");
  if (spec.m < 0 || spec.n < 0 || spec.k < 0)
    throw InvalidArgument(cat("gemm: m, n, k must be ≥ 0 but are ", spec.m, ", ", spec.n, ", ", spec.k));
  if (spec.batch.size() != spec.a_batch.size() || spec.batch.size() != spec.b_batch.size())
    throw InvalidArgument(cat("gemm: ", spec.batch.size(), " batch dimensions, but ", spec.a_batch.size(),
                              " strides for A and ", spec.b_batch.size(), " for B"));
  if (spec.epilogue > Epilogue::relu && !spec.activation)
    throw InvalidArgument("gemm: sigmoid and tanh need the elementwise kernel in `activation`");
}

GemmProblem normal_form(const GemmSpec& spec) {
  GemmProblem problem{.dtype = spec.dtype,
                      .shape = {spec.m, spec.n, spec.k, spec.a_row, spec.a_col, spec.b_row, spec.b_col, spec.n,
                                spec.epilogue == Epilogue::relu},
                      .batch = spec.batch,
                      .a_batch = spec.a_batch,
                      .b_batch = spec.b_batch,
                      .batch_count = 1,
                      .bias = spec.bias,
                      .activation = spec.epilogue > Epilogue::relu ? spec.activation : nullptr};
  GemmShape& s = problem.shape;
  // Products that share B and whose A's follow each other are one product with more rows.
  while (!problem.batch.empty() && problem.b_batch.back() == 0 &&
         (problem.batch.back() == 1 || s.m == 1 || problem.a_batch.back() == s.m * s.a_row)) {
    if (s.m == 1) s.a_row = problem.a_batch.back();
    s.m *= problem.batch.back();
    problem.batch.pop_back();
    problem.a_batch.pop_back();
    problem.b_batch.pop_back();
  }
  for (int64_t size : problem.batch) problem.batch_count *= size;
  // A stride along a dimension of one element says nothing; let it not hide a dense row.
  if (s.k == 1) s.a_col = s.b_row = 1;
  if (s.n == 1) s.b_col = 1;
  if (s.m == 1) s.a_row = s.k;
  return problem;
}

// The transposed problem Cᵀ = Bᵀ · Aᵀ; only where C is a vector, which looks the same both ways.
GemmProblem swapped(const GemmProblem& problem) {
  GemmProblem result = problem;
  const GemmShape& s = problem.shape;
  result.shape = {s.n, s.m, s.k, s.b_col, s.b_row, s.a_col, s.a_row, s.m, s.relu};
  std::swap(result.a_batch, result.b_batch);
  if (result.shape.m == 1) result.shape.a_row = s.k;
  if (result.shape.n == 1) result.shape.b_col = 1;
  return result;
}

// ---- cuts

int64_t even_step(int64_t total, int64_t limit, int64_t multiple) {
  const int64_t parts = std::max<int64_t>(1, (total + limit - 1) / limit);
  const int64_t step = (total + parts - 1) / parts;
  return (step + multiple - 1) / multiple * multiple;
}

// Tiles of C for the blocked kernel: large enough that packing costs little, and enough of them for several threads.
GemmCut tile_cut(const GemmProblem& problem, int64_t most_columns) {
  const GemmShape& s = problem.shape;
  int64_t rows = 512, columns = most_columns;
  constexpr int64_t wanted = 8;
  auto count = [&] { return (s.m + rows - 1) / rows * ((s.n + columns - 1) / columns) * problem.batch_count; };
  auto flops = [&] {
    return 2.0 * static_cast<double>(std::min(rows, s.m) * std::min(columns, s.n)) * static_cast<double>(s.k);
  };
  while (count() < wanted && flops() > 3e6 && (rows > 96 || columns > 64)) {
    if (std::min(columns, s.n) > std::min(rows, s.m) || rows <= 96) columns = (std::min(columns, s.n) + 1) / 2;
    else rows = (std::min(rows, s.m) + 1) / 2;
  }
  return {even_step(s.m, rows, 1), even_step(s.n, columns, 64)};
}

// Rows or columns per piece so that one takes some ten microseconds; pieces of one size, so that threads end
// together.
int64_t vector_step(const GemmShape& s, int64_t total, double flops_per_nanosecond, int64_t multiple) {
  const double each = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) /
                      static_cast<double>(total) / flops_per_nanosecond;
  const int64_t step = std::clamp<int64_t>(static_cast<int64_t>(10e3 / each), multiple, std::max(total, multiple));
  return even_step(total, step, multiple);
}

// ---- the list

class Choice {
 public:
  explicit Choice(const GemmProblem& problem)
      : problem_(problem), lanes_(gemm_target_facts().vector_bytes / static_cast<int64_t>(size_of(problem.dtype))) {}

  std::unique_ptr<Gemm> choose() {
    std::unique_ptr<Gemm> gemm;
    for (auto attempt : {&Choice::tiny, &Choice::vector, &Choice::dot, &Choice::turned, &Choice::direct,
                         &Choice::onednn, &Choice::blocked}) {
      gemm = (this->*attempt)();
      if (gemm) break;
    }
    gemm->skipped = std::move(skipped_);
    return gemm;
  }

 private:
  std::unique_ptr<Gemm> skip(std::string why) {
    skipped_.push_back(std::move(why));
    return nullptr;
  }

  std::unique_ptr<Gemm> own(const GemmProblem& problem, const GemmKernelInfo& kernel, GemmCut cut,
                            bool turn_b = false, bool is_swapped = false) {
    auto gemm = make_own_gemm(problem, kernel, cut, turn_b, is_swapped);
    gemm->chosen = kernel.name;
    return gemm;
  }
  GemmCut whole() const { return {problem_.shape.m, problem_.shape.n}; }

  std::unique_ptr<Gemm> tiny() {
    const GemmShape& s = problem_.shape;
    const int64_t most = real() ? 8 : 48;
    if (s.m * s.n * s.k > most) return skip(cat("tiny: ", s.m * s.n * s.k, " multiplications are more than ", most));
    return own(problem_, tiny_gemm_kernel(problem_.dtype, s.k), whole());
  }

  bool real() const { return problem_.dtype == f32 || problem_.dtype == f64; }

  // Matrix times vector, and the few-row products that are like it: limited by reading the matrix once.
  std::unique_ptr<Gemm> vector() {
    const GemmShape& s = problem_.shape;
    if (!real()) return skip(cat("vector: no kernel for ", problem_.dtype));
    if (s.n == 1 && s.a_col != 1 && s.a_row == 1) return axpy(swapped(problem_), true);
    if (s.m == 1 && s.b_col != 1 && s.b_row == 1) return dots(swapped(problem_), true);
    if (s.n == 1 && s.a_col == 1) return dots(problem_, false);
    const bool large = s.k * s.n * static_cast<int64_t>(size_of(problem_.dtype)) > (256 << 10);
    if (s.b_col == 1 && (s.m == 1 ? s.n > 4 * lanes_ : s.m <= 8 && large)) return axpy(problem_, false);
    return skip("vector: neither operand is a vector with a dense matrix");
  }
  std::unique_ptr<Gemm> axpy(const GemmProblem& problem, bool is_swapped) {
    const GemmCut cut{problem.shape.m, vector_step(problem.shape, problem.shape.n, 8, 1024)};
    return own(problem, axpy_gemm_kernel(problem_.dtype), cut, false, is_swapped);
  }
  std::unique_ptr<Gemm> dots(const GemmProblem& problem, bool is_swapped) {
    const GemmShape& s = problem.shape;
    const bool turn = s.b_row != 1;
    if (turn && problem.batch_count != 1) return skip("dot: B would have to be turned once per batch");
    const GemmCut cut{vector_step(s, s.m, s.n == 1 ? 8 : 60, 4), s.n};
    return own(problem, dot_gemm_kernel(problem_.dtype), cut, turn, is_swapped);
  }

  // Few columns: vectors along n would be mostly empty, so they lie along k.
  std::unique_ptr<Gemm> dot() {
    const GemmShape& s = problem_.shape;
    if (!real()) return skip(cat("dot: no kernel for ", problem_.dtype));
    if (s.n >= lanes_) return skip(cat("dot: ", s.n, " columns fill a vector of ", lanes_));
    if (s.a_col != 1) return skip("dot: rows of A are not dense");
    if (s.k < 8 * lanes_) return skip(cat("dot: k = ", s.k, " is too short for vectors along it"));
    return dots(problem_, false);
  }

  std::unique_ptr<Gemm> turned() {
    const GemmShape& s = problem_.shape;
    if (!real()) return skip(cat("turned: no kernel for ", problem_.dtype));
    if (s.n >= lanes_ || s.n > 12) return skip(cat("turned: ", s.n, " columns are not few"));
    if (s.a_row != 1 || s.a_col == 1 || s.m < 2 * lanes_) return skip("turned: columns of A are not long and dense");
    const GemmCut cut{vector_step(s, s.m, 40, 64), s.n};
    return own(problem_, turned_gemm_kernel(problem_.dtype), cut);
  }

  // Operands that stay in the second-level cache are read where they lie.
  std::unique_ptr<Gemm> direct() {
    const GemmShape& s = problem_.shape;
    if (!real()) return skip(cat("direct: no kernel for ", problem_.dtype));
    const int64_t size = static_cast<int64_t>(size_of(problem_.dtype));
    const int64_t a = s.m * s.k * size, b = s.k * s.n * size, c = s.m * s.n * size;
    constexpr int64_t small = 256 << 10, cached = 1 << 20;
    if (a + b + c <= small) return own(problem_, direct_gemm_kernel(problem_.dtype), whole());
    if (s.b_col != 1) return skip(cat("direct: B of ", b >> 10, " KiB would be turned once per piece"));
    if (b > cached) return skip(cat("direct: B of ", b >> 10, " KiB does not stay in cache"));
    if (s.a_col != 1 && a > cached) return skip(cat("direct: A of ", a >> 10, " KiB lies across its rows"));
    const double rate = problem_.dtype == f64 ? 50 : 100;
    // A wide product by columns, so that each thread reads its part of B alone.
    const GemmCut cut = s.n <= 4 * s.m ? GemmCut{vector_step(s, s.m, rate, 6), s.n}
                                       : GemmCut{s.m, vector_step(s, s.n, rate, 4 * lanes_)};
    return own(problem_, direct_gemm_kernel(problem_.dtype), cut);
  }

  // Only for bf16. For f32 the library is no faster than the blocked kernel, and its bits change with the size of the
  // caches and with its version.
  std::unique_ptr<Gemm> onednn() {
    const GemmShape& s = problem_.shape;
    if (problem_.dtype != bf16) return skip(cat("onednn: kept for bfloat16; no faster for ", problem_.dtype));
    const double flops = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    if (flops < 1e6) return skip(cat("onednn: ", flops, " operations cost more to call than to compute"));
    std::string why;
    auto gemm = make_onednn_gemm(problem_, tile_cut(problem_, 512), why);
    return gemm ? std::move(gemm) : skip(std::move(why));
  }

  std::unique_ptr<Gemm> blocked() {
    const int64_t most_columns = problem_.dtype == f64 || problem_.dtype == i64 || problem_.dtype == u64 ? 256 : 512;
    return own(problem_, blocked_gemm_kernel(problem_.dtype), tile_cut(problem_, most_columns));
  }

  const GemmProblem& problem_;
  int64_t lanes_;
  std::vector<std::string> skipped_;
};

}  // namespace

std::unique_ptr<Gemm> Gemm::prepare(const GemmSpec& spec) {
  validate(spec);
  const GemmProblem problem = normal_form(spec);
  const GemmShape& s = problem.shape;
  if (s.m == 0 || s.n == 0 || problem.batch_count == 0) {
    auto gemm = make_empty_gemm();
    gemm->chosen = "nothing: no elements";
    return gemm;
  }
  if (s.k == 0) {
    auto gemm = make_sumless_gemm(problem);
    gemm->chosen = "fill: k is 0";
    return gemm;
  }
  return Choice(problem).choose();
}

}  // namespace brio::cpu
