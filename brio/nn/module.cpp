#include "brio/nn/module.h"

#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/nn/names.h"

namespace brio::nn {

Module::Module(std::string_view base, std::string name) : name_(name.empty() ? unique_name(base) : std::move(name)) {}

void Module::build(const Shape& input) {
  if (input.rank() == 0)
    throw InvalidArgument(cat("[", name_, "] the input is a scalar; axis 0 of an input is the batch: reshape it"));
  check_input(input);
  if (built_) return;
  try {
    create_weights(input);
  } catch (...) {
    weights_.clear();  // the next build starts afresh
    throw;
  }
  built_ = true;
}

Tensor Module::operator()(const Tensor& inputs, bool training) {
  if (!inputs.defined()) throw InvalidArgument(cat("[", name_, "] the input is none; give it a tensor"));
  build(inputs.shape());
  return call(inputs, training);
}

void Module::collect(std::vector<Variable>& into) const {
  auto add = [&](const Variable& variable) {
    if (std::ranges::find(into, variable) == into.end()) into.push_back(variable);
  };
  std::ranges::for_each(weights_, add);
  for (const Layer& layer : modules_) layer.module().collect(into);
}

std::vector<Variable> Module::variables() const {
  std::vector<Variable> all;
  collect(all);
  return all;
}

std::vector<Variable> Module::trainable_variables() const {
  std::vector<Variable> all = variables();
  std::erase_if(all, [](const Variable& v) { return !v.trainable(); });
  return all;
}

std::vector<Variable> Module::non_trainable_variables() const {
  std::vector<Variable> all = variables();
  std::erase_if(all, [](const Variable& v) { return v.trainable(); });
  return all;
}

int64_t Module::count_params() const {
  int64_t count = 0;
  for (const Variable& v : variables()) count += v.shape().elements();
  return count;
}

Variable Module::add_weight(std::string_view name, const Shape& shape, const Initializer& initializer, bool trainable,
                            DType dtype) {
  EagerScope scope;
  weights_.emplace_back(initializer(shape, dtype),
                        VariableOptions{.name = cat(name_, "/", name), .trainable = trainable});
  has_weights_ = true;
  return weights_.back();
}

void Module::add_module(Layer layer) {
  has_weights_ |= layer.module().has_weights_;
  modules_.push_back(std::move(layer));
}

Variable zero_variable(const Aval& aval, std::string name, Owner owner, bool trainable) {
  Array array = Array::allocate(aval);
  if (aval.bytes() != 0) std::memset(array.data(), 0, aval.bytes());
  return Variable(Tensor(std::move(array)), {.name = std::move(name), .trainable = trainable, .owner = owner});
}

}  // namespace brio::nn
