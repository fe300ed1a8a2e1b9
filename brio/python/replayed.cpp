#include "brio/python/replayed.h"

#include <chrono>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/ir/recording.h"
#include "brio/ops/random/generator_scope.h"
#include "brio/runtime/function.h"

namespace brio::python {

std::vector<Tensor> Replayed::call_python(const std::vector<Tensor>& element) {
  ++python_calls_;
  nb::list arguments;
  for (const Tensor& x : element) arguments.append(wrap(x));
  std::vector<Tensor> results;
  for (nb::handle result : nb::iter((*python_)(*arguments))) results.push_back(tensor_of(result, {.as_input = true}));
  return results;
}

std::vector<Tensor> Replayed::learn(const std::vector<Tensor>& example) {
  if (as_python_) return call_python(example);
  {
    const Unlocked release;
    flush();  // what is pending from here on was made by the function
  }
  auto journal = std::make_shared<Journal>(example);
  std::vector<Tensor> results;
  const auto begin = std::chrono::steady_clock::now();
  {
    const JournalScope writing(journal.get());
    results = call_python(example);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  {
    const Unlocked release;
    journal->finish(results);
  }
  if (!journal->spoiled().empty()) {
    give_up(journal->spoiled(), seconds);
    return results;
  }
  bool too_many = false;
  {
    const std::lock_guard lock(mutex_);
    too_many = journals_.size() == kMostJournals;
    if (!too_many) journals_.push_back(std::move(journal));
  }
  if (too_many)
    give_up(cat("it goes another way for almost every element: after ", kMostJournals,
                " journals there still came one that fits none"),
            seconds);
  return results;
}

void Replayed::give_up(const std::string& reason, double seconds) {
  {
    const std::lock_guard lock(mutex_);
    if (as_python_) return;
    reason_ = reason;
    as_python_ = true;
  }
  const std::string text =
      cat(who_, ": the function runs in Python for every element, one thread at a time (",
          static_cast<int64_t>(seconds * 1e6), " us for the one that was measured), because ", reason,
          ". Use functions of tf instead of NumPy's and Python's, or tf.py_function for that part");
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 4) != 0) throw nb::python_error();
}

bool Replayed::can_be_traced(const std::vector<Tensor>& example) {
  std::shared_ptr<const Journal> journal;
  {
    const std::lock_guard lock(mutex_);
    if (as_python_ || journals_.empty() || journals_[0]->needs_values()) return false;
    journal = journals_[0];
  }
  const Unlocked release;
  try {
    detail::TracedFunction trial([&](const std::vector<Tensor>& given) {
      std::vector<Tensor> results;
      if (!journal->replay(given, results)) throw InvalidArgument("a guard does not hold");
      return results;
    });
    std::vector<Tensor> results;
    trial.call(example.data(), example.size(), results);
    for (const Tensor& result : results) result.array();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    return false;  // strings, pictures, sizes that depend on values
  }
  return true;
}

bool Replayed::replay(const std::vector<Tensor>& element, size_t& tried, std::vector<Tensor>& results) const {
  std::vector<std::shared_ptr<const Journal>> journals;
  {
    const std::lock_guard lock(mutex_);
    journals.assign(journals_.begin() + static_cast<std::ptrdiff_t>(tried), journals_.end());
  }
  tried += journals.size();
  const bool traced = is_tracing();
  Generator& generator = random::generator();
  const Generator::State before = generator.state();
  for (const auto& journal : journals) {
    if (traced && journal->needs_values()) continue;
    if (journal->replay(element, results)) return true;
    generator.restore(before);  // the next one draws the same numbers
  }
  return false;
}

std::vector<Tensor> Replayed::operator()(const std::vector<Tensor>& element) {
  std::vector<Tensor> results;
  size_t tried = 0;
  if (!as_python_) {
    if (replay(element, tried, results)) return results;
    // One thread at a time learns: perhaps what another one has just learnt fits too.
    const std::lock_guard lock(learning_);
    if (replay(element, tried, results)) return results;
    const Locked locked;
    return is_tracing() ? call_python(element) : learn(element);
  }
  const Locked locked;
  return call_python(element);
}

size_t Replayed::journals() const {
  const std::lock_guard lock(mutex_);
  return journals_.size();
}

std::optional<uint64_t> Replayed::seed() const {
  const std::lock_guard lock(mutex_);
  return journals_.empty() ? std::nullopt : journals_[0]->seed();
}

std::string Replayed::runs_as_python() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

}  // namespace brio::python
