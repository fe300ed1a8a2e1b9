// Sorting by digits: numbers become unsigned keys in the same order, keys and positions move together, byte by byte
// from the lowest. Stable, without comparisons (docs/decisions/sorting.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// A key in whose order x is sorted: NaN is the largest, -0 and 0 are equal.
template <typename T>
using SortKey = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <typename T>
SortKey<T> sort_key(T x) {
  using U = SortKey<T>;
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return sort_key(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr U sign = U{1} << (8 * sizeof(T) - 1);
    if (x != x) return static_cast<U>(~U{0});
    const U bits = std::bit_cast<U>(x + T{0});  // -0 + 0 is 0
    return static_cast<U>(bits & sign ? ~bits : bits | sign);
  } else {
    if constexpr (std::is_signed_v<T>) return static_cast<U>(static_cast<U>(x) + (U{1} << (8 * sizeof(U) - 1)));
    else return static_cast<U>(x);
  }
}

// A key with the position it came from. Keys of 32 bits share a word with it.
template <typename Key>
struct SortEntry {
  Key key;
  uint32_t at;
  bool operator<(const SortEntry& other) const { return key != other.key ? key < other.key : at < other.at; }
};
template <>
struct SortEntry<uint32_t> {
  uint64_t word;
  SortEntry() = default;
  SortEntry(uint32_t key, uint32_t at) : word(uint64_t{key} << 32 | at) {}
  bool operator<(const SortEntry& other) const { return word < other.word; }
};
inline uint32_t key_of(const SortEntry<uint32_t>& entry) { return static_cast<uint32_t>(entry.word >> 32); }
inline uint64_t key_of(const SortEntry<uint64_t>& entry) { return entry.key; }
inline uint32_t position_of(const SortEntry<uint32_t>& entry) { return static_cast<uint32_t>(entry.word); }
inline uint32_t position_of(const SortEntry<uint64_t>& entry) { return entry.at; }

// Passes over the entries, by kBits of their keys at a time.
template <int kBits, typename Key>
SortEntry<Key>* sort_by_digits(SortEntry<Key>* entries, SortEntry<Key>* other, size_t n) {
  constexpr size_t kDigits = (8 * sizeof(Key) + kBits - 1) / kBits, kValues = size_t{1} << kBits;
  const auto digit_of = [](const SortEntry<Key>& entry, size_t digit) {
    return static_cast<size_t>(key_of(entry) >> (kBits * digit)) & (kValues - 1);
  };
  uint32_t counts[kDigits][kValues] = {};
  for (size_t i = 0; i < n; ++i)
    for (size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][digit_of(entries[i], digit)];
  for (size_t digit = 0; digit < kDigits; ++digit) {
    uint32_t* next = counts[digit];
    if (next[digit_of(entries[0], digit)] == n) continue;  // all alike: nothing to do
    uint32_t sum = 0;
    for (size_t value = 0; value < kValues; ++value) sum += std::exchange(next[value], sum);
    for (size_t i = 0; i < n; ++i) other[next[digit_of(entries[i], digit)]++] = entries[i];
    std::swap(entries, other);
  }
  return entries;
}

// Sorts n < 2³² entries, whose positions ascend, and returns where they are: `entries` or `other`, which has room for
// as many.
template <typename Key>
SortEntry<Key>* radix_sort(SortEntry<Key>* entries, SortEntry<Key>* other, size_t n) {
  constexpr size_t kFew = 256, kMany = 1 << 14, kInCache = 1 << 17;
  if (n <= kFew) {
    std::sort(entries, entries + n);
    return entries;
  }
  // Three passes instead of four, where 2048 counts are little beside them, and the places that they name in cache.
  if (sizeof(Key) == 4 && n >= kMany && n <= kInCache) return sort_by_digits<11>(entries, other, n);
  return sort_by_digits<8>(entries, other, n);
}

}  // namespace brio::cpu
