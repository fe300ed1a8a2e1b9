// cumsum, cumprod, cumulative_logsumexp, argmax, argmin and iota: one walk along an axis, many columns at a time.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/check.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::cpu {
namespace {

constexpr int64_t kColumns = 64;  // that walk together, their states on the stack
constexpr int64_t kPieceElements = 1 << 15;

template <typename T>
inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
using Compared = std::conditional_t<is_narrow<T>, float, T>;

// Calls walk(first element, columns) for pieces of [outer, size, inner] that are whole along the axis.
template <typename Walk>
void for_each_walk(const AroundAxis& around, Walk&& walk) {
  if (around.outer * around.size * around.inner == 0) return;
  const int64_t blocks = (around.inner + kColumns - 1) / kColumns;
  const int64_t grain = std::max<int64_t>(1, kPieceElements / (around.size * std::min(around.inner, kColumns)));
  parallel_for(around.outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t o = piece / blocks, j = piece % blocks * kColumns;
      walk(o, j, std::min(kColumns, around.inner - j));
    }
  });
}

// What is folded so far. Floats fold in double, integers wrap.
template <typename T>
struct FoldedAs {
  using type = double;
};
template <std::integral T>
struct FoldedAs<T> {
  using type = std::make_unsigned_t<T>;
};
template <typename T>
using Folded = typename FoldedAs<T>::type;
template <typename T>
struct Sum {
  Folded<T> total = 0;
  void take(T x) { total = static_cast<Folded<T>>(total + static_cast<Folded<T>>(x)); }
  Folded<T> value() const { return total; }
};
template <typename T>
struct Product {
  Folded<T> total = 1;
  // In 64 bits: two 16-bit numbers would be multiplied as int, and overflow it.
  void take(T x) {
    if constexpr (std::is_integral_v<T>) total = static_cast<Folded<T>>(uint64_t{total} * static_cast<Folded<T>>(x));
    else total *= static_cast<double>(x);
  }
  Folded<T> value() const { return total; }
};
template <typename T>
struct LogSumExp {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;  // sum of exp(x - most)
  void take(T x_) {
    const auto x = static_cast<double>(x_);
    if (x == most) {  // infinite ones too
      sum += std::isinf(x) && x < 0 ? 0 : 1;
    } else if (x > most) {
      sum = sum * std::exp(most - x) + 1;
      most = x;
    } else {
      sum += std::exp(x - most);
    }
  }
  double value() const { return sum == 0 ? most : most + std::log(sum); }
};

template <template <typename> typename Fold, bool floats = false>
class ScanKernel final : public Kernel {
 public:
  explicit ScanKernel(const NodeView& view)
      : dtype_(view.in(0).dtype),
        around_(view.in(0).shape, scan_axis(view.attrs())),
        exclusive_(scan_exclusive(view.attrs())),
        reverse_(scan_reverse(view.attrs())) {
    description = "columns";
  }
  bool allows_in_place(size_t, size_t) const override { return true; }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      if constexpr (!std::is_same_v<T, bool> && (!floats || !std::is_integral_v<T>))
        walk<T>(static_cast<const T*>(args.in[0]), static_cast<T*>(args.out[0]));
    });
  }

 private:
  template <typename T>
  static T stored(auto folded) {
    if constexpr (is_narrow<T>) return T(static_cast<float>(folded));
    else return static_cast<T>(folded);
  }

  template <typename T>
  void walk(const T* in, T* out) const {
    if (around_.inner == 1) return walk_rows(in, out);
    for_each_walk(around_, [&](int64_t o, int64_t j, int64_t columns) {
      Fold<T> folds[kColumns];
      for (int64_t i = 0; i < around_.size; ++i) {
        const int64_t row = (o * around_.size + (reverse_ ? around_.size - 1 - i : i)) * around_.inner + j;
        for (int64_t c = 0; c < columns; ++c) {
          const T x = in[row + c];  // read before it may be overwritten
          if (exclusive_) out[row + c] = stored<T>(folds[c].value());
          folds[c].take(x);
          if (!exclusive_) out[row + c] = stored<T>(folds[c].value());
        }
      }
    });
  }

  // Along the last axis a step waits for the one before it: several rows go side by side.
  template <typename T>
  void walk_rows(const T* in, T* out) const {
    constexpr int64_t kRows = 4;
    const int64_t n = around_.size;
    if (n == 0) return;
    parallel_for((around_.outer + kRows - 1) / kRows, std::max<int64_t>(1, kPieceElements / (n * kRows)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t block = begin; block < end; ++block) {
                     const int64_t first = block * kRows, rows = std::min(kRows, around_.outer - first);
                     if (rows == kRows) walk_side_by_side<T, kRows>(in + first * n, out + first * n);
                     else
                       for (int64_t r = first; r < first + rows; ++r)
                         walk_side_by_side<T, 1>(in + r * n, out + r * n);
                   }
                 });
  }
  template <typename T, int64_t kRows>
  void walk_side_by_side(const T* in, T* out) const {
    constexpr int64_t kChunk = 128;  // through the stack: rows a power of two apart would share the cache's sets
    T chunk[kRows][kChunk];
    Fold<T> folds[kRows];
    const int64_t n = around_.size;
    for (int64_t done = 0; done < n; done += kChunk) {
      const int64_t length = std::min(kChunk, n - done), at = reverse_ ? n - done - length : done;
      for (int64_t r = 0; r < kRows; ++r) std::copy_n(in + r * n + at, length, chunk[r]);
      for (int64_t step = 0; step < length; ++step)
        for (int64_t r = 0; r < kRows; ++r) {
          T& x = chunk[r][reverse_ ? length - 1 - step : step];
          const T before = stored<T>(folds[r].value());
          folds[r].take(x);
          x = exclusive_ ? before : stored<T>(folds[r].value());
        }
      for (int64_t r = 0; r < kRows; ++r) std::copy_n(chunk[r], length, out + r * n + at);
    }
  }

  DType dtype_;
  AroundAxis around_;
  bool exclusive_, reverse_;
};

class ArgKernel final : public Kernel {
 public:
  explicit ArgKernel(const NodeView& view)
      : dtype_(view.in(0).dtype),
        to_i32_(view.out(0).dtype == i32),
        largest_(view.node.op == &op::argmax),
        around_(view.in(0).shape, static_cast<int>(view.attrs()[0])) {
    description = "columns";
  }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      if (largest_) walk<T, true>(static_cast<const T*>(args.in[0]), args.out[0]);
      else walk<T, false>(static_cast<const T*>(args.in[0]), args.out[0]);
    });
  }

 private:
  // A row of numbers side by side: the best of it in lanes, then where it stands first. False where NaN alone, or
  // nothing better than the worst, is there.
  template <typename T, bool largest>
  static bool find_in_row(const T* row, int64_t n, int64_t& at) {
    constexpr int64_t kLanes = 16;
    constexpr T worst = largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    T lanes[kLanes];
    std::fill_n(lanes, kLanes, worst);
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) {
        const T x = row[i + l];
        lanes[l] = (largest ? x > lanes[l] : x < lanes[l]) ? x : lanes[l];
      }
    T best = worst;
    for (T x : lanes) best = (largest ? x > best : x < best) ? x : best;
    for (; i < n; ++i) best = (largest ? row[i] > best : row[i] < best) ? row[i] : best;
    if (best == worst) return false;
    at = std::find(row, row + n, best) - row;
    return true;
  }

  template <typename T, bool largest>
  void walk(const T* in, void* out) const {
    for_each_walk(around_, [&](int64_t o, int64_t j, int64_t columns) {
      Compared<T> best[kColumns];
      int64_t at[kColumns] = {};
      const T* first = in + o * around_.size * around_.inner + j;
      if constexpr (!is_narrow<T> && !std::is_same_v<T, bool>)
        if (around_.inner == 1 && find_in_row<T, largest>(first, around_.size, at[0])) return store(out, o, at[0]);
      for (int64_t c = 0; c < columns; ++c) best[c] = static_cast<Compared<T>>(first[c]);
      for (int64_t i = 1; i < around_.size; ++i)
        for (int64_t c = 0; c < columns; ++c) {
          const auto x = static_cast<Compared<T>>(first[i * around_.inner + c]);
          const bool better = (largest ? x > best[c] : x < best[c]) || (best[c] != best[c] && x == x);
          best[c] = better ? x : best[c];
          at[c] = better ? i : at[c];
        }
      for (int64_t c = 0; c < columns; ++c) {
        store(out, o * around_.inner + j + c, at[c]);
      }
    });
  }
  void store(void* out, int64_t to, int64_t at) const {
    if (to_i32_) static_cast<int32_t*>(out)[to] = static_cast<int32_t>(at);
    else static_cast<int64_t*>(out)[to] = at;
  }

  DType dtype_;
  bool to_i32_, largest_;
  AroundAxis around_;
};

class IotaKernel final : public Kernel {
 public:
  explicit IotaKernel(const NodeView& view) : dtype_(view.out(0).dtype), size_(view.out(0).shape.elements()) {}
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      if constexpr (!std::is_same_v<T, bool>)
        parallel_for(size_, kPieceElements, [&](int64_t begin, int64_t end) {
          T* const out = static_cast<T*>(args.out[0]);
          if (end <= std::numeric_limits<int32_t>::max()) {  // 32-bit counters fill vectors
            for (auto i = static_cast<int32_t>(begin); i < static_cast<int32_t>(end); ++i)
              out[i] = static_cast<T>(static_cast<Compared<T>>(i));
          } else {
            for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(static_cast<Compared<T>>(i));
          }
        });
    });
  }

 private:
  DType dtype_;
  int64_t size_;
};

}  // namespace

void add_scan_kernels(Registry& registry) {
  registry.add(kDevice, op::cumsum, {"columns", kPriority, always, prepare<ScanKernel<Sum>>});
  registry.add(kDevice, op::cumprod, {"columns", kPriority, always, prepare<ScanKernel<Product>>});
  registry.add(kDevice, op::cumulative_logsumexp,
               {"columns", kPriority, always, prepare<ScanKernel<LogSumExp, true>>});
  registry.add(kDevice, op::argmax, {"columns", kPriority, always, prepare<ArgKernel>});
  registry.add(kDevice, op::argmin, {"columns", kPriority, always, prepare<ArgKernel>});
  registry.add(kDevice, op::iota, {"count", kPriority, always, prepare<IotaKernel>});
}

}  // namespace brio::cpu
