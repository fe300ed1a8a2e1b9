#include "brio/data/engine/block_order.h"

#include <algorithm>

#include "brio/base/philox.h"

namespace brio::data {

BlockOrder::BlockOrder(int64_t n, Sizes sizes, uint64_t seed) : n_(n), sizes_(sizes), seed_(seed) {
  blocks_ = n / sizes.block + (n % sizes.block != 0);
  missing_ = blocks_ * sizes.block - n;
  const RandomStream draws{seed, 0};
  const int64_t whole = missing_ == 0 ? blocks_ : blocks_ - 1;
  order_ = Permutation(static_cast<uint64_t>(whole), draws.u64(0));
  short_place_ = missing_ == 0 ? blocks_ : static_cast<int64_t>(draws.u64(1) % static_cast<uint64_t>(blocks_));
}

// Places behind the short block are counted as if it were whole: what it lacks is added.
BlockOrder::Position BlockOrder::position(int64_t place) const {
  const int64_t whole = sizes_.window * sizes_.block;
  const int64_t with_short = short_place_ / sizes_.window;
  if (place >= (with_short + 1) * whole - missing_) place += missing_;
  return {place / whole, place % whole};
}

int64_t BlockOrder::window_elements(int64_t window) const {
  const int64_t first = window * sizes_.window, end = std::min(blocks_, first + sizes_.window);
  return (end - first) * sizes_.block - (short_place_ >= first && short_place_ < end ? missing_ : 0);
}

int64_t BlockOrder::first_element(int64_t block_place) const {
  if (block_place == short_place_) return (blocks_ - 1) * sizes_.block;
  return static_cast<int64_t>(order_(static_cast<uint64_t>(block_place - (block_place > short_place_)))) *
         sizes_.block;
}

BlockOrder::Range BlockOrder::elements(int64_t block_place) const {
  const int64_t first = first_element(block_place);
  return {first, std::min(n_, first + sizes_.block)};
}

int64_t BlockOrder::operator()(int64_t place) {
  const Position at = position(place);
  if (at.window != mixed_) {
    within_ = Permutation(static_cast<uint64_t>(window_elements(at.window)),
                          RandomStream{seed_, 1}.u64(static_cast<uint64_t>(at.window)));
    mixed_ = at.window;
  }
  auto offset = static_cast<int64_t>(within_(static_cast<uint64_t>(at.offset)));
  const int64_t first = at.window * sizes_.window, short_offset = (short_place_ - first) * sizes_.block;
  const bool has_short = short_offset >= 0 && short_offset < sizes_.window * sizes_.block;
  if (has_short && offset >= short_offset + sizes_.block - missing_) offset += missing_;
  return first_element(first + offset / sizes_.block) + offset % sizes_.block;
}

}  // namespace brio::data
