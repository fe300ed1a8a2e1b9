#include "brio/ops/variable.h"

#include <algorithm>

#include <ostream>

#include "brio/base/error.h"
#include "brio/ir/trace.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/shape_ops.h"

namespace brio {
namespace {

constinit thread_local std::optional<DType> autocast_dtype;

Tensor handle(TensorImpl* impl) {
  impl->refs.increment();
  return Tensor::adopt(impl);
}

// A running function has its variables locked.
void check_outside_host_call(const Recording& recording, const VariableImpl& variable) {
  if (recording.in_host_call)
    throw InvalidArgument(cat("[variable] a host function reads or assigns variable '", variable.name,
                              "'; give it the value as an input, and assign what it returns"));
}

// The traced value of a variable inside function(): a parameter at first, what was assigned later.
Recording::Cell& cell_in(Recording& trace, const std::shared_ptr<VariableImpl>& variable) {
  for (Recording::Cell& cell : trace.cells)
    if (cell.variable == variable) return cell;
  trace.cells.push_back({variable, kNone, {}, false});
  return trace.cells.back();
}

Tensor traced_value(Recording& trace, const std::shared_ptr<VariableImpl>& variable) {
  Recording::Cell& cell = cell_in(trace, variable);
  if (!cell.current.defined()) {
    cell.current = add_parameter(trace, variable->aval);
    cell.leaf = cell.current.impl()->value;
  }
  return cell.current;
}

// A variable that is read under tapes gets a node of its own, at which they begin to follow it: what was assigned to
// it before is cut off, as in TensorFlow.
Tensor followed_read(Recording& recording, VariableImpl& variable, const Tensor& value) {
  uint8_t watching = 0;
  for (Recording::Tape* tape : recording.tapes) {
    // One that does not watch all of them follows those that it was told to watch: they have been read for it.
    const auto is_this = [&](const auto& known) { return known.first == &variable; };
    if (tape->watch_variables || std::ranges::any_of(tape->reads, is_this)) watching |= tape->bit;
  }
  watching &= recording.tapes_active;
  if (!watching) return value;
  auto& read = variable.read;
  const bool known = read.recording == &recording && read.epoch == recording.epoch && read.of == value.impl() &&
                     read.tapes == watching && (recording.tracked[read.value] & watching) == watching;
  if (known) return handle(recording.values[read.value]);
  Tensor node = record(op::read_variable, {}, value);
  read = {&recording, recording.epoch, value.impl(), node.impl()->value, watching};
  recording.tracked[read.value] = watching;
  for (Recording::Tape* tape : recording.tapes)
    if (tape->bit & watching) tape->reads.emplace_back(&variable, read.value);
  return node;
}

}  // namespace

Variable::Variable(const Tensor& initial, VariableOptions options) : impl_(std::make_shared<VariableImpl>()) {
  if (!initial.defined()) throw InvalidArgument("[variable] the initial value is none; give it a tensor");
  if (initial.dtype() == DType::string)
    throw InvalidArgument("[variable] strings cannot be variables; keep the tensor, or a lookup of it");
  impl_->aval = initial.aval();
  impl_->name = options.name.empty() ? "variable" : std::move(options.name);
  impl_->trainable = options.trainable;
  impl_->autocast = options.autocast;
  impl_->constraint = std::move(options.constraint);
  impl_->owner = options.owner;
  // A cell owns its value: a copy, unless nobody else holds it. Reading the initial value here also keeps the making
  // of a variable out of the steps that follow.
  const Array& array = initial.array();
  Array own = Array::allocate(impl_->aval, impl_->owner);
  if (impl_->aval.bytes() != 0) std::memcpy(own.data(), array.data(), impl_->aval.bytes());
  impl_->value = Tensor(std::move(own));
}

VariableImpl& Variable::checked() const {
  if (!impl_) throw InvalidArgument("[variable] this variable is none: it was made without a value");
  return *impl_;
}

Tensor Variable::value() const {
  Tensor value = own_value();
  if (!autocast_dtype || !impl_->autocast || !is_floating(value.dtype()) || value.dtype() == *autocast_dtype)
      [[likely]]
    return value;
  return cast(value, *autocast_dtype);
}

Tensor Variable::own_value() const {
  checked();
  Recording& recording = current_recording();
  check_outside_host_call(recording, *impl_);
  Tensor value;
  if (Recording* trace = traced_function(recording)) {
    value = traced_value(*trace, impl_);
  } else {
    std::lock_guard lock(impl_->mutex);
    value = impl_->value;
  }
  if (!impl_->trainable) return value;
  // Inside a loop or branch the tapes of the code around it follow the read there; the body captures what they see.
  Recording* home = &recording;
  while (home->is_body()) home = home->parent;
  if (home != &recording && home->tapes_active != 0) {
    RecordInto scope(*home);
    std::lock_guard lock(impl_->mutex);
    value = followed_read(*home, *impl_, value);
  }
  if (recording.tapes_active == 0) [[likely]]
    return value;
  std::lock_guard lock(impl_->mutex);
  return followed_read(recording, *impl_, value);
}

void Variable::assign(const Tensor& value) {
  checked();
  if (!value.defined()) throw InvalidArgument(cat("[assign] variable '", impl_->name, "' cannot become none"));
  if (!(value.aval() == impl_->aval))
    throw InvalidArgument(cat("[assign] variable '", impl_->name, "' is ", impl_->aval.dtype, " of shape ",
                              impl_->aval.shape, ", but the value is ", value.dtype(), " of shape ", value.shape(),
                              "; reshape or cast it"));
  Recording& recording = current_recording();
  check_outside_host_call(recording, *impl_);
  if (recording.is_body())
    throw InvalidArgument(cat("[assign] variable '", impl_->name,
                              "' is assigned inside a loop or branch; carry its value "
                              "through the loop and assign it afterwards"));
  if (Recording* trace = traced_function(recording)) {
    Recording::Cell& cell = cell_in(*trace, impl_);
    cell.current = value;
    cell.assigned = true;
    return;
  }
  bool step_ends = false;
  {
    std::scoped_lock lock(recording.mutex, impl_->mutex);
    if (!recording.pending() && value.impl()->computed.load(std::memory_order_acquire)) {
      impl_->value = value;  // nothing is left to run that could fail
      if (Buffer* buffer = value.impl()->array.buffer.get()) buffer->set_owner(impl_->owner);
      return;
    }
    // What was there before the last run is what a failed run must bring back.
    bool already = false;
    for (const Recording::Rebound& rebound : recording.rebound) already |= rebound.variable == impl_;
    if (!already) {
      recording.rebound.push_back({impl_, impl_->value});
      ++impl_->value.impl()->rollbacks;
    }
    impl_->value = value;
    step_ends = recording.nodes.size() - recording.first_pending >= recording_limits().nodes_at_assign;
  }
  if (step_ends) flush(recording);
}

void Variable::assign_add(const Tensor& delta) { assign(own_value() + delta); }
void Variable::assign_sub(const Tensor& delta) { assign(own_value() - delta); }

AutocastScope::AutocastScope(std::optional<DType> dtype) : before_(std::exchange(autocast_dtype, dtype)) {}
AutocastScope::~AutocastScope() { autocast_dtype = before_; }

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  return out << "<Variable '" << variable.name() << "' " << variable.value() << ">";
}

}  // namespace brio
