#include "brio/profile/op_times.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "brio/profile/clock.h"

namespace brio::profile {

constinit thread_local OpTimes* detail::op_table = nullptr;

void OpTimes::add(std::string_view op, uint64_t ticks) {
  const uint64_t hash = std::hash<std::string_view>()(op) | 1;
  for (size_t i = 0; i < kRows; ++i) {
    Row& row = rows_[(hash + i) % kRows];
    uint64_t found = row.hash.load(std::memory_order_acquire);
    if (found == 0 && row.hash.compare_exchange_strong(found, hash)) {
      const size_t n = std::min(sizeof row.name - 1, op.size());
      std::memcpy(row.name, op.data(), n);
      found = hash;
    }
    if (found != hash) continue;
    row.calls.fetch_add(1, std::memory_order_relaxed);
    row.ticks.fetch_add(ticks, std::memory_order_relaxed);
    return;
  }
}

std::vector<OpTime> OpTimes::read() const {
  std::vector<OpTime> list;
  const double tick = seconds_per_tick();
  for (const Row& row : rows_)
    if (const uint64_t calls = row.calls.load())
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
