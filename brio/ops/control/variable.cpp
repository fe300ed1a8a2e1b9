#include "brio/ops/control/variable.h"

#include <algorithm>

#include <ostream>

#include "brio/base/error.h"
#include "brio/ir/device_copy.h"
#include "brio/ir/trace.h"
#include "brio/ops/control/body_variables.h"
#include "brio/ops/control/held_assignments.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local std::optional<DType> autocast_dtype;

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

// The traced value of a variable inside function(): a parameter at first, what was assigned later. Inside a body:
// what it was assigned, or is carried.
Recording::Cell* find_cell(Recording& trace, const VariableRef& variable) {
  for (Recording::Cell& cell : trace.cells)
    if (cell.variable == variable) return &cell;
  return nullptr;
}
Recording::Cell& cell_in(Recording& trace, const VariableRef& variable) {
  if (Recording::Cell* cell = find_cell(trace, variable)) return *cell;
  trace.cells.push_back({variable, kNone, {}, false});
  return trace.cells.back();
}

Tensor traced_value(Recording& trace, const VariableRef& variable) {
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
  // A cell owns its value: a copy, unless the value has no other owner. Reading the initial value here also keeps the
  // making of a variable out of the steps that follow.
  evaluate(*initial.impl());
  const Array& array = initial.impl()->array;
  Array own = Array::allocate(impl_->aval, impl_->owner, working_memory());
  copy_buffer(*own.buffer.get(), *array.buffer.get(), array.offset, impl_->aval.bytes());
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
  return read_variable(impl_);
}

void Variable::assign(const Tensor& value) {
  checked();
  assign_variable(impl_, value);
}
void Variable::assign_add(const Tensor& delta) { assign(own_value() + delta); }
void Variable::assign_sub(const Tensor& delta) { assign(own_value() - delta); }

Tensor read_variable(const VariableRef& variable) {
  Recording& recording = current_recording();
  check_outside_host_call(recording, *variable);
  if (recording.kind == Recording::Kind::eager) [[likely]] {
    Tensor value;
    std::lock_guard lock(variable->mutex);
    value = variable->value;
    return variable->trainable && recording.tapes_active != 0 ? followed_read(recording, *variable, value) : value;
  }
  // From the recording where its value is to be found, a body that assigned it or the code around all of them, down
  // to this one: the tapes of each follow the read, and what lies inside captures what they see.
  std::vector<Recording*> path{&recording};
  Tensor value;
  for (;; path.push_back(path.back()->parent)) {
    Recording& at = *path.back();
    if (!at.is_body()) {
      if (at.kind == Recording::Kind::function) {
        value = traced_value(at, variable);
      } else {
        std::lock_guard lock(variable->mutex);
        value = variable->value;
      }
      break;
    }
    if (const Recording::Cell* cell = find_cell(at, variable)) {
      value = cell->current;
      break;
    }
  }
  if (!variable->trainable) return value;
  for (; !path.empty(); path.pop_back()) {
    if (path.back()->tapes_active == 0) continue;
    const RecordInto scope(*path.back());
    std::lock_guard lock(variable->mutex);
    value = followed_read(*path.back(), *variable, value);
  }
  return value;
}

namespace {

// A variable of a device stays there when it is given a value of the host.
Tensor at_home(const VariableImpl& variable, const Tensor& value) {
  const Buffer* const own = variable.value.impl()->array.buffer.get();
  if (!own || own->on_host()) [[likely]]
    return value;
  const TensorImpl& impl = *value.impl();
  if (!impl.computed.load(std::memory_order_acquire) || (impl.array.buffer && !impl.array.buffer->on_host()))
    return value;
  return Tensor(impl.copy_in(own->memory()));
}

}  // namespace

void assign_variable(const VariableRef& variable, const Tensor& value) {
  if (!value.defined()) throw InvalidArgument(cat("[assign] variable '", variable->name, "' cannot become none"));
  if (!(value.aval() == variable->aval))
    throw InvalidArgument(cat("[assign] variable '", variable->name, "' is ", variable->aval.dtype, " of shape ",
                              variable->aval.shape, ", but the value is ", value.dtype(), " of shape ", value.shape(),
                              "; reshape or cast it"));
  Recording& recording = current_recording();
  check_outside_host_call(recording, *variable);
  if (!recording.is_body()) HeldAssignments::note(variable);
  if (recording.kind != Recording::Kind::eager) {
    Recording::Cell& cell = cell_in(recording, variable);
    cell.current = value;
    cell.assigned = true;
    return;
  }
  bool step_ends = false;
  {
    std::scoped_lock lock(recording.mutex, variable->mutex);
    Tensor kept = at_home(*variable, value);
    if (!recording.pending() && kept.impl()->computed.load(std::memory_order_acquire)) {
      if (Buffer* buffer = kept.impl()->array.buffer.get()) buffer->set_owner(variable->owner);
      variable->value = std::move(kept);  // nothing is left to run that could fail
      return;
    }
    // What was there before the last run is what a failed run must bring back.
    bool already = false;
    for (const Recording::Rebound& rebound : recording.rebound) already |= rebound.variable == variable;
    if (!already) {
      recording.rebound.push_back({variable, variable->value});
      ++variable->value.impl()->rollbacks;
    }
    variable->value = std::move(kept);
    constexpr size_t kMostRebound = 1024;  // an unread node must not keep every variable's former value
    step_ends = recording.nodes.size() - recording.first_pending >= recording_limits().nodes_at_assign ||
                recording.rebound.size() >= kMostRebound;
  }
  if (step_ends) flush(recording);
}

std::vector<VariableRef> assigned_by_trace() {
  std::vector<VariableRef> variables;
  for (const Recording::Cell& cell : current_recording().cells)
    if (cell.assigned) variables.push_back(cell.variable);
  return variables;
}

Tensor value_before_trace(const VariableRef& variable) {
  Recording& recording = current_recording();
  Recording::Cell& cell = cell_in(recording, variable);
  if (cell.leaf == kNone) cell.leaf = add_parameter(recording, variable->aval).impl()->value;
  return handle(recording.values[cell.leaf]);
}

std::vector<VariableRef> assigned_in(const Recording& body) {
  std::vector<VariableRef> variables;
  for (const Recording::Cell& cell : body.cells)
    if (cell.assigned && cell.leaf == kNone) variables.push_back(cell.variable);
  return variables;
}

void carry_variable(const VariableRef& variable, const Tensor& value) {
  current_recording().cells.push_back({variable, value.impl()->value, value, false});
}

AutocastScope::AutocastScope(std::optional<DType> dtype) : before_(std::exchange(autocast_dtype, dtype)) {}
AutocastScope::~AutocastScope() { autocast_dtype = before_; }

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  return out << "<Variable '" << variable.name() << "' " << variable.value() << ">";
}

}  // namespace brio
