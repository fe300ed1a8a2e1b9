#include "brio/nn/names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <vector>

#include "brio/base/error.h"

namespace brio::nn {
namespace {

// How many letters must be changed, added, dropped or swapped with the next; case does not count.
size_t edits(std::string_view a, std::string_view b) {
  auto same = [&](size_t i, size_t j) { return std::tolower(a[i - 1]) == std::tolower(b[j - 1]); };
  const size_t width = b.size() + 1;
  std::vector<size_t> d((a.size() + 1) * width);
  auto at = [&](size_t i, size_t j) -> size_t& { return d[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + !same(i, j)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return d.back();
}

std::mutex names_mutex;
std::map<std::string, int, std::less<>>& name_counts() {
  static auto* counts = new std::map<std::string, int, std::less<>>;
  return *counts;
}

}  // namespace

void throw_unknown(std::string_view what, std::string_view name, std::span<const std::string_view> known) {
  std::string message = cat("[", what, "] there is no ", what, " '", name, "'");
  const std::string_view* nearest = nullptr;
  size_t fewest = std::max<size_t>(2, name.size() / 2);
  for (const std::string_view& candidate : known)
    if (const size_t n = edits(name, candidate); n < fewest) {
      fewest = n;
      nearest = &candidate;
    }
  if (nearest) message += cat("; did you mean '", *nearest, "'?");
  message += nearest ? " Known:" : "; known:";
  for (size_t i = 0; i < known.size(); ++i) message += cat(i == 0 ? " " : ", ", known[i]);
  throw InvalidArgument(message);
}

std::string unique_name(std::string_view base) {
  std::lock_guard lock(names_mutex);
  const int count = name_counts()[std::string(base)]++;
  return count == 0 ? std::string(base) : cat(base, "_", count);
}

void reset_unique_names() {
  std::lock_guard lock(names_mutex);
  name_counts().clear();
}

}  // namespace brio::nn
