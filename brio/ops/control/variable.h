// Variable: a named cell. Assigning rebinds it; the planner writes in place if the old value has no other owner.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "brio/ir/recording.h"
#include "brio/ir/tensor.h"

namespace brio {

struct VariableImpl {
  std::string name;
  Aval aval;
  bool trainable = true;
  bool autocast = true;  // it is read in the dtype of an AutocastScope
  Owner owner = Owner::parameters;
  std::function<Tensor(const Tensor&)> constraint;  // applied after an optimizer's update; may be empty

  LightLock mutex;  // guards the fields below
  Tensor value;
  // The value that stands for "this variable, read" under the tapes of a recording; reused while nothing changes. It
  // is kept as a number, because a handle would count as a reader of the value.
  struct {
    const Recording* recording = nullptr;
    uint64_t epoch = 0;
    const TensorImpl* of = nullptr;
    ValueId value = kNone;
    uint8_t tapes = 0;
  } read;
};

struct VariableOptions {
  std::string name = {};
  bool trainable = true;
  bool autocast = true;
  Owner owner = Owner::parameters;
  std::function<Tensor(const Tensor&)> constraint = {};
};

class Variable {
 public:
  Variable() = default;
  explicit Variable(const Tensor& initial, VariableOptions options = {});

  const std::string& name() const { return checked().name; }
  const Shape& shape() const { return checked().aval.shape; }
  DType dtype() const { return checked().aval.dtype; }
  bool trainable() const { return checked().trainable; }

  Tensor value() const;  // a tape follows the read
  operator Tensor() const { return value(); }

  void assign(const Tensor& value);
  void assign_add(const Tensor& delta);
  void assign_sub(const Tensor& delta);

  const std::shared_ptr<VariableImpl>& impl() const { return impl_; }
  bool operator==(const Variable& other) const { return impl_ == other.impl_; }

 private:
  Tensor own_value() const;       // in its own dtype
  VariableImpl& checked() const;  // throws InvalidArgument for an undefined variable

  std::shared_ptr<VariableImpl> impl_;
};

std::ostream& operator<<(std::ostream& out, const Variable& variable);

// In this scope, floating-point variables are read in another dtype (none: their own). They do not change.
class AutocastScope {
 public:
  explicit AutocastScope(std::optional<DType> dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;

 private:
  std::optional<DType> before_;
};

}  // namespace brio
