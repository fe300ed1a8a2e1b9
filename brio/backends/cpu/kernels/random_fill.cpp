#include "brio/backends/cpu/kernels/random_fill.h"

#include <algorithm>
#include <cstring>

#include "brio/base/simd_targets.h"
#include "brio/base/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/random_fill.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

constexpr size_t kGroupWords = 4;

inline void group_words(const RandomStream& stream, uint64_t block, uint32_t* HWY_RESTRICT out) {
  const PhiloxCounter words = stream.block(block);
  std::copy(words.begin(), words.end(), out);
}

inline void uniform_f32(const uint32_t* words, float* out) {
  for (size_t i = 0; i < kGroupWords; ++i) out[i] = static_cast<float>(words[i] >> 8) * 0x1p-24f;
}

#else

// A group is two independent chains of one vector of blocks each, enough to hide the latency of the multiplications.
constexpr hn::ScalableTag<uint64_t> d64;
constexpr hn::ScalableTag<uint32_t> d32;
constexpr size_t kGroupWords = 4 * 2 * hn::MaxLanes(d64);

// Four words of each block in the low halves of 64-bit lanes; the high halves hold rubbish.
template <typename V>
struct Blocks {
  V c0, c1, c2, c3;

  HWY_INLINE void round(V m0, V m1, V k0, V k1) {
    const V p0 = mul(c0, m0), p1 = mul(c2, m1);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), k0);
    c1 = p1;
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), k1);
    c3 = p0;
  }

  // Writes the words in order. InterleaveLower and -Upper pick alternate lanes, which counters() has foreseen.
  HWY_INLINE void store(uint32_t* HWY_RESTRICT out) const {
    const V low = hn::Set(d64, 0xffffffffu);
    const V c01 = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
    const V c23 = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    uint64_t* HWY_RESTRICT out64 = reinterpret_cast<uint64_t*>(out);
    hn::StoreU(hn::InterleaveLower(d64, c01, c23), d64, out64);
    hn::StoreU(hn::InterleaveUpper(d64, c01, c23), d64, out64 + hn::MaxLanes(d64));
  }

 private:
  static HWY_INLINE V mul(V a, V b) { return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b)); }
};

// Block numbers: lane 2i holds first + i, lane 2i + 1 holds first + lanes / 2 + i.
HWY_INLINE hn::Vec<decltype(d64)> counters(uint64_t first) {
  const auto lane = hn::Iota(d64, 0);
  const auto half = hn::ShiftRight<1>(lane);
  const auto odd = hn::And(lane, hn::Set(d64, 1));
  const auto offset =
      hn::IfThenElse(hn::Eq(odd, hn::Zero(d64)), half, hn::Add(half, hn::Set(d64, hn::MaxLanes(d64) / 2)));
  return hn::Add(hn::Set(d64, first), offset);
}

HWY_INLINE void group_words(const RandomStream& stream, uint64_t block, uint32_t* HWY_RESTRICT out) {
  using V = hn::Vec<decltype(d64)>;
  const V m0 = hn::Set(d64, philox::kMultiplier0), m1 = hn::Set(d64, philox::kMultiplier1);
  const V s0 = hn::Set(d64, stream.stream & 0xffffffffu), s1 = hn::Set(d64, stream.stream >> 32);
  const V first = counters(block), second = hn::Add(first, hn::Set(d64, hn::MaxLanes(d64)));
  Blocks<V> a{first, hn::ShiftRight<32>(first), s0, s1};
  Blocks<V> b{second, hn::ShiftRight<32>(second), s0, s1};
  uint32_t k0 = static_cast<uint32_t>(stream.seed), k1 = static_cast<uint32_t>(stream.seed >> 32);
  for (int round = 0; round < philox::kRounds; ++round) {
    const V key0 = hn::Set(d64, k0), key1 = hn::Set(d64, k1);
    a.round(m0, m1, key0, key1);
    b.round(m0, m1, key0, key1);
    k0 += philox::kWeyl0;
    k1 += philox::kWeyl1;
  }
  a.store(out);
  b.store(out + kGroupWords / 2);
}

HWY_INLINE void uniform_f32(const uint32_t* words, float* out) {
  constexpr hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  for (size_t i = 0; i < kGroupWords; i += hn::MaxLanes(df)) {
    const auto bits = hn::BitCast(di, hn::ShiftRight<8>(hn::LoadU(d32, words + i)));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, bits), hn::Set(df, 0x1p-24f)), df, out + i);
  }
}

#endif

// What one group of words becomes, for each kind of number. Type is that of the output.
struct Words32 {
  using Type = uint32_t;
  static HWY_INLINE void make(const uint32_t* words, uint32_t* out) { std::memcpy(out, words, 4 * kGroupWords); }
};
struct Words64 {
  using Type = uint64_t;
  static HWY_INLINE void make(const uint32_t* words, uint64_t* out) { std::memcpy(out, words, 4 * kGroupWords); }
};
struct UniformF32 {
  using Type = float;
  static HWY_INLINE void make(const uint32_t* words, float* out) { uniform_f32(words, out); }
};
struct UniformF64 {
  using Type = double;
  static HWY_INLINE void make(const uint32_t* words, double* out) {
    constexpr hn::ScalableTag<double> df;
    const hn::RebindToUnsigned<decltype(df)> du;
    const uint64_t* in = reinterpret_cast<const uint64_t*>(words);
    for (size_t i = 0; i < kGroupWords / 2; i += hn::MaxLanes(df)) {
      const auto bits = hn::Or(hn::ShiftRight<12>(hn::LoadU(du, in + i)), hn::Set(du, 0x3ff0000000000000u));
      hn::StoreU(hn::Sub(hn::BitCast(df, bits), hn::Set(df, 1.0)), df, out + i);
    }
  }
};

// `u` in (0, 1] and `turns` in [0, 1), one of each per pair; writes pairs (cosine, sine).
template <typename T>
HWY_INLINE void box_muller(const T* u, const T* turns, T* HWY_RESTRICT out, size_t pairs) {
  constexpr hn::ScalableTag<T> d;
  HWY_ALIGN T cosine[hn::MaxLanes(d)];
  HWY_ALIGN T sine[hn::MaxLanes(d)];
  const size_t step = std::min(hn::MaxLanes(d), pairs);
  for (size_t i = 0; i < pairs; i += step) {
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(d, T{-2}), hn::Log(d, hn::LoadU(d, u + i))));
    const auto angle = hn::Mul(hn::LoadU(d, turns + i), hn::Set(d, static_cast<T>(2 * std::numbers::pi)));
    hn::Store(hn::Mul(radius, hn::Cos(d, angle)), d, cosine);
    hn::Store(hn::Mul(radius, hn::Sin(d, angle)), d, sine);
    for (size_t j = 0; j < step; ++j) {
      out[2 * (i + j)] = cosine[j];
      out[2 * (i + j) + 1] = sine[j];
    }
  }
}

struct NormalF32 {
  using Type = float;
  static HWY_INLINE void make(const uint32_t* words, float* out) {
    constexpr size_t pairs = kGroupWords / 2;
    HWY_ALIGN float u[pairs];
    HWY_ALIGN float turns[pairs];
    for (size_t p = 0; p < pairs; ++p) {
      u[p] = (static_cast<float>(static_cast<int32_t>(words[2 * p] >> 1)) + 0.5f) * 0x1p-31f;
      turns[p] = static_cast<float>(static_cast<int32_t>(words[2 * p + 1] >> 8)) * 0x1p-24f;
    }
    box_muller(u, turns, out, pairs);
  }
};
struct NormalF64 {
  using Type = double;
  static HWY_INLINE void make(const uint32_t* words, double* out) {
    constexpr size_t pairs = kGroupWords / 4;
    HWY_ALIGN double uniform[2 * pairs];
    UniformF64::make(words, uniform);
    HWY_ALIGN double u[pairs];
    HWY_ALIGN double turns[pairs];
    for (size_t p = 0; p < pairs; ++p) {
      u[p] = 1.0 - uniform[2 * p];
      turns[p] = uniform[2 * p + 1];
    }
    box_muller(u, turns, out, pairs);
  }
};

// Numbers first … first + n. The ends, where a group is not whole, go through the same code and a buffer, so that the
// bits do not depend on where an array begins.
template <typename Kind>
void fill(void* out_bytes, size_t n, const RandomStream& stream, uint64_t first) {
  using T = typename Kind::Type;
  constexpr size_t group = kGroupWords * 4 / sizeof(T);
  constexpr size_t per_block = 16 / sizeof(T);
  T* out = static_cast<T*>(out_bytes);
  HWY_ALIGN uint32_t words[kGroupWords];
  HWY_ALIGN T partial[group];
  uint64_t block = first / per_block;
  const size_t skip = first % per_block;
  if (skip != 0 && n > 0) {
    group_words(stream, block, words);
    Kind::make(words, partial);
    const size_t count = std::min(n, per_block - skip);
    std::copy_n(partial + skip, count, out);
    out += count;
    n -= count;
    ++block;
  }
  for (; n >= group; n -= group, out += group, block += group / per_block) {
    group_words(stream, block, words);
    Kind::make(words, out);
  }
  if (n > 0) {
    group_words(stream, block, words);
    Kind::make(words, partial);
    std::copy_n(partial, n, out);
  }
}

void fill_u32(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<Words32>(out, n, s, first); }
void fill_u64(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<Words64>(out, n, s, first); }
void fill_uf32(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<UniformF32>(out, n, s, first); }
void fill_uf64(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<UniformF64>(out, n, s, first); }
void fill_nf32(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<NormalF32>(out, n, s, first); }
void fill_nf64(void* out, size_t n, const RandomStream& s, uint64_t first) { fill<NormalF64>(out, n, s, first); }

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {

HWY_EXPORT(fill_u32);
HWY_EXPORT(fill_u64);
HWY_EXPORT(fill_uf32);
HWY_EXPORT(fill_uf64);
HWY_EXPORT(fill_nf32);
HWY_EXPORT(fill_nf64);

using Fill = void(void*, size_t, const RandomStream&, uint64_t);

template <typename T>
void fill_parallel(Fill* fill, T* out, size_t n, const RandomStream& stream, uint64_t first) {
  constexpr int64_t grain = 1 << 16;  // some tens of microseconds
  parallel_for(static_cast<int64_t>(n), grain, [&](int64_t begin, int64_t end) {
    fill(out + begin, static_cast<size_t>(end - begin), stream, first + static_cast<uint64_t>(begin));
  });
}

}  // namespace

void fill_random_u32(uint32_t* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_u32), out, n, stream, first);
}
void fill_random_u64(uint64_t* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_u64), out, n, stream, first);
}
void fill_uniform_f32(float* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_uf32), out, n, stream, first);
}
void fill_uniform_f64(double* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_uf64), out, n, stream, first);
}
void fill_normal_f32(float* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_nf32), out, n, stream, first);
}
void fill_normal_f64(double* out, size_t n, RandomStream stream, uint64_t first) {
  fill_parallel(HWY_DYNAMIC_DISPATCH(fill_nf64), out, n, stream, first);
}

}  // namespace brio::cpu
#endif  // HWY_ONCE
