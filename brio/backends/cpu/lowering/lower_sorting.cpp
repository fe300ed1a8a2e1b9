// top_k and searchsorted: rows in parallel, each sorted or searched by one thread.
#include <algorithm>
#include <numeric>

#include "brio/backends/cpu/kernels/radix_sort.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/indexing/sorting.h"

namespace brio::cpu {
namespace {

constexpr int64_t kSortPiece = 1 << 12;

template <typename T>
auto compared(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return static_cast<float>(x);
  else return x;
}

// All of a row: by digits.
class SortKernel final : public Kernel {
 public:
  explicit SortKernel(const NodeView& view)
      : dtype_(view.in(0).dtype), flip_(top_k_ascending(view.attrs()) ? 0 : ~uint64_t{0}) {
    const Shape& in = view.in(0).shape;
    n_ = in[in.rank() - 1];
    rows_ = n_ == 0 ? Size(0) : in.elements() / n_;
    pieces_ = std::min<int64_t>(rows_, kMostPieces);
    description = "digits";
  }
  size_t scratch_bytes() const override {  // two lists of entries for each piece
    return static_cast<size_t>(2 * pieces_ * n_) * (size_of(dtype_) > 4 ? sizeof(SortEntry<uint64_t>) : 8);
  }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      using Entry = SortEntry<SortKey<T>>;
      const int64_t rows_per_piece = (rows_ + pieces_ - 1) / std::max<int64_t>(pieces_, 1);
      const int64_t grain = std::max<int64_t>(1, kSortPiece / std::max<int64_t>(rows_per_piece * n_, 1));
      parallel_for(pieces_, grain, [&](int64_t begin, int64_t end) {
        Entry* const entries = static_cast<Entry*>(args.scratch) + 2 * begin * n_;
        for (int64_t row = begin * rows_per_piece; row < std::min(rows_, end * rows_per_piece); ++row)
          sort_row(static_cast<const T*>(args.in[0]) + row * n_, entries, static_cast<T*>(args.out[0]) + row * n_,
                   static_cast<int32_t*>(args.out[1]) + row * n_);
      });
    });
  }

 private:
  static constexpr int64_t kMostPieces = 64;

  template <typename T, typename Entry>
  void sort_row(const T* x, Entry* entries, T* values, int32_t* at) const {
    using Key = SortKey<T>;
    for (int64_t i = 0; i < n_; ++i)
      entries[i] = {static_cast<Key>(sort_key(x[i]) ^ static_cast<Key>(flip_)), static_cast<uint32_t>(i)};
    const Entry* sorted = radix_sort<Key>(entries, entries + n_, static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      at[i] = static_cast<int32_t>(position_of(sorted[i]));
      values[i] = x[at[i]];
    }
  }

  DType dtype_;
  uint64_t flip_;  // over the keys: all ones to descend
  int64_t n_, rows_, pieces_;
};

// The first k of a row: a heap of positions, in the output itself, whose top is the last of them.
class TopKKernel final : public Kernel {
 public:
  explicit TopKKernel(const NodeView& view) : dtype_(view.in(0).dtype), ascending_(top_k_ascending(view.attrs())) {
    const Shape &in = view.in(0).shape, &out = view.out(0).shape;
    n_ = in[in.rank() - 1];
    k_ = out[out.rank() - 1];
    rows_ = k_ == 0 ? Size(0) : out.elements() / k_;
    description = "heap";
  }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      parallel_for(rows_, std::max<int64_t>(1, kSortPiece / std::max<int64_t>(n_, 1)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t row = begin; row < end; ++row)
                       order(static_cast<const T*>(args.in[0]) + row * n_, static_cast<T*>(args.out[0]) + row * k_,
                             static_cast<int32_t*>(args.out[1]) + row * k_);
                   });
    });
  }

 private:
  template <typename T>
  void order(const T* x, T* values, int32_t* at) const {
    const auto before = [&](int32_t a, int32_t b) {
      const auto p = compared(x[a]), q = compared(x[b]);
      return sorts_before(p, q, ascending_) || (a < b && !sorts_before(q, p, ascending_));
    };
    std::iota(at, at + k_, 0);
    std::make_heap(at, at + k_, before);
    for (auto i = static_cast<int32_t>(k_); i < n_; ++i) {
      const auto x_i = compared(x[i]), last = compared(x[at[0]]);
      if (ascending_ ? x_i >= last : x_i <= last) continue;  // most of them; later ones lose ties
      if (!before(i, at[0])) continue;
      std::pop_heap(at, at + k_, before);
      at[k_ - 1] = i;
      std::push_heap(at, at + k_, before);
    }
    std::sort_heap(at, at + k_, before);
    for (int64_t i = 0; i < k_; ++i) values[i] = x[at[i]];
  }

  DType dtype_;
  bool ascending_;
  int64_t n_, k_, rows_;
};

Support sort_supports(const NodeView& view) {
  return view.out(0).shape == view.in(0).shape ? Support::can() : Support::cannot("not all of a row is wanted");
}

class SearchKernel final : public Kernel {
 public:
  explicit SearchKernel(const NodeView& view)
      : dtype_(view.in(0).dtype),
        right_(searches_right(view.attrs())),
        to_i32_(view.out(0).dtype == i32),
        n_(view.in(0).shape[view.in(0).shape.rank() - 1]),
        m_(view.in(1).shape[view.in(1).shape.rank() - 1]),
        count_(view.out(0).shape.elements()) {
    description = "bisection";
  }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      parallel_for(count_, kSortPiece, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* sorted = static_cast<const T*>(args.in[0]) + i / m_ * n_;
          const int64_t at = find(sorted, compared(static_cast<const T*>(args.in[1])[i]));
          if (to_i32_) static_cast<int32_t*>(args.out[0])[i] = static_cast<int32_t>(at);
          else static_cast<int64_t*>(args.out[0])[i] = at;
        }
      });
    });
  }

 private:
  template <typename T, typename V>
  int64_t find(const T* sorted, V value) const {
    int64_t low = 0, high = n_;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const V x = compared(sorted[middle]);
      if (right_ ? !(value < x) : x < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  DType dtype_;
  bool right_, to_i32_;
  int64_t n_, m_, count_;
};

}  // namespace

void add_sorting_kernels(Registry& registry) {
  registry.add(kDevice, op::top_k, {"rows", kPriority, always, prepare<TopKKernel>});
  registry.add(kDevice, op::top_k, {"sort", kPriority + 1, sort_supports, prepare<SortKernel>});
  registry.add(kDevice, op::searchsorted, {"bisection", kPriority, always, prepare<SearchKernel>});
}

}  // namespace brio::cpu
