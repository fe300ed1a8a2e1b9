// What a Python function does with its tensors, written down call by call, so that it can be done again with other
// tensors by any thread, without Python and without the interpreter's lock. Strings, pictures to decode and sizes
// that depend on values are no obstacle: a replay calls the same C++ functions, eagerly.
//
// Where Python looks at a tensor that depends on the arguments, what it saw is a guard: its shape, or the value of a
// few bytes. A replay in which a guard does not hold stops there; the function may go another way with such
// arguments. What a guard cannot hold spoils the journal: then only Python knows.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "brio/python/operation.h"

namespace brio::python {

class Journal {
 public:
  static constexpr size_t kLargestValue = 64;  // bytes that a guard holds

  explicit Journal(const std::vector<Tensor>& arguments);

  // While it is written, on the thread whose current_journal it is.
  void step(Deferred call, const std::vector<TensorArgument>& arguments, const std::vector<Tensor>& results);
  void saw_shape(const Tensor& tensor);
  void saw_value(const Tensor& tensor);
  // A binding took the tensor without saying what for: it belongs to the next step, or the journal is spoiled.
  void taken(const Tensor& tensor);
  void made(const Tensor& tensor);  // on its way to Python
  void spoil(std::string reason);
  void draws_with(uint64_t seed) {
    if (!seed_) seed_ = seed;
  }
  void calls_python() { needs_values_ = true; }  // a step does

  // Ends it. What it holds is then computed and constant: any number of threads may replay it.
  void finish(const std::vector<Tensor>& results);
  const std::string& spoiled() const { return spoiled_; }  // why; empty: it is good
  std::optional<uint64_t> seed() const { return seed_; }   // of the first draw that has one
  bool needs_values() const { return needs_values_; }      // it cannot be part of a traced function

  // False where a guard does not hold.
  bool replay(const std::vector<Tensor>& arguments, std::vector<Tensor>& results) const;

 private:
  static constexpr uint32_t kConstant = ~uint32_t{0};
  struct Source {  // a slot, or a tensor that is the same each time
    uint32_t slot = kConstant;
    Tensor constant = {};
  };
  struct Step {
    Deferred call;
    std::vector<Source> inputs;
    uint32_t first;                        // slot of its first result
    std::vector<DType> dtypes;             // of the results
    std::vector<uint32_t> last_used = {};  // slots that nobody needs behind it
  };
  struct Guard {
    uint32_t slot;
    Shape shape;
    bool has_value;
    std::string value = {};
  };

  Source source_of(const Tensor& tensor);
  bool knows(const Tensor& tensor) const { return slot_of_.contains(tensor.impl()); }
  static bool holds(const Guard& guard, const Tensor& tensor);

  std::vector<Tensor> slots_;  // while it is written; keeps the tensors alive, so that no two share an address
  std::unordered_map<const TensorImpl*, uint32_t> slot_of_;
  std::vector<Tensor> unexplained_;  // made by something that is no step
  std::vector<Tensor> taken_;
  size_t arguments_, n_slots_ = 0;
  std::vector<std::variant<Step, Guard>> entries_;
  std::vector<Source> results_;
  std::string spoiled_;
  bool needs_values_ = false;
  std::optional<uint64_t> seed_;
};

// What this thread calls is written there while the scope lives; null: nowhere.
class JournalScope {
 public:
  explicit JournalScope(Journal* journal) : before_(std::exchange(current_journal, journal)) {}
  JournalScope(const JournalScope&) = delete;
  JournalScope& operator=(const JournalScope&) = delete;
  ~JournalScope() { current_journal = before_; }

 private:
  Journal* before_;
};

}  // namespace brio::python
