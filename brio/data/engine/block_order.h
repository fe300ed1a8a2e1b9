// A shuffle for elements that are stored one after another in files where reads here and there are slow. Blocks of
// neighbours come in a random order, and so do the elements of each window of several blocks. So reads within a short
// time are close together. Like a Permutation it is a pure function of a seed, and every element comes once.
#pragma once

#include <cstdint>

#include "brio/data/engine/permutation.h"

namespace brio::data {

class BlockOrder {
 public:
  // n elements in blocks of `block`; `window` blocks are mixed.
  struct Sizes {
    int64_t block = 1, window = 1;
    bool operator==(const Sizes&) const = default;
  };
  BlockOrder() = default;
  BlockOrder(int64_t n, Sizes sizes, uint64_t seed);

  int64_t operator()(int64_t place);  // the element at a place of the order; fast for places of one window

  // Blocks by their place in the order, and the position of a place of the order in its block.
  int64_t blocks() const { return blocks_; }
  struct Range {
    int64_t first, end;
  };
  Range elements(int64_t block_place) const;
  struct Position {
    int64_t window, offset;  // of an element in its window
  };
  Position position(int64_t place) const;
  int64_t window() const { return sizes_.window; }

 private:
  int64_t first_element(int64_t block_place) const;
  int64_t window_elements(int64_t window) const;

  // The last block may be short. It comes at short_place_; the others are in the order of the permutation.
  int64_t n_ = 0, blocks_ = 0, short_place_ = 0, missing_ = 0;  // missing_: elements that the last block is short of
  Sizes sizes_;
  uint64_t seed_ = 0;
  Permutation order_;  // of the whole blocks
  int64_t mixed_ = -1;
  Permutation within_;  // of the elements of window mixed_
};

}  // namespace brio::data
