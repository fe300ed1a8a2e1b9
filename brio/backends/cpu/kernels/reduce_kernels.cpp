#include "brio/backends/cpu/kernels/reduce_kernels.h"

#include <bit>
#include <cstring>
#include <limits>

#include "brio/backends/cpu/loops/scalar_definitions.h"
#include "brio/base/error.h"
#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/reduce_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/float_ops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

#ifndef BRIO_CPU_REDUCE_LOOPS
#define BRIO_CPU_REDUCE_LOOPS
namespace brio::cpu {
struct ReduceLoops {
  void (*rows)(void*, const void*, size_t, size_t) = nullptr;
  void (*lanes)(void*, const void*, size_t) = nullptr;
  void (*fold)(void*, const void*) = nullptr;
  void (*columns)(void*, const void*, size_t, size_t) = nullptr;
};
}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// Each operation on one element and on a vector; the two agree bit for bit.
template <typename T>
struct SumOf {
  static constexpr T identity() { return T{0}; }
  static T run(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a + b;
    else return scalar::Add::run(a, b);
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Add(a, b);
  }
};
template <typename T>
struct ProdOf {
  static constexpr T identity() { return T{1}; }
  static T run(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a * b;
    else return scalar::Mul::run(a, b);
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Mul(a, b);
  }
};
template <typename T>
struct MaxOf {
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::lowest();
  }
  static T run(T a, T b) { return a > b || a != a ? a : b; }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return Max::run(hn::DFromV<V>(), b, a);
  }
  // Where neither is NaN.
  template <class V>
  static HWY_INLINE V of_numbers(V a, V b) {
    return hn::Max(a, b);
  }
};
template <typename T>
struct MinOf {
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::max();
  }
  static T run(T a, T b) { return a < b || a != a ? a : b; }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return Min::run(hn::DFromV<V>(), b, a);
  }
  // Where neither is NaN.
  template <class V>
  static HWY_INLINE V of_numbers(V a, V b) {
    return hn::Min(a, b);
  }
};

template <class Op, typename T>
HWY_INLINE T reduce_in_sequence(const T* p, size_t n) {
  T result = Op::identity();
  for (size_t i = 0; i < n; ++i) result = Op::run(result, p[i]);
  return result;
}

// Plain forms: lanes are an array, which the compiler keeps in registers or in the L1 cache.
template <class Op, typename T>
struct PlainReduce {
  static void lanes(void* lanes_, const void* source, size_t n) {
    T* acc = static_cast<T*>(lanes_);
    const T* p = static_cast<const T*>(source);
    for (; n >= kReduceLanes; n -= kReduceLanes, p += kReduceLanes)
      for (size_t l = 0; l < kReduceLanes; ++l) acc[l] = Op::run(acc[l], p[l]);
    for (size_t l = 0; l < n; ++l) acc[l] = Op::run(acc[l], p[l]);
  }
  static void fold(void* out, const void* lanes_) {
    T acc[kReduceLanes];
    std::memcpy(acc, lanes_, sizeof acc);
    for (size_t half = kReduceLanes / 2; half >= 1; half /= 2)
      for (size_t l = 0; l < half; ++l) acc[l] = Op::run(acc[l], acc[l + half]);
    *static_cast<T*>(out) = acc[0];
  }
  static void rows(void* out, const void* source, size_t row_count, size_t length) {
    const T* p = static_cast<const T*>(source);
    T* result = static_cast<T*>(out);
    for (size_t r = 0; r < row_count; ++r, p += length) {
      if (length <= kSequentialRun) {
        result[r] = reduce_in_sequence<Op>(p, length);
      } else {
        alignas(64) T acc[kReduceLanes];
        for (T& lane : acc) lane = Op::identity();
        lanes(acc, p, length);
        fold(result + r, acc);
      }
    }
  }
  static void columns(void* accumulator, const void* source, size_t row_count, size_t width) {
    T* acc = static_cast<T*>(accumulator);
    const T* p = static_cast<const T*>(source);
    for (size_t r = 0; r < row_count; ++r, p += width)
      for (size_t j = 0; j < width; ++j) acc[j] = Op::run(acc[j], p[j]);
  }
};

#if HWY_TARGET == HWY_SCALAR
template <class Op, typename T>
using FloatReduce = PlainReduce<Op, T>;
#else

// Combines the upper half of a vector with the lower until one lane is left.
template <class Op, class D>
HWY_INLINE hn::TFromD<D> fold_vector(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    const hn::Half<D> half;
    return fold_vector<Op>(half, Op::vector(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    v = Op::vector(v, hn::Shuffle1032(v));
    v = Op::vector(v, hn::Shuffle2301(v));
    return hn::GetLane(v);
  } else {
    (void)d;
    return hn::GetLane(Op::vector(v, hn::Shuffle01(v)));
  }
}

template <class Op, typename T>
struct FloatReduce {
  using D = hn::ScalableTag<T>;
  static constexpr size_t kN = hn::MaxLanes(D());
  static constexpr size_t kVectors = kReduceLanes / kN;

  // x86 has no larger or smaller of two where one may be NaN; without that it is an instruction, which gives the same
  // of two zeros as Op. Numbers are then combined so, while NaN is looked for beside it.
  static constexpr bool kHasQuickForm = HWY_ARCH_X86 && requires(hn::Vec<D> a) { Op::of_numbers(a, a); };

  // accumulate() for n elements, a multiple of 64; false, and nothing done, where there is NaN.
  static HWY_INLINE bool accumulate_numbers(hn::Vec<D>* v, const T* p, size_t n) {
    const D d;
    hn::Vec<D> w[kVectors];
    hn::Mask<D> numbers[kVectors];
    for (size_t k = 0; k < kVectors; ++k) w[k] = v[k], numbers[k] = hn::Eq(v[k], v[k]);
    for (size_t i = 0; i < n; i += kReduceLanes)
      for (size_t k = 0; k < kVectors; ++k) {
        const auto x = hn::LoadU(d, p + i + k * kN);
        w[k] = Op::of_numbers(w[k], x);
        numbers[k] = hn::And(numbers[k], hn::Eq(x, x));
      }
    for (size_t k = 1; k < kVectors; ++k) numbers[0] = hn::And(numbers[0], numbers[k]);
    if (!hn::AllTrue(d, numbers[0])) return false;
    for (size_t k = 0; k < kVectors; ++k) v[k] = w[k];
    return true;
  }

  // v[k] holds lanes k·kN … of the 64; elements beyond n leave theirs alone.
  static HWY_INLINE void accumulate(hn::Vec<D>* v, const T* p, size_t n) {
    const D d;
    if constexpr (kHasQuickForm) {
      const size_t whole = n / kReduceLanes * kReduceLanes;
      if (accumulate_numbers(v, p, whole)) p += whole, n -= whole;
    }
    for (; n >= kReduceLanes; n -= kReduceLanes, p += kReduceLanes)
      for (size_t k = 0; k < kVectors; ++k) v[k] = Op::vector(v[k], hn::LoadU(d, p + k * kN));
    for (size_t k = 0; k < kVectors && n > 0; ++k, p += kN) {
      if (n >= kN) {
        v[k] = Op::vector(v[k], hn::LoadU(d, p));
        n -= kN;
      } else {
        v[k] = hn::IfThenElse(hn::FirstN(d, n), Op::vector(v[k], load_tail(d, p, n)), v[k]);
        n = 0;
      }
    }
  }
  static HWY_INLINE T fold_all(hn::Vec<D>* v) {
    for (size_t half = kVectors / 2; half >= 1; half /= 2)
      for (size_t k = 0; k < half; ++k) v[k] = Op::vector(v[k], v[k + half]);
    return fold_vector<Op>(D(), v[0]);
  }

  static void lanes(void* lanes_, const void* source, size_t n) {
    const D d;
    T* acc = static_cast<T*>(lanes_);
    hn::Vec<D> v[kVectors];
    for (size_t k = 0; k < kVectors; ++k) v[k] = hn::LoadU(d, acc + k * kN);
    accumulate(v, static_cast<const T*>(source), n);
    for (size_t k = 0; k < kVectors; ++k) hn::StoreU(v[k], d, acc + k * kN);
  }
  static void fold(void* out, const void* lanes_) {
    const D d;
    hn::Vec<D> v[kVectors];
    for (size_t k = 0; k < kVectors; ++k) v[k] = hn::LoadU(d, static_cast<const T*>(lanes_) + k * kN);
    *static_cast<T*>(out) = fold_all(v);
  }
  static void rows(void* out, const void* source, size_t row_count, size_t length) {
    const D d;
    const T* p = static_cast<const T*>(source);
    T* result = static_cast<T*>(out);
    if (length <= kSequentialRun) {
      for (size_t done = interleaved_rows(result, p, row_count, length); done < row_count; ++done)
        result[done] = reduce_in_sequence<Op>(p + done * length, length);
      return;
    }
    if (length <= kReduceLanes) return rows_within_lanes<1>(result, p, row_count, length);
    for (size_t r = 0; r < row_count; ++r, p += length) {
      hn::Vec<D> v[kVectors];
      for (size_t k = 0; k < kVectors; ++k) v[k] = hn::Set(d, Op::identity());
      accumulate(v, p, length);
      result[r] = fold_all(v);
    }
  }
  // Rows of at most 64 elements, kFull of whose vectors are whole (found by recursion) and the next one in part.
  template <size_t kFull>
  static HWY_INLINE void rows_within_lanes(T* result, const T* p, size_t row_count, size_t length) {
    const D d;
    if constexpr (kFull < kVectors) {
      if (length >= (kFull + 1) * kN) return rows_within_lanes<kFull + 1>(result, p, row_count, length);
    }
    const auto identity = hn::Set(d, Op::identity());
    const size_t left = length - kFull * kN;
    const auto in_part = hn::FirstN(d, left);
    for (size_t r = 0; r < row_count; ++r, p += length) {
      hn::Vec<D> v[kVectors];
      for (size_t k = 0; k < kVectors; ++k)
        v[k] = k < kFull ? Op::vector(identity, hn::LoadU(d, p + k * kN)) : identity;
      if constexpr (kFull < kVectors) {
        if (left > 0) {
          const auto part = Op::vector(identity, load_tail(d, p + kFull * kN, left));
          v[kFull] = hn::IfThenElse(in_part, part, identity);
        }
      }
      result[r] = fold_all(v);
    }
  }
  // Rows of two to four elements, a vector of rows at a time; returns how many rows were done.
  static HWY_INLINE size_t interleaved_rows(T* result, const T* p, size_t row_count, size_t length) {
    const D d;
    const auto start = hn::Set(d, Op::identity());
    hn::Vec<D> a = start, b = start, c = start, e = start;
    size_t r = 0;
    if (length == 2) {
      for (; r + kN <= row_count; r += kN) {
        hn::LoadInterleaved2(d, p + 2 * r, a, b);
        hn::StoreU(Op::vector(Op::vector(start, a), b), d, result + r);
      }
    } else if (length == 3) {
      for (; r + kN <= row_count; r += kN) {
        hn::LoadInterleaved3(d, p + 3 * r, a, b, c);
        hn::StoreU(Op::vector(Op::vector(Op::vector(start, a), b), c), d, result + r);
      }
    } else if (length == 4) {
      for (; r + kN <= row_count; r += kN) {
        hn::LoadInterleaved4(d, p + 4 * r, a, b, c, e);
        hn::StoreU(Op::vector(Op::vector(Op::vector(Op::vector(start, a), b), c), e), d, result + r);
      }
    }
    return r;
  }
  static void columns(void* accumulator, const void* source, size_t row_count, size_t width) {
    const D d;
    T* acc = static_cast<T*>(accumulator);
    const T* p = static_cast<const T*>(source);
    size_t j = 0;
    for (; j + 4 * kN <= width; j += 4 * kN) {
      auto v0 = hn::LoadU(d, acc + j), v1 = hn::LoadU(d, acc + j + kN);
      auto v2 = hn::LoadU(d, acc + j + 2 * kN), v3 = hn::LoadU(d, acc + j + 3 * kN);
      const T* row = p + j;
      for (size_t r = 0; r < row_count; ++r, row += width) {
        v0 = Op::vector(v0, hn::LoadU(d, row));
        v1 = Op::vector(v1, hn::LoadU(d, row + kN));
        v2 = Op::vector(v2, hn::LoadU(d, row + 2 * kN));
        v3 = Op::vector(v3, hn::LoadU(d, row + 3 * kN));
      }
      hn::StoreU(v0, d, acc + j);
      hn::StoreU(v1, d, acc + j + kN);
      hn::StoreU(v2, d, acc + j + 2 * kN);
      hn::StoreU(v3, d, acc + j + 3 * kN);
    }
    for (; j < width; j += kN) {
      const size_t n = HWY_MIN(kN, width - j);
      const T* row = p + j;
      if (n == kN) {
        auto v = hn::LoadU(d, acc + j);
        for (size_t r = 0; r < row_count; ++r, row += width) v = Op::vector(v, hn::LoadU(d, row));
        hn::StoreU(v, d, acc + j);
      } else {
        auto v = load_tail(d, acc + j, n);
        for (size_t r = 0; r < row_count; ++r, row += width) v = Op::vector(v, load_tail(d, row, n));
        store_tail(v, d, acc + j, n);
      }
    }
  }
};
#endif

template <template <class, typename> class Reduce, template <typename> class Op, typename T>
ReduceLoops loops() {
  using R = Reduce<Op<T>, T>;
  return {R::rows, R::lanes, R::fold, R::columns};
}

template <typename T>
ReduceLoops loops_of(ReduceKind kind) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (kind) {
      case ReduceKind::sum: return loops<FloatReduce, SumOf, T>();
      case ReduceKind::prod: return loops<FloatReduce, ProdOf, T>();
      case ReduceKind::max: return loops<FloatReduce, MaxOf, T>();
      case ReduceKind::min: return loops<FloatReduce, MinOf, T>();
      default: return {};
    }
  } else {
    switch (kind) {
      case ReduceKind::sum: return loops<PlainReduce, SumOf, T>();
      case ReduceKind::prod: return loops<PlainReduce, ProdOf, T>();
      case ReduceKind::max: return loops<PlainReduce, MaxOf, T>();
      case ReduceKind::min: return loops<PlainReduce, MinOf, T>();
      default: return {};
    }
  }
}

}  // namespace

// As elsewhere, the common dtypes are compiled for every instruction set and the others for the baseline.
ReduceLoops find_loops_here(ReduceKind kind, DType dtype) {
  switch (dtype) {
    case f64: return loops_of<double>(kind);
    case f32: return loops_of<float>(kind);
    case i32: return loops_of<int32_t>(kind);
    case i64: return loops_of<int64_t>(kind);
    case u8: return loops_of<uint8_t>(kind);
#if HWY_TARGET == HWY_STATIC_TARGET
    case i8: return loops_of<int8_t>(kind);
    case i16: return loops_of<int16_t>(kind);
    case u16: return loops_of<uint16_t>(kind);
    case u32: return loops_of<uint32_t>(kind);
    case u64: return loops_of<uint64_t>(kind);
#endif
    default: return {};
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {

template <typename T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T>
uint64_t identity_of(ReduceKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
    case ReduceKind::sum: return bits_of(T{0});
    case ReduceKind::prod: return bits_of(T{1});
    case ReduceKind::max: return bits_of(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    case ReduceKind::min: return bits_of(Limits::has_infinity ? Limits::infinity() : Limits::max());
    default: return 0;
  }
}

}  // namespace

HWY_EXPORT(find_loops_here);

ReduceKernel find_reduce_kernel(ReduceKind kind, DType dtype) {
  apply_isa_cap();
  const bool logical = kind == ReduceKind::any || kind == ReduceKind::all;
  BRIO_CHECK(!logical || dtype == boolean, "any and all reduce bool, not ", dtype);
  BRIO_CHECK(dtype != boolean || (kind != ReduceKind::sum && kind != ReduceKind::prod),
             "bool has no sum: cast it first");

  ReduceKernel kernel{};
  const bool half = dtype == f16 || dtype == bf16;
  kernel.accumulator = half ? f32 : dtype;
  if (half) {
    kernel.widen = find_tile_fn("cast", dtype, f32);
    kernel.narrow = find_tile_fn("cast", f32, dtype);
  }
  // On bytes 0 and 1, any is the maximum and all the minimum.
  const bool as_max = kind == ReduceKind::any || kind == ReduceKind::max;
  const ReduceKind arithmetic = logical ? (as_max ? ReduceKind::max : ReduceKind::min) : kind;
  const DType storage = kernel.accumulator == boolean ? u8 : kernel.accumulator;
  const char* names[] = {"add", "mul", "max", "min"};
  kernel.combine = find_tile_fn(names[static_cast<int>(arithmetic)], storage, storage);
  kernel.identity = dtype == boolean ? (as_max ? 0 : 1) : visit(storage, [&](auto t) -> uint64_t {
    using T = decltype(t);
    if constexpr (std::is_arithmetic_v<T>) return identity_of<T>(arithmetic);
    else return 0;
  });

  ReduceLoops loops = HWY_DYNAMIC_DISPATCH(find_loops_here)(arithmetic, storage);
  if (!loops.rows) loops = HWY_STATIC_DISPATCH(find_loops_here)(arithmetic, storage);
  kernel.rows = loops.rows;
  kernel.lanes = loops.lanes;
  kernel.fold = loops.fold;
  kernel.columns = loops.columns;
  return kernel;
}

}  // namespace brio::cpu
#endif
