// Module: something with weights that maps a tensor to a tensor. Layer: a handle on one; copies share it.
//
//   class Scale : public nn::Module {
//    public:
//     Scale() : Module("scale") {}
//     std::string_view kind() const override { return "Scale"; }
//     Shape output_shape(const Shape& input) const override { return input; }
//
//    protected:
//     void create_weights(const Shape& input) override { w_ = add_weight("w", {input[input.rank() - 1]}, "ones"); }
//     Tensor call(const Tensor& x, bool) override { return x * w_.value(); }
//     Variable w_;
//   };
//   nn::Sequential model({nn::Dense(64), nn::layer<Scale>()});
//
// Weights are made when the shape of the input is known: at the first call, or by build().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "brio/nn/initializer.h"
#include "brio/ops/variable.h"

namespace brio::nn {

class Layer;

class Module {
 public:
  // A name that ends users gave, or a base that is made unique ("dense" → "dense_1").
  explicit Module(std::string_view base, std::string name = {});
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  virtual std::string_view kind() const = 0;                 // "Dense"
  virtual Shape output_shape(const Shape& input) const = 0;  // axis 0 is the batch

  bool built() const { return built_; }
  void build(const Shape& input);  // the first time; later only checks the shape
  Tensor operator()(const Tensor& inputs, bool training = false);

  // Own weights, then those of the modules inside, each once, in the order in which they were added.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  bool has_weights() const { return has_weights_; }  // or will have, once built
  const std::vector<Layer>& modules() const { return modules_; }

 protected:
  virtual void create_weights(const Shape&) {}
  virtual void check_input(const Shape&) const {}  // throws InvalidArgument
  virtual Tensor call(const Tensor& inputs, bool training) = 0;

  Variable add_weight(std::string_view name, const Shape& shape, const Initializer& initializer,
                      bool trainable = true, DType dtype = f32);
  void add_module(Layer layer);

  bool has_weights_ = false;

 private:
  void collect(std::vector<Variable>& into) const;

  std::string name_;
  bool built_ = false;
  std::vector<Variable> weights_;
  std::vector<Layer> modules_;
};

class Layer {
 public:
  explicit Layer(std::shared_ptr<Module> module) : module_(std::move(module)) {}

  Tensor operator()(const Tensor& inputs, bool training = false) const { return (*module_)(inputs, training); }
  const std::string& name() const { return module_->name(); }
  bool built() const { return module_->built(); }
  void build(const Shape& input) const { module_->build(input); }
  std::vector<Variable> variables() const { return module_->variables(); }
  std::vector<Variable> trainable_variables() const { return module_->trainable_variables(); }
  std::vector<Variable> non_trainable_variables() const { return module_->non_trainable_variables(); }
  int64_t count_params() const { return module_->count_params(); }

  Module& module() const { return *module_; }
  const std::shared_ptr<Module>& share() const { return module_; }
  bool operator==(const Layer& other) const { return module_ == other.module_; }

 protected:
  std::shared_ptr<Module> module_;
};

// A layer of a class of one's own.
template <typename M, typename... Args>
Layer layer(Args&&... args) {
  return Layer(std::make_shared<M>(std::forward<Args>(args)...));
}

// A variable of zeros, made without recording anything: also while a function is traced.
Variable zero_variable(const Aval& aval, std::string name, Owner owner, bool trainable = false);

// Ops of this scope run eagerly, also while a function is traced.
class EagerScope {
 public:
  EagerScope() : into_(recording_) {}

 private:
  Recording recording_;
  RecordInto into_;
};

}  // namespace brio::nn
