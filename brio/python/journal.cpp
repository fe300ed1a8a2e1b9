#include "brio/python/journal.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::python {

constinit thread_local Journal* current_journal = nullptr;

void write_to_journal(Deferred call, const std::vector<TensorArgument>& arguments,
                      const std::vector<Tensor>& results) {
  current_journal->step(std::move(call), arguments, results);
}
void tell_journal_value(const Tensor& tensor) { current_journal->saw_value(tensor); }
void tell_journal_shape(const Tensor& tensor) { current_journal->saw_shape(tensor); }
void tell_journal_taken(const Tensor& tensor) { current_journal->taken(tensor); }
void tell_journal_made(const Tensor& tensor) { current_journal->made(tensor); }

std::vector<Tensor> performed(const Deferred& call, const std::vector<Tensor>& inputs) {
  if (!current_journal) return call(inputs);
  std::vector<Tensor> results = without_journal([&] { return call(inputs); });
  std::vector<TensorArgument> arguments;
  for (const Tensor& x : inputs) arguments.push_back({x});
  write_to_journal(call, arguments, results);
  return results;
}

namespace {

bool is_computed(const Tensor& x) { return x.impl()->computed.load(std::memory_order_acquire); }

// The value's bytes; none where there are more than a guard holds.
std::optional<std::string> small_value(const Tensor& x) {
  std::string bytes;
  const Array& array = x.array();
  if (x.dtype() != DType::string) {
    if (x.aval().bytes() > Journal::kLargestValue) return {};
    return std::string(static_cast<const char*>(x.impl()->data()), x.aval().bytes());
  }
  for (int64_t i = 0; i < x.size(); ++i) {
    const std::string_view text = string_at(array, i);
    bytes += cat(text.size(), ":");
    bytes += text;
    if (bytes.size() > Journal::kLargestValue) return {};
  }
  return bytes;
}

}  // namespace

Journal::Journal(const std::vector<Tensor>& arguments) : slots_(arguments), arguments_(arguments.size()) {
  for (size_t i = 0; i < slots_.size(); ++i) slot_of_.emplace(slots_[i].impl(), static_cast<uint32_t>(i));
}

void Journal::spoil(std::string reason) {
  if (spoiled_.empty()) spoiled_ = std::move(reason);
}

Journal::Source Journal::source_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  if (const auto found = slot_of_.find(tensor.impl()); found != slot_of_.end()) return {found->second, {}};
  const bool unexplained =
      std::ranges::any_of(unexplained_, [&](const Tensor& t) { return t.impl() == tensor.impl(); });
  if (unexplained || !is_computed(tensor))
    spoil(cat("it uses ", format_aval(tensor.aval()), " that a function made which cannot be replayed"));
  return {kConstant, tensor};
}

void Journal::step(Deferred call, const std::vector<TensorArgument>& arguments, const std::vector<Tensor>& results) {
  if (!spoiled_.empty()) return;
  Step step{std::move(call), {}, static_cast<uint32_t>(slots_.size()), {}};
  for (const TensorArgument& argument : arguments) step.inputs.push_back(source_of(argument.tensor));
  for (const Tensor& tensor : taken_)
    if (std::ranges::none_of(arguments, [&](const TensorArgument& a) { return a.tensor.impl() == tensor.impl(); }))
      spoil(cat("a function takes ", format_aval(tensor.aval()), " as an option, not as an input"));
  taken_.clear();
  for (const Tensor& result : results) {
    if (result.defined()) slot_of_.emplace(result.impl(), static_cast<uint32_t>(slots_.size()));
    slots_.push_back(result);
    step.dtypes.push_back(result.defined() ? result.dtype() : f32);
  }
  entries_.push_back(std::move(step));
}

void Journal::saw_shape(const Tensor& tensor) {
  if (!spoiled_.empty() || !knows(tensor)) return;
  const uint32_t slot = slot_of_[tensor.impl()];
  for (const auto& entry : entries_)
    if (const auto* guard = std::get_if<Guard>(&entry); guard && guard->slot == slot) return;
  entries_.push_back(Guard{slot, tensor.shape(), false});
}

void Journal::saw_value(const Tensor& tensor) {
  if (!spoiled_.empty() || !knows(tensor)) return;
  std::erase_if(taken_, [&](const Tensor& t) { return t.impl() == tensor.impl(); });
  std::optional<std::string> value = small_value(tensor);
  if (!value) return spoil(cat("it reads the values of ", format_aval(tensor.aval())));
  needs_values_ = true;
  entries_.push_back(Guard{slot_of_[tensor.impl()], tensor.shape(), true, std::move(*value)});
}

void Journal::taken(const Tensor& tensor) {
  if (!spoiled_.empty() || !knows(tensor)) return;
  saw_shape(tensor);
  taken_.push_back(tensor);
}

void Journal::made(const Tensor& tensor) {
  if (spoiled_.empty() && !knows(tensor) && !is_computed(tensor)) unexplained_.push_back(tensor);
}

void Journal::finish(const std::vector<Tensor>& results) {
  for (const Tensor& result : results) results_.push_back(source_of(result));
  for (const Tensor& tensor : taken_)
    spoil(cat("a function takes ", format_aval(tensor.aval()), " in a way that cannot be replayed"));
  n_slots_ = slots_.size();
  slots_.clear();
  slot_of_.clear();
  unexplained_.clear();
  taken_.clear();
  if (!spoiled_.empty()) return entries_.clear();
  auto compute = [](Source& source) {
    if (source.slot == kConstant && source.constant.defined()) source.constant.array();
  };
  std::ranges::for_each(results_, compute);
  // What nobody needs any more is let go, so that it need not be kept in memory between two steps.
  std::vector<bool> needed(n_slots_);
  for (const Source& source : results_)
    if (source.slot != kConstant) needed[source.slot] = true;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (const auto* guard = std::get_if<Guard>(&*entry)) {
      needed[guard->slot] = true;  // let go by the step behind it that uses it, or at the end
      continue;
    }
    auto& step = std::get<Step>(*entry);
    auto last = [&](uint32_t slot) {
      if (!needed[slot]) step.last_used.push_back(slot);
      needed[slot] = true;
    };
    for (uint32_t i = 0; i < step.dtypes.size(); ++i) last(step.first + i);  // a result that is not used
    for (Source& source : step.inputs) {
      compute(source);
      if (source.slot != kConstant) last(source.slot);
    }
  }
}

bool Journal::holds(const Guard& guard, const Tensor& tensor) {
  if (!(tensor.shape() == guard.shape)) return false;
  return !guard.has_value || small_value(tensor) == guard.value;
}

bool Journal::replay(const std::vector<Tensor>& arguments, std::vector<Tensor>& results) const {
  BRIO_CHECK(arguments.size() == arguments_ && spoiled_.empty());
  std::vector<Tensor> slots(n_slots_), inputs;
  std::ranges::copy(arguments, slots.begin());
  for (const auto& entry : entries_) {
    if (const auto* guard = std::get_if<Guard>(&entry)) {
      if (!holds(*guard, slots[guard->slot])) return false;
      continue;
    }
    const auto& step = std::get<Step>(entry);
    inputs.clear();
    for (const Source& source : step.inputs)
      inputs.push_back(source.slot == kConstant ? source.constant : slots[source.slot]);
    std::vector<Tensor> made = step.call(inputs);
    if (made.size() != step.dtypes.size()) return false;
    for (size_t i = 0; i < made.size(); ++i) {
      if (made[i].defined() && made[i].dtype() != step.dtypes[i]) return false;
      slots[step.first + i] = std::move(made[i]);
    }
    for (const uint32_t slot : step.last_used) slots[slot].reset();
  }
  results.clear();
  for (const Source& source : results_)
    results.push_back(source.slot == kConstant ? source.constant : slots[source.slot]);
  return true;
}

}  // namespace brio::python
