// A permutation of 0 … n-1 that is a pure function of a seed. Nothing is stored for large n, so any number of items
// can be shuffled without memory and without delay.
#pragma once

#include <cstdint>
#include <vector>

namespace brio::data {

class Permutation {
 public:
  Permutation() = default;
  Permutation(uint64_t n, uint64_t seed);
  uint64_t operator()(uint64_t i) const {
    if (!table_.empty()) return table_[i];
    do i = once(i);
    while (i >= n_);
    return i;
  }

 private:
  uint64_t once(uint64_t i) const;

  uint64_t n_ = 0;
  int low_bits_ = 0, high_bits_ = 0;
  uint64_t keys_[8] = {};
  std::vector<uint16_t> table_;  // for few items, where mixing bits would leave patterns
};

}  // namespace brio::data
