// Sorting keys with their positions: by digits (brio/backends/cpu/kernels/radix_sort.h) beside std::sort. Checks
// first.
//
//   cmake --build build/release --target lab_sort && build/release/lab_sort
#include "brio/backends/cpu/kernels/radix_sort.h"

#include <cstdio>
#include <random>
#include <vector>

#include "bench/kernels/stopwatch.h"

namespace {

using namespace brio::cpu;

template <typename Key>
bool compare(const char* name, size_t n) {
  std::mt19937_64 random(n);
  std::vector<SortEntry<Key>> entries(n), other(n);
  for (size_t i = 0; i < n; ++i) entries[i] = {static_cast<Key>(random()), static_cast<uint32_t>(i)};
  std::vector<SortEntry<Key>> wanted = entries, given = entries;
  std::sort(wanted.begin(), wanted.end());
  const SortEntry<Key>* sorted = radix_sort<Key>(given.data(), other.data(), n);
  for (size_t i = 0; i < n; ++i)
    if (position_of(sorted[i]) != position_of(wanted[i])) return false;
  const auto anew = [&] { given = entries; };
  const double digits = brio::best_microseconds(anew, [&] { radix_sort<Key>(given.data(), other.data(), n); });
  const double by_comparison = brio::best_microseconds(anew, [&] { std::sort(given.begin(), given.end()); });
  std::printf("%-10s %8zu %12.1f %12.1f %8.1f\n", name, n, digits, by_comparison, by_comparison / digits);
  return true;
}

}  // namespace

int main() {
  std::printf("%-10s %8s %12s %12s %8s\n", "keys", "n", "digits, µs", "std::sort", "ratio");
  for (size_t n : {100u, 1000u, 10000u, 100000u, 1000000u})
    if (!compare<uint32_t>("32 bits", n) || !compare<uint64_t>("64 bits", n)) return std::puts("NOT SORTED"), 1;
}
