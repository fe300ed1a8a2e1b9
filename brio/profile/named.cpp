#include "brio/profile/named.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace brio::profile {
namespace {

constexpr size_t kRows = 256;

struct NamedTable {
  std::mutex mutex;
  std::array<NamedRow, kRows> rows;
  size_t used = 0;
};
NamedTable& named_table() {
  static auto* made = new NamedTable;
  return *made;
}

void copy_text(char* to, size_t size, std::string_view text) {
  const size_t n = std::min(size - 1, text.size());
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

void forget_named() {
  NamedTable& t = named_table();
  new (&t.mutex) std::mutex;
  for (size_t i = 0; i < t.used; ++i) t.rows[i].count = t.rows[i].ticks = 0;
}
[[maybe_unused]] const int named_registered = pthread_atfork(nullptr, nullptr, forget_named);

}  // namespace

NamedRow* row_of(NameKind kind, std::string_view name) {
  NamedTable& t = named_table();
  name = name.substr(0, sizeof(NamedRow::name) - 1);
  const std::lock_guard lock(t.mutex);
  for (size_t i = 0; i < t.used; ++i)
    if (t.rows[i].kind == kind && name == t.rows[i].name) return &t.rows[i];
  if (t.used == kRows) return nullptr;
  NamedRow& row = t.rows[t.used++];
  row.kind = kind;
  copy_text(row.name, sizeof row.name, name);
  return &row;
}

void set_detail(NamedRow& row, std::string_view detail) {
  const std::lock_guard lock(named_table().mutex);
  copy_text(row.detail, sizeof row.detail, detail);
}

std::vector<Named> named(NameKind kind) {
  NamedTable& t = named_table();
  std::vector<Named> list;
  {
    const std::lock_guard lock(t.mutex);
    for (size_t i = 0; i < t.used; ++i)
      if (const NamedRow& row = t.rows[i]; row.kind == kind && row.count != 0)
        list.push_back({row.name, row.detail, row.count, row.ticks});
  }
  std::ranges::sort(list, [](const Named& a, const Named& b) {
    return a.ticks != b.ticks ? a.ticks > b.ticks : a.count > b.count;
  });
  return list;
}

size_t named_bytes() { return sizeof(NamedTable); }

}  // namespace brio::profile
