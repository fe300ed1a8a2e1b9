// top_k and searchsorted: rows in parallel, each sorted or searched by one thread.
#include <algorithm>
#include <numeric>

#include "brio/backends/cpu/lower.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/sorting.h"

namespace brio::cpu {
namespace {

constexpr int64_t kPieceElements = 1 << 12;

template <typename T>
auto compared(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return static_cast<float>(x);
  else return x;
}

// Orders positions in the output itself, so that it needs no memory: all of them by a sort, the first k by a heap
// whose top is the last of them.
class TopKKernel final : public Kernel {
 public:
  explicit TopKKernel(const NodeView& view) : dtype_(view.in(0).dtype), ascending_(top_k_ascending(view.attrs())) {
    const Shape &in = view.in(0).shape, &out = view.out(0).shape;
    n_ = in[in.rank() - 1];
    k_ = out[out.rank() - 1];
    rows_ = k_ == 0 ? 0 : out.elements() / k_;
    description = k_ == n_ ? "sort" : "heap";
  }
  void run(const KernelArgs& args) const override {
    visit(dtype_, [&](auto t) {
      using T = decltype(t);
      parallel_for(rows_, std::max<int64_t>(1, kPieceElements / std::max<int64_t>(n_, 1)),
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
    if (k_ == n_) {
      std::sort(at, at + k_, before);
    } else {
      std::make_heap(at, at + k_, before);
      for (auto i = static_cast<int32_t>(k_); i < n_; ++i) {
        if (!before(i, at[0])) continue;
        std::pop_heap(at, at + k_, before);
        at[k_ - 1] = i;
        std::push_heap(at, at + k_, before);
      }
      std::sort_heap(at, at + k_, before);
    }
    for (int64_t i = 0; i < k_; ++i) values[i] = x[at[i]];
  }

  DType dtype_;
  bool ascending_;
  int64_t n_, k_, rows_;
};

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
      parallel_for(count_, kPieceElements, [&](int64_t begin, int64_t end) {
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
  registry.add(kDevice, op::searchsorted, {"bisection", kPriority, always, prepare<SearchKernel>});
}

}  // namespace brio::cpu
