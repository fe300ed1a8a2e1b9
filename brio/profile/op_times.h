// Times of the steps of plans, by op. A thread that wants them sets a table while it runs plans: for one step of
// many, or one element of many.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace brio::profile {

struct OpTime {
  std::string op;
  uint64_t calls = 0;
  double seconds = 0;
};

class OpTimes {
 public:
  static constexpr size_t kRows = 40;
  OpTimes() = default;
  // For trials of a plan: ticks of each of its steps, in their order, and nothing by op.
  explicit OpTimes(std::vector<uint64_t>& by_step) : by_step_(&by_step) {}
  std::vector<uint64_t>* by_step() const { return by_step_; }
  void add(std::string_view op, uint64_t ticks);
  void begin_round(uint64_t n = 1) { rounds_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }  // steps or elements that were timed
  std::vector<OpTime> read() const;                                            // longest first
  void clear();

 private:
  struct Row {
    std::atomic<uint64_t> hash{0};  // 0: free; set once the name is there
    std::atomic<uint64_t> calls{0}, ticks{0};
    char name[40] = {};
  };
  bool claim(Row& row, std::string_view op, uint64_t hash);

  std::mutex claiming_;
  std::array<Row, kRows> rows_{};
  std::atomic<uint64_t> rounds_{0};
  std::vector<uint64_t>* by_step_ = nullptr;
};

namespace detail {
extern constinit thread_local OpTimes* op_table;
}

// The table of this thread; null: no times are wanted.
inline OpTimes* op_table() { return detail::op_table; }

// Takes the table of this thread away while it is held; null: there was none.
class TakenOpTable {
 public:
  TakenOpTable() : table_(detail::op_table) {
    if (table_) [[unlikely]]
      detail::op_table = nullptr;  // work inside a step counts as that step's time
  }
  ~TakenOpTable() {
    if (table_) [[unlikely]]
      detail::op_table = table_;
  }
  TakenOpTable(const TakenOpTable&) = delete;
  TakenOpTable& operator=(const TakenOpTable&) = delete;
  OpTimes* get() const { return table_; }

 private:
  OpTimes* table_;
};

class TimeOps {
 public:
  explicit TimeOps(OpTimes* table) : before_(detail::op_table) {
    if (table) detail::op_table = table;
  }
  ~TimeOps() { detail::op_table = before_; }
  TimeOps(const TimeOps&) = delete;
  TimeOps& operator=(const TimeOps&) = delete;

 private:
  OpTimes* before_;
};

// One of this many training steps is timed.
inline constexpr uint64_t kTimedSteps = 32;
OpTimes& training_ops();

}  // namespace brio::profile
