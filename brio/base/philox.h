// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2,
// 3", 2011). A number is a pure function of (seed, stream, index), so any part of a tensor can be made by any thread,
// in any order, and again after a restart. Two streams of one seed never overlap: give each draw (an op's number, a
// step's counter) a stream of its own.
//
// The definitions, one number at a time; backends/cpu/kernels/random_fill.h fills arrays with the same bits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace brio {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

namespace philox {
inline constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
inline constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;  // golden ratio and √3 − 1: added to the key
inline constexpr int kRounds = 10;
}  // namespace philox

constexpr PhiloxCounter philox4x32(PhiloxCounter c, PhiloxKey key) {
  for (int round = 0; round < philox::kRounds; ++round) {
    const uint64_t p0 = uint64_t{philox::kMultiplier0} * c[0];
    const uint64_t p1 = uint64_t{philox::kMultiplier1} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += philox::kWeyl0;
    key[1] += philox::kWeyl1;
  }
  return c;
}

struct RandomStream {
  uint64_t seed = 0;    // the key
  uint64_t stream = 0;  // the high half of the counter; the low half counts blocks of four words

  constexpr PhiloxCounter block(uint64_t i) const {
    return philox4x32({static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), static_cast<uint32_t>(stream),
                       static_cast<uint32_t>(stream >> 32)},
                      {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  }

  constexpr uint32_t u32(uint64_t index) const { return block(index / 4)[index % 4]; }
  constexpr uint64_t u64(uint64_t index) const {
    const PhiloxCounter words = block(index / 2);
    const size_t low = index % 2 * 2;
    return words[low] | uint64_t{words[low + 1]} << 32;
  }

  // In [0, 1): every multiple of 2^-24 equally often; of 2^-52 for double.
  constexpr float uniform_f32(uint64_t index) const { return static_cast<float>(u32(index) >> 8) * 0x1p-24f; }
  constexpr double uniform_f64(uint64_t index) const {
    return std::bit_cast<double>(u64(index) >> 12 | 0x3ff0000000000000u) - 1.0;
  }

  // Standard normal, by Box and Muller from words 2p and 2p + 1, p = index / 2. |z| < 6.7 (f32) and 8.5 (f64).
  float normal_f32(uint64_t index) const {
    const float u = (static_cast<float>(static_cast<int32_t>(u32(index & ~1ull) >> 1)) + 0.5f) * 0x1p-31f;  // (0, 1]
    const float angle = uniform_f32(index | 1) * static_cast<float>(2 * std::numbers::pi);
    return std::sqrt(-2 * std::log(u)) * (index & 1 ? std::sin(angle) : std::cos(angle));
  }
  double normal_f64(uint64_t index) const {
    const double u = 1.0 - uniform_f64(index & ~1ull);  // (0, 1]
    const double angle = uniform_f64(index | 1) * (2 * std::numbers::pi);
    return std::sqrt(-2 * std::log(u)) * (index & 1 ? std::sin(angle) : std::cos(angle));
  }
};

}  // namespace brio
