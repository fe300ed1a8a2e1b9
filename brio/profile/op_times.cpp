#include "brio/profile/op_times.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "brio/profile/clock.h"

namespace brio::profile {

constinit thread_local OpTimes* detail::op_table = nullptr;

// False: another op has it.
bool OpTimes::claim(Row& row, std::string_view op, uint64_t hash) {
  const std::lock_guard lock(claiming_);
  if (const uint64_t owner = row.hash.load(std::memory_order_relaxed)) return owner == hash;
  std::memcpy(row.name, op.data(), std::min(sizeof row.name - 1, op.size()));
  row.hash.store(hash, std::memory_order_release);
  return true;
}

void OpTimes::add(std::string_view op, uint64_t ticks) {
  const uint64_t hash = std::hash<std::string_view>()(op) | 1;
  for (size_t i = 0; i < kRows; ++i) {
    Row& row = rows_[(hash + i) % kRows];
    const uint64_t owner = row.hash.load(std::memory_order_acquire);
    if (owner != hash && (owner != 0 || !claim(row, op, hash))) continue;
    row.calls.fetch_add(1, std::memory_order_relaxed);
    row.ticks.fetch_add(ticks, std::memory_order_relaxed);
    return;
  }
}

std::vector<OpTime> OpTimes::read() const {
  std::vector<OpTime> list;
  const double tick = seconds_per_tick();
  for (const Row& row : rows_)
    if (const uint64_t calls = row.hash.load(std::memory_order_acquire) ? row.calls.load() : 0)
      list.push_back({row.name, calls, static_cast<double>(row.ticks.load()) * tick});
  std::ranges::sort(list, std::greater<>(), &OpTime::seconds);
  return list;
}

void OpTimes::clear() {
  for (Row& row : rows_) row.calls = row.ticks = 0;
}

OpTimes& training_ops() {
  static auto* made = new OpTimes;
  return *made;
}

}  // namespace brio::profile
