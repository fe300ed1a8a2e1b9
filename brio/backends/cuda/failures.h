// A kernel that breaks the device (an address that is none, a stop of its own) takes everything of the process on
// that device with it, and the driver does not say which it was. A stream knows what was under way: the error names
// those ops, or the one where BRIO_CUDA_SYNC=1 waits for each.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/backends/cuda/libraries.h"

namespace brio::cuda {

using OpNames = std::vector<std::string_view>;

// What was handed to a stream last, by the tickets of it.
class UnderWay {
 public:
  void add(uint64_t ticket, std::string_view op) { put({ticket, op, nullptr}); }
  void add(uint64_t ticket, std::shared_ptr<const OpNames> ops) { put({ticket, {}, std::move(ops)}); }
  OpNames since(uint64_t passed) const;  // the distinct ones behind this ticket, as far as it goes back

 private:
  struct Entry {
    uint64_t ticket = 0;
    std::string_view op;
    std::shared_ptr<const OpNames> ops;  // of a graph
  };
  void put(Entry entry) {
    const std::lock_guard lock(mutex_);
    entries_[entry.ticket % entries_.size()] = std::move(entry);
  }
  mutable std::mutex mutex_;
  std::array<Entry, 64> entries_;
};

// "one of these ops: matmul, softmax"; with none, that nobody knows.
std::string named(std::span<const std::string_view> ops);

// Is it an answer that the driver gives from now on, whatever it is asked? A kernel broke the device.
bool is_broken(CUresult result);
// What is said of it; the ops are those that were under way.
std::string breakage(CUresult result, std::span<const std::string_view> ops);

bool waits_for_each();  // BRIO_CUDA_SYNC=1
// For tests: BRIO_CUDA_BREAK names an op, behind whose kernel another writes to an address that is none.
bool is_to_break(std::string_view op);

}  // namespace brio::cuda
