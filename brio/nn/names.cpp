#include "brio/nn/names.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "brio/base/error.h"

namespace brio::nn {
namespace {

// How many letters must be changed, added or dropped; letters that differ in case alone count as equal.
size_t edits(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row[b.size()];
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
