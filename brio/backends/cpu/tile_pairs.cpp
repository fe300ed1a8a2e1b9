#include "brio/backends/cpu/tile_pairs.h"

#include <string_view>
#include <vector>

#include "brio/backends/cpu/isa.h"
#include "brio/backends/cpu/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tile_pairs.cpp"
#include "brio/backends/cpu/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/simd_loops-inl.h"

#ifndef BRIO_CPU_PAIR_ROW
#define BRIO_CPU_PAIR_ROW
namespace brio::cpu {
struct PairRow {
  std::string_view first, second;
  bool swapped;
  TileFn fn;
};
struct PairTable {
  const PairRow* rows;
  size_t count;
};
}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

struct Add {
  static constexpr int kSources = 2;
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct Sub {
  static constexpr int kSources = 2;
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Sub(a, b);
  }
};
struct SubFrom {  // swapped: c - first
  static constexpr int kSources = 2;
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Sub(b, a);
  }
};
struct Mul {
  static constexpr int kSources = 2;
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Mul(a, b);
  }
};
struct Relu {
  static constexpr int kSources = 1;
  template <class D, class V>
  static HWY_INLINE V run(D d, V a) {
    return hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a);
  }
};
struct Square {
  static constexpr int kSources = 1;
  template <class D, class V>
  static HWY_INLINE V run(D, V a) {
    return hn::Mul(a, a);
  }
};

template <class First, class Second>
struct Pair {
  template <class D>
  static HWY_INLINE hn::Vec<D> run(D d, const float* a, const float* b, const float* c) {
    // Absent operands are never loaded: the sources of a pair stand side by side.
    hn::Vec<D> value;
    if constexpr (First::kSources == 2) value = First::run(d, hn::LoadU(d, a), hn::LoadU(d, b));
    else value = First::run(d, hn::LoadU(d, a));
    if constexpr (Second::kSources == 1) return Second::run(d, value);
    else return Second::run(d, value, hn::LoadU(d, First::kSources == 2 ? c : b));
  }
};

template <class P, size_t kLanes>
HWY_INLINE void pair_pieces(float* out, const float* a, const float* b, const float* c, size_t i, size_t n) {
  if constexpr (kLanes >= 1) {
    if (n & kLanes) {
      const hn::CappedTag<float, kLanes> d;
      hn::StoreU(P::run(d, a + i, b + i, c + i), d, out + i);
      i += kLanes;
    }
    pair_pieces<P, kLanes / 2>(out, a, b, c, i, n);
  }
}

template <class First, class Second>
void pair_loop(void* out_, const void* a_, const void* b_, const void* c_, size_t n) {
  using P = Pair<First, Second>;
  const hn::ScalableTag<float> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  float* out = static_cast<float*>(out_);
  const float* a = static_cast<const float*>(a_);
  // A null that is only offset, never read, stands in for itself.
  const float* b = b_ ? static_cast<const float*>(b_) : a;
  const float* c = c_ ? static_cast<const float*>(c_) : a;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(P::run(d, a + i, b + i, c + i), d, out + i);
  pair_pieces<P, kLanes / 2>(out, a, b, c, i, n);
}

#define BRIO_PAIRS_AFTER(name, First)                                                              \
  {name, "add", false, pair_loop<First, Add>}, {name, "add", true, pair_loop<First, Add>},         \
      {name, "sub", false, pair_loop<First, Sub>}, {name, "sub", true, pair_loop<First, SubFrom>}, \
      {name, "mul", false, pair_loop<First, Mul>}, {name, "mul", true, pair_loop<First, Mul>},     \
      {name, "relu", false, pair_loop<First, Relu>}, {                                             \
    name, "square", false, pair_loop<First, Square>                                                \
  }

}  // namespace

PairTable pair_table_here() {
  static constexpr PairRow kRows[] = {
      BRIO_PAIRS_AFTER("add", Add),   BRIO_PAIRS_AFTER("sub", Sub),       BRIO_PAIRS_AFTER("mul", Mul),
      BRIO_PAIRS_AFTER("relu", Relu), BRIO_PAIRS_AFTER("square", Square),
  };
  return {kRows, std::size(kRows)};
}
#undef BRIO_PAIRS_AFTER

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(pair_table_here);

namespace {

// The name of one of the kernels that pairs are made of; empty for any other.
std::string_view name_in_pairs(TileFn fn) {
  for (const std::string_view name : {"add", "sub", "mul", "relu", "square"})
    if (find_float_arithmetic(name, f32) == fn) return name;
  return {};
}

}  // namespace

TileFn find_tile_pair(TileFn first, TileFn second, bool swapped) {
  apply_isa_cap();
  const std::string_view first_name = name_in_pairs(first), second_name = name_in_pairs(second);
  if (first_name.empty() || second_name.empty()) return nullptr;
  const PairTable table = HWY_DYNAMIC_DISPATCH(pair_table_here)();
  for (size_t i = 0; i < table.count; ++i)
    if (const PairRow& row = table.rows[i];
        row.swapped == swapped && row.first == first_name && row.second == second_name)
      return row.fn;
  return nullptr;
}

TileProgram join_pairs(TileProgram program) {
  const int32_t leaves = static_cast<int32_t>(program.inputs.size() + program.constants.size());
  std::vector<int32_t> readers(static_cast<size_t>(leaves) + program.steps.size(), 0);
  for (const auto& step : program.steps)
    for (int32_t source : step.src)
      if (source >= 0) ++readers[static_cast<size_t>(source)];
  for (const auto& output : program.outputs) ++readers[static_cast<size_t>(output.reg)];
  for (const auto& reduction : program.reductions) ++readers[static_cast<size_t>(reduction.reg)];

  std::vector<int32_t> renumbered(readers.size());
  for (int32_t i = 0; i < leaves; ++i) renumbered[static_cast<size_t>(i)] = i;
  std::vector<TileProgram::Step> joined;
  for (size_t k = 0; k < program.steps.size(); ++k) {
    TileProgram::Step step = program.steps[k];
    const int32_t reg = leaves + static_cast<int32_t>(k);
    if (k + 1 < program.steps.size() && readers[static_cast<size_t>(reg)] == 1 && step.dtype == f32) {
      const TileProgram::Step& next = program.steps[k + 1];
      const bool swapped = next.src[1] == reg;
      if ((next.src[0] == reg || swapped) && next.dtype == f32 && next.src[2] < 0)
        if (const TileFn pair = find_tile_pair(step.fn, next.fn, swapped)) {
          const int32_t other = swapped ? next.src[0] : next.src[1];
          step.fn = pair;
          step.src[step.src[1] < 0 ? 1 : 2] = other;
          ++k;
        }
    }
    for (int32_t& source : step.src)
      if (source >= 0) source = renumbered[static_cast<size_t>(source)];
    renumbered[static_cast<size_t>(leaves) + k] = leaves + static_cast<int32_t>(joined.size());
    joined.push_back(step);
  }
  program.steps = std::move(joined);
  for (auto& output : program.outputs) output.reg = renumbered[static_cast<size_t>(output.reg)];
  for (auto& reduction : program.reductions) reduction.reg = renumbered[static_cast<size_t>(reduction.reg)];
  return program;
}

}  // namespace brio::cpu
#endif
