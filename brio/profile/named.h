// Counts and times by name, in a table of fixed size: callbacks, functions that were traced, lines that read values.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brio::profile {

enum class NameKind : uint8_t { callback, function, plan, read_line, tape_line, note };

struct NamedRow {
  NameKind kind{};
  char name[160] = {};
  char detail[240] = {};  // the newest one; written under the table's lock
  std::atomic<uint64_t> count{0}, ticks{0};
};

// The row of this name; null if the table is full. It lives as long as the process.
NamedRow* row_of(NameKind kind, std::string_view name);
void set_detail(NamedRow& row, std::string_view detail);
inline void count(NamedRow* row, uint64_t ticks) {
  if (!row) return;
  row->count.fetch_add(1, std::memory_order_relaxed);
  row->ticks.fetch_add(ticks, std::memory_order_relaxed);
}

struct Named {
  std::string name, detail;
  uint64_t count = 0, ticks = 0;
};
std::vector<Named> named(NameKind kind);  // most time first, then the highest count
size_t named_bytes();

}  // namespace brio::profile
