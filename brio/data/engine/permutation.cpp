#include "brio/data/engine/permutation.h"

#include <bit>

#include "brio/base/philox.h"

namespace brio::data {
namespace {

constexpr uint64_t kTable = uint64_t{1} << 16;
constexpr uint64_t kStream = 0x73687566666c65;  // apart from the streams of samples

uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

}  // namespace

Permutation::Permutation(uint64_t n, uint64_t seed) : n_(n) {
  const RandomStream stream{seed, kStream};
  if (n <= kTable) {  // Fisher and Yates
    table_.resize(n);
    for (uint64_t i = 0; i < n; ++i) table_[i] = static_cast<uint16_t>(i);
    PhiloxCounter words{};
    for (uint64_t i = 0; i + 1 < n; ++i) {
      if (i % 4 == 0) words = stream.block(i / 4);
      std::swap(table_[i], table_[i + (uint64_t{words[i % 4]} * (n - i) >> 32)]);
    }
    return;
  }
  const int bits = std::bit_width(n - 1);
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
  for (size_t i = 0; i < 8; ++i) keys_[i] = stream.u64(i);
}

// A Feistel network over the next power of two: each round adds a hash of one half to the other, which can be undone,
// so no two inputs meet. Results of n and above are put through again.
uint64_t Permutation::once(uint64_t i) const {
  const uint64_t low_mask = (uint64_t{1} << low_bits_) - 1, high_mask = (uint64_t{1} << high_bits_) - 1;
  uint64_t low = i & low_mask, high = i >> low_bits_;
  for (int round = 0; round < 8; round += 2) {
    high = (high + mix(low + keys_[round])) & high_mask;
    low = (low + mix(high + keys_[round + 1])) & low_mask;
  }
  return high << low_bits_ | low;
}

}  // namespace brio::data
