// gather_nd and the tensor_scatter ops: the indices become places first, so that one that lies outside is found
// before anything is written; then slices are copied or combined.
#include <algorithm>
#include <cstring>

#include "brio/backends/cpu/kernels/movement.h"
#include "brio/backends/cpu/kernels/movement_kernels.h"
#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/indexing/nd_indexing.h"

namespace brio::cpu {
namespace {

constexpr int64_t kPointsPiece = 256 << 10;

// What both kinds share: the places, in scratch memory.
class PointsKernel : public Kernel {
 public:
  explicit PointsKernel(const NodeView& view)
      : dtype_(view.in(0).dtype),
        size_(static_cast<int64_t>(size_of(dtype_))),
        indices_(*view.node.op, view.in(0), view.in(1), view.attrs()) {}
  size_t scratch_bytes() const override { return static_cast<size_t>(indices_.count) * sizeof(int64_t); }

 protected:
  const int64_t* places(const KernelArgs& args) const {
    auto* places = static_cast<int64_t*>(args.scratch);
    parallel_for(indices_.count, 1 << 14,
                 [&](int64_t begin, int64_t end) { indices_.places(args.in[1], begin, end, places); });
    return places;
  }

  DType dtype_;
  int64_t size_;  // of an element
  NdIndices indices_;
};

class GatherNdKernel final : public PointsKernel {
 public:
  explicit GatherNdKernel(const NodeView& view) : PointsKernel(view) { description = "copies"; }
  void run(const KernelArgs& args) const override {
    const int64_t* at = places(args);
    const int64_t row = indices_.slice * size_;
    const auto copy = [&](auto&& one) {
      parallel_for(indices_.count, std::max<int64_t>(1, kPointsPiece / std::max<int64_t>(row, 16)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       char* to = static_cast<char*>(args.out[0]) + i * row;
                       if (at[i] < 0) std::memset(to, 0, static_cast<size_t>(row));
                       else one(to, static_cast<const char*>(args.in[0]) + at[i] * row);
                     }
                   });
    };
    switch (row) {  // single elements: no call per copy
      case 0: return;
      case 4: return copy([](char* to, const char* from) { std::memcpy(to, from, 4); });
      case 8: return copy([](char* to, const char* from) { std::memcpy(to, from, 8); });
      default: return copy([&](char* to, const char* from) { std::memcpy(to, from, static_cast<size_t>(row)); });
    }
  }
};

template <typename T, typename F>
T combined(T x, T y) {
  using Wide = std::conditional_t<std::is_integral_v<T> || sizeof(T) >= 4, T, float>;
  return static_cast<T>(F()(static_cast<Wide>(x), static_cast<Wide>(y)));
}
// n elements that lie side by side.
using CombineFn = void (*)(void* to, const void* from, int64_t n);
template <typename T, typename F>
void combine(void* to_, const void* from_, int64_t n) {
  T* to = static_cast<T*>(to_);
  const T* from = static_cast<const T*>(from_);
  for (int64_t i = 0; i < n; ++i) to[i] = combined<T, F>(to[i], from[i]);
}
// n elements, each to its own place; none where that is negative.
using CombineSinglesFn = void (*)(void* to, const int64_t* at, const void* from, int64_t n);
template <typename T, typename F>
void combine_singles(void* to_, const int64_t* at, const void* from_, int64_t n) {
  T* to = static_cast<T*>(to_);
  const T* from = static_cast<const T*>(from_);
  for (int64_t i = 0; i < n; ++i)
    if (at[i] >= 0) to[at[i]] = combined<T, F>(to[at[i]], from[i]);
}

struct Plus {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
    else return x + y;
  }
};
struct Second {
  template <typename T>
  T operator()(T, T y) const {
    return y;
  }
};
struct Times {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
    else return x * y;
  }
};
struct Larger {
  template <typename T>
  T operator()(T x, T y) const {
    return y > x || y != y ? y : x;
  }
};
struct Smaller {
  template <typename T>
  T operator()(T x, T y) const {
    return y < x || y != y ? y : x;
  }
};

struct Combine {
  CombineFn many = nullptr;
  CombineSinglesFn singles = nullptr;
};
template <typename F>
Combine find_combine(DType dtype) {
  return visit(dtype, [](auto t) -> Combine {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool> || std::is_same_v<F, Second>)
      return {combine<T, F>, combine_singles<T, F>};
    else return {};
  });
}

class ScatterNdKernel final : public PointsKernel {
 public:
  explicit ScatterNdKernel(const NodeView& view) : PointsKernel(view), total_(view.out(0).shape.elements()) {
    const OpDef* op = view.node.op;
    if (op == &op::tensor_scatter_add) {
      combine_ = find_combine<Plus>(dtype_);
      combine_.many = find_add_to(dtype_);  // in vectors
    } else if (op == &op::tensor_scatter_mul) {
      combine_ = find_combine<Times>(dtype_);
    } else if (op == &op::tensor_scatter_max) {
      combine_ = find_combine<Larger>(dtype_);
    } else if (op == &op::tensor_scatter_min) {
      combine_ = find_combine<Smaller>(dtype_);
    } else {
      combine_ = find_combine<Second>(dtype_);
    }
    description = "in index order";
  }
  bool allows_in_place(size_t in, size_t) const override { return in == 0; }
  void run(const KernelArgs& args) const override {
    const int64_t* at = places(args);
    if (args.out[0] != args.in[0]) {
      const int64_t one = 1;
      strided_copy(static_cast<size_t>(size_), {&total_, 1}, {&one, 1}, {&one, 1}, args.in[0], args.out[0]);
    }
    const int64_t slice = indices_.slice, bytes = indices_.count * slice * size_;
    if (bytes == 0) return;
    if (slice == 1) return combine_.singles(args.out[0], at, args.in[2], indices_.count);
    // Pieces are columns of the slices; each takes all updates in their order, whatever the number of threads.
    const int64_t pieces = std::clamp<int64_t>(bytes / kPointsPiece, 1, (slice * size_ + 255) / 256);  // no narrower
    const int64_t width = (slice + pieces - 1) / pieces;
    parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
      for (int64_t piece = first; piece < last; ++piece) {
        const int64_t begin = piece * width, n = std::min(slice, begin + width) - begin;
        if (n <= 0) continue;
        for (int64_t i = 0; i < indices_.count; ++i) {
          if (at[i] < 0) continue;
          char* to = static_cast<char*>(args.out[0]) + (at[i] * slice + begin) * size_;
          const char* from = static_cast<const char*>(args.in[2]) + (i * slice + begin) * size_;
          combine_.many(to, from, n);
        }
      }
    });
  }

 private:
  int64_t total_;
  Combine combine_;
};

}  // namespace

void add_point_kernels(Registry& registry) {
  registry.add(kDevice, op::gather_nd, {"slices", kPriority, always, prepare<GatherNdKernel>});
  for (const OpDef* op : {&op::tensor_scatter_update, &op::tensor_scatter_add, &op::tensor_scatter_mul,
                          &op::tensor_scatter_max, &op::tensor_scatter_min})
    registry.add(kDevice, *op, {"slices", kPriority, always, prepare<ScatterNdKernel>});
}

}  // namespace brio::cpu
