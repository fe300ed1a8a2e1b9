// What reference kernels are made of. They are the living definition of the ops: slow, short, obviously right. Every
// other backend is compared with them.
//
// f16 and bf16 compute in float, and every op rounds its result to the dtype. Sums and products over many elements
// accumulate in double; integers wrap.
#pragma once

#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "brio/base/error.h"
#include "brio/runtime/backend.h"
#include "brio/tensor/complex.h"

namespace brio::reference {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One run of a kernel: types, attributes and memory.
struct Call {
  const OpDef& op;
  std::span<const Aval> in_avals, out_avals;
  Attrs attrs;
  const KernelArgs& args;

  const Shape& in_shape(size_t i) const { return in_avals[i].shape; }
  const Shape& out_shape(size_t i = 0) const { return out_avals[i].shape; }
  template <typename T>
  const T* in(size_t i) const {
    return static_cast<const T*>(args.in[i]);
  }
  template <typename T>
  T* out(size_t i = 0) const {
    return static_cast<T*>(args.out[i]);
  }
};
using RunFn = void (*)(const Call& call);

class ReferenceKernel final : public Kernel {
 public:
  ReferenceKernel(const NodeView& node, RunFn function)
      : op_(*node.node.op), attrs_(node.node.attrs), function_(function) {
    for (size_t i = 0; i < node.node.in.size(); ++i) in_.push_back(node.in(i));
    for (size_t i = 0; i < node.node.out.size(); ++i) out_.push_back(node.out(i));
    description = "reference";
  }
  void run(const KernelArgs& args) const override { function_({op_, in_, out_, Attrs(attrs_), args}); }

 private:
  const OpDef& op_;
  std::vector<Aval> in_, out_;
  std::vector<int64_t> attrs_;
  RunFn function_;
};

template <RunFn run>
void add(Registry& registry, const OpDef& op) {
  registry.add("cpu:0", op,
               {.name = "reference",
                .priority = 0,
                .supports = [](const NodeView&) { return Support::can(); },
                .prepare = [](const NodeView& node) -> std::unique_ptr<Kernel> {
                  return std::make_unique<ReferenceKernel>(node, run);
                }});
}

void add_elementwise(Registry& registry);
void add_complex(Registry& registry);
void add_fft(Registry& registry);
void add_reductions(Registry& registry);
void add_shape_ops(Registry& registry);
void add_products(Registry& registry);
void add_factorizations(Registry& registry);
void add_linear_solve(Registry& registry);
void add_convolutions(Registry& registry);
void add_pooling(Registry& registry);
void add_cast_many(Registry& registry);
void add_conv_pool(Registry& registry);
void add_column_moments(Registry& registry);
void add_indexing(Registry& registry);
void add_nd_indexing(Registry& registry);
void add_indexed_rows(Registry& registry);
void add_ranges(Registry& registry);
void add_scan_ops(Registry& registry);
void add_sorting(Registry& registry);
void add_random(Registry& registry);
void add_distributions(Registry& registry);
void add_composites(Registry& registry);
void add_row_norm(Registry& registry);
void add_lstm_gates(Registry& registry);
void add_attention(Registry& registry);
void add_optimizer_ops(Registry& registry);

// ---- numbers

template <typename T>
inline constexpr bool is_float =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool is_int = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// What a T is computed in: float for the narrow floats.
template <typename T>
using Wide = std::conditional_t<is_float<T> && sizeof(T) == 2, float, T>;
template <typename T>
Wide<T> wide(T x) {
  return static_cast<Wide<T>>(x);
}

// Arithmetic of integers wraps: in uint64, so that nothing overflows on the way.
template <typename T>
T plus(T a, T b) {
  if constexpr (is_int<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}
template <typename T>
T minus(T a, T b) {
  if constexpr (is_int<T>) return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else return a - b;
}
template <typename T>
T times(T a, T b) {
  if constexpr (is_int<T>) return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else if constexpr (is_complex_number<T>) return product(a, b);
  else return a * b;
}

// What long sums of T are kept in, and how they end.
template <typename T>
using Accumulator =
    std::conditional_t<is_float<T>, double,
                       std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;
template <typename T>
T rounded(Accumulator<T> sum) {
  if constexpr (is_float<T> && sizeof(T) == 2) return T(static_cast<float>(sum));
  else return static_cast<T>(sum);
}

// Calls f for floating-point, or for numeric, dtypes alone: shape rules have refused the others.
template <typename F>
void visit_floats(DType dtype, F&& f) {
  visit(dtype, [&](auto t) {
    if constexpr (is_float<decltype(t)>) f(t);
  });
}
template <typename F>
void visit_numbers(DType dtype, F&& f) {
  visit(dtype, [&](auto t) {
    if constexpr (!std::is_same_v<decltype(t), bool>) f(t);
  });
}
// Numbers and complex ones.
template <typename F>
void visit_arithmetic(DType dtype, F&& f) {
  if (is_complex(dtype)) visit_complex(dtype, f);
  else visit_numbers(dtype, f);
}

// ---- positions

// Coordinates of a row-major position.
struct Coordinates {
  int64_t c[kMaxRank] = {};
  Coordinates(const Shape& shape, int64_t position) {
    for (int i = shape.rank() - 1; i >= 0; --i) {
      c[i] = position % shape[i];
      position /= shape[i];
    }
  }
  int64_t operator[](int i) const { return c[i]; }
};

// The position in `shape` of an element of a larger shape that `shape` is broadcast to.
inline int64_t broadcast_position(const Shape& shape, const Shape& to, int64_t position) {
  const Coordinates at(to, position);
  const Strides strides = row_major(shape);
  int64_t result = 0;
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1) result += at[i + to.rank() - shape.rank()] * strides[i];
  return result;
}

}  // namespace brio::reference
