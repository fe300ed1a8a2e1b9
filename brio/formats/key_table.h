// From the keys of a message to the positions of a fixed set of keys. Files repeat the same order of keys in message
// after message, so the position that came at this place the last time is tried first.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "brio/formats/example_scan.h"

namespace brio::formats {

class KeyTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMostPlaces = 4096;  // that are remembered of a map

  // Throws InvalidArgument where two keys are equal.
  explicit KeyTable(std::vector<std::string> keys) : keys_(std::move(keys)) {
    const size_t size = std::bit_ceil(2 * keys_.size() + 1);
    table_.assign(size, kNone);
    for (uint32_t i = 0; i < keys_.size(); ++i) {
      size_t at = hash(keys_[i]) & (size - 1);
      for (; table_[at] != kNone; at = (at + 1) & (size - 1))
        if (keys_[table_[at]] == keys_[i])
          throw InvalidArgument(cat("[parse_example] the feature '", keys_[i], "' is given twice"));
      table_[at] = i;
    }
  }

  size_t size() const { return keys_.size(); }

  uint32_t find(std::string_view key) const {
    for (size_t at = hash(key) & (table_.size() - 1); table_[at] != kNone; at = (at + 1) & (table_.size() - 1))
      if (keys_[table_[at]] == key) return table_[at];
    return kNone;
  }

  // The value of each key in a map message, by position; those with no data() are missing. `order` holds what was
  // found at each place of the last map, of this table or of another.
  void locate(std::string_view map, const wire::Message& message, std::string_view* values,
              std::vector<uint32_t>& order) const {
    size_t place = 0;
    each_entry(map, message, [&](std::string_view key, std::string_view value) {
      if (place == order.size() && place < kMostPlaces) order.push_back(kNone);
      uint32_t position = place < order.size() ? order[place] : kNone;
      if (position >= keys_.size() || !same(keys_[position], key)) {
        position = find(key);
        if (place < order.size()) order[place] = position;
      }
      ++place;
      if (position != kNone) values[position] = value;  // the last one counts
    });
  }

 private:
  static bool same(const std::string& a, std::string_view b) {
    if (a.size() != b.size()) return false;
    // Two words that overlap: a call costs more than the comparison.
    if (a.size() >= 8 && a.size() <= 16) return same_ends<uint64_t>(a, b);
    if (a.size() >= 4 && a.size() < 8) return same_ends<uint32_t>(a, b);
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
  template <typename Word>
  static bool same_ends(const std::string& a, std::string_view b) {
    const size_t last = a.size() - sizeof(Word);
    return wire::load<Word>(a.data()) == wire::load<Word>(b.data()) &&
           wire::load<Word>(a.data() + last) == wire::load<Word>(b.data() + last);
  }
  // Keys of a message are hostile, but there is nothing to fill: the table holds the caller's own.
  static size_t hash(std::string_view key) {
    uint64_t h = key.size() * 0x9e3779b97f4a7c15U;
    for (size_t i = 0; i < key.size();) {
      uint64_t word = 0;
      const size_t part = key.size() - i < 8 ? key.size() - i : 8;
      std::memcpy(&word, key.data() + i, part);
      h = (h ^ word) * 0xff51afd7ed558ccdU;
      h ^= h >> 32;
      i += part;
    }
    return h;
  }

  std::vector<std::string> keys_;
  std::vector<uint32_t> table_;  // at least half of it empty
};

}  // namespace brio::formats
