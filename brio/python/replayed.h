// A Python function over the elements of a dataset, which C++ calls from any thread: its journals are replayed, and
// Python is called only where none of them fits, or where the function cannot be written down.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "brio/python/journal.h"

namespace brio::python {

class Replayed {
 public:
  static constexpr size_t kMostJournals = 16;

  // python(*tensors) → a list of tensors. `who` is told in warnings: "Dataset.map".
  Replayed(nb::object python, std::string who) : python_(kept(std::move(python))), who_(std::move(who)) {}

  // Calls Python and keeps the journal. With the interpreter's lock.
  std::vector<Tensor> learn(const std::vector<Tensor>& example);
  // Can it be part of a traced function? Tried with the example. With the interpreter's lock.
  bool can_be_traced(const std::vector<Tensor>& example);

  // From any thread; takes the lock only where Python is called.
  std::vector<Tensor> operator()(const std::vector<Tensor>& element);

  size_t journals() const;
  std::optional<uint64_t> seed() const;  // that the function's own draws were given
  std::string runs_as_python() const;    // why; empty: it does not
  int64_t python_calls() const { return python_calls_; }

 private:
  // With the journals behind the first `tried`.
  bool replay(const std::vector<Tensor>& element, size_t& tried, std::vector<Tensor>& results) const;
  std::vector<Tensor> call_python(const std::vector<Tensor>& element);
  void give_up(const std::string& reason, double seconds);

  std::shared_ptr<nb::object> python_;
  std::string who_;
  std::mutex learning_;       // taken before the interpreter's lock
  mutable std::mutex mutex_;  // of what follows
  std::vector<std::shared_ptr<const Journal>> journals_;
  std::string reason_;
  std::atomic<bool> as_python_{false};
  std::atomic<int64_t> python_calls_{0};
};

}  // namespace brio::python
