#include "brio/backends/cpu/kernels/row_norm_kernels.h"

#include <algorithm>
#include <cmath>

#include "brio/base/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/row_norm_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

#ifndef BRIO_CPU_ROW_NORM_PARTS
#define BRIO_CPU_ROW_NORM_PARTS
namespace brio::cpu {

// The gradients of scale and offset are sums over rows: of parts of some rows in the dtype, of a block's parts and of
// blocks in double. Blocks are what threads take; they depend on the sizes alone.
constexpr int64_t kRowsPerPart = 64, kMostBlocks = 64, kPieceElements = 1 << 14;

struct RowBlocks {
  int64_t rows_per_block, count;
  RowBlocks(int64_t rows, int64_t columns) {
    const int64_t wanted = std::clamp<int64_t>(rows * columns / kPieceElements, 1, kMostBlocks);
    const int64_t rows_each = (rows + wanted - 1) / wanted;
    rows_per_block = (std::max<int64_t>(rows_each, 1) + kRowsPerPart - 1) / kRowsPerPart * kRowsPerPart;
    count = std::max<int64_t>(1, (rows + rows_per_block - 1) / rows_per_block);
  }
};
// A block's scratch: double totals of scale and offset, then a part of each.
inline size_t block_bytes(DType dtype, int64_t columns) {
  return (2 * static_cast<size_t>(columns) * (sizeof(double) + size_of(dtype)) + 63) / 64 * 64;
}

using RowNormFn = void (*)(const RowNormCall& call, int64_t begin, int64_t end);
struct RowNormFns {
  RowNormFn forward, backward;  // rows begin … end; blocks begin … end
};

}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// Calls f(i, load, store) for each vector of [0, n): load(p) reads p[i …], zeros behind the end; store(v, p) writes.
template <typename T, class F>
HWY_INLINE void for_vectors(size_t n, F&& f) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    f([&](const T* p) HWY_ATTR { return hn::LoadU(d, p + i); },
      [&](auto v, T* p) HWY_ATTR { hn::StoreU(v, d, p + i); });
  if (i < n)
    f([&](const T* p) HWY_ATTR { return load_tail(d, p + i, n - i); },
      [&](auto v, T* p) HWY_ATTR { store_tail(v, d, p + i, n - i); });
}

// Two sums over [0, n) of what f(load, inside) returns a pair of; `inside` is 1 where there is an element. Pieces in
// T, their sum in double.
template <typename T, class F>
HWY_INLINE std::pair<double, double> two_sums(size_t n, F&& f) {
  constexpr size_t kPiece = 2048;
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, T{1});
  double a = 0, b = 0;
  for (size_t start = 0; start < n; start += kPiece) {
    const size_t end = std::min(n, start + kPiece);
    auto a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0;
    size_t i = start;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const auto p = f([&](const T* x) HWY_ATTR { return hn::LoadU(d, x + i); }, one);
      const auto q = f([&](const T* x) HWY_ATTR { return hn::LoadU(d, x + i + lanes); }, one);
      a0 = hn::Add(a0, p.first), b0 = hn::Add(b0, p.second);
      a1 = hn::Add(a1, q.first), b1 = hn::Add(b1, q.second);
    }
    for (; i < end; i += lanes) {
      const size_t left = std::min(lanes, end - i);
      const auto inside = hn::IfThenElseZero(hn::FirstN(d, left), one);
      const auto p = f([&](const T* x) HWY_ATTR { return load_tail(d, x + i, left); }, inside);
      a0 = hn::Add(a0, p.first), b0 = hn::Add(b0, p.second);
    }
    a += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(a0, a1))));
    b += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(b0, b1))));
  }
  return {a, b};
}

template <typename T>
struct Statistics {
  T mean = 0, inverse;
  Statistics(const RowNormCall& call, const T* x) {
    const hn::ScalableTag<T> d;
    const auto n = static_cast<size_t>(call.columns);
    const double count = static_cast<double>(call.columns);
    if (call.centered)
      mean = static_cast<T>(
          two_sums<T>(n, [&](auto load, auto) HWY_ATTR { return std::pair(load(x), hn::Zero(d)); }).first / count);
    const auto shift = hn::Set(d, mean);
    const double squares = two_sums<T>(n, [&](auto load, auto inside) HWY_ATTR {
                             const auto centred = hn::Mul(hn::Sub(load(x), shift), inside);
                             return std::pair(hn::Mul(centred, centred), hn::Zero(d));
                           }).first;
    inverse = static_cast<T>(1 / std::sqrt(squares / count + call.epsilon));
  }
};

template <typename T>
void forward(const RowNormCall& call, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const T *scale = static_cast<const T*>(call.scale), *offset = static_cast<const T*>(call.offset);
  for (int64_t r = begin; r < end; ++r) {
    const T* x = static_cast<const T*>(call.x) + r * call.columns;
    T* out = static_cast<T*>(call.out) + r * call.columns;
    const Statistics<T> row(call, x);
    const auto mean = hn::Set(d, row.mean), inverse = hn::Set(d, row.inverse);
    for_vectors<T>(static_cast<size_t>(call.columns), [&](auto load, auto store) HWY_ATTR {
      store(hn::MulAdd(hn::Mul(hn::Sub(load(x), mean), inverse), load(scale), load(offset)), out);
    });
  }
}

// One row: its gradient, and its terms of those of scale and offset added to the part's.
template <typename T>
HWY_INLINE void backward_row(const RowNormCall& call, int64_t r, T* dscale, T* doffset) {
  const hn::ScalableTag<T> d;
  const auto n = static_cast<size_t>(call.columns);
  const T* scale = static_cast<const T*>(call.scale);
  const T *x = static_cast<const T*>(call.x) + r * call.columns,
          *g = static_cast<const T*>(call.g) + r * call.columns;
  T* out = static_cast<T*>(call.out) + r * call.columns;
  const Statistics<T> row(call, x);
  const auto mean = hn::Set(d, row.mean), inverse = hn::Set(d, row.inverse);
  const auto [sum, dot] = two_sums<T>(n, [&](auto load, auto) HWY_ATTR {
    const auto scaled = hn::Mul(load(g), load(scale));  // zeros behind the end
    return std::pair(scaled, hn::Mul(scaled, hn::Mul(hn::Sub(load(x), mean), inverse)));
  });
  const double count = static_cast<double>(call.columns);
  const auto mean_sum = hn::Set(d, static_cast<T>(call.centered ? sum / count : 0));
  const auto mean_dot = hn::Set(d, static_cast<T>(dot / count));
  for_vectors<T>(n, [&](auto load, auto store) HWY_ATTR {
    const auto c = load(g), normalised = hn::Mul(hn::Sub(load(x), mean), inverse);
    const auto inner = hn::NegMulAdd(normalised, mean_dot, hn::Sub(hn::Mul(c, load(scale)), mean_sum));
    store(hn::MulAdd(c, normalised, load(dscale)), dscale);
    store(hn::Add(c, load(doffset)), doffset);
    store(hn::Mul(inner, inverse), out);
  });
}

template <typename T>
void backward(const RowNormCall& call, int64_t begin, int64_t end) {
  const RowBlocks blocks(call.rows, call.columns);
  const int64_t n = call.columns;
  for (int64_t block = begin; block < end; ++block) {
    char* memory = static_cast<char*>(call.scratch) + static_cast<size_t>(block) * block_bytes(call.dtype, n);
    double* totals = reinterpret_cast<double*>(memory);
    T* parts = reinterpret_cast<T*>(memory + 2 * static_cast<size_t>(n) * sizeof(double));
    std::fill_n(totals, 2 * n, 0.0);
    const int64_t last = std::min(call.rows, (block + 1) * blocks.rows_per_block);
    for (int64_t row = block * blocks.rows_per_block; row < last; row += kRowsPerPart) {
      std::fill_n(parts, 2 * n, T{0});
      for (int64_t r = row; r < std::min(last, row + kRowsPerPart); ++r) backward_row<T>(call, r, parts, parts + n);
      for (int64_t i = 0; i < 2 * n; ++i) totals[i] += static_cast<double>(parts[i]);
    }
  }
}

}  // namespace

RowNormFns find_row_norm_here(DType dtype) {
  if (dtype == f32) return {forward<float>, backward<float>};
  return {forward<double>, backward<double>};
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {

HWY_EXPORT(find_row_norm_here);

template <typename T>
void add_blocks(const RowNormCall& call, int64_t blocks) {
  const int64_t n = call.columns;
  const size_t step = block_bytes(call.dtype, n) / sizeof(double);
  const double* totals = static_cast<const double*>(call.scratch);
  for (int64_t i = 0; i < 2 * n; ++i) {
    double sum = 0;
    for (int64_t b = 0; b < blocks; ++b) sum += totals[static_cast<size_t>(b) * step + static_cast<size_t>(i)];
    (i < n ? static_cast<T*>(call.dscale)[i] : static_cast<T*>(call.doffset)[i - n]) = static_cast<T>(sum);
  }
}

}  // namespace

void row_norm(const RowNormCall& call) {
  const RowNormFn forward = HWY_DYNAMIC_DISPATCH(find_row_norm_here)(call.dtype).forward;
  parallel_for(call.rows, std::max<int64_t>(1, kPieceElements / std::max<int64_t>(call.columns, 1)),
               [&](int64_t begin, int64_t end) { forward(call, begin, end); });
}

size_t row_norm_scratch(DType dtype, int64_t rows, int64_t columns) {
  return static_cast<size_t>(RowBlocks(rows, columns).count) * block_bytes(dtype, columns);
}

void row_norm_grad(const RowNormCall& call) {
  const RowNormFn backward = HWY_DYNAMIC_DISPATCH(find_row_norm_here)(call.dtype).backward;
  const int64_t blocks = RowBlocks(call.rows, call.columns).count;
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) { backward(call, begin, end); });
  if (call.dtype == f32) add_blocks<float>(call, blocks);
  else add_blocks<double>(call, blocks);
}

}  // namespace brio::cpu
#endif
