// Arguments of a Python call, as the fields of a config (nn/config.h): positional ones are taken in the order in
// which the fields are asked for, then those given by name. So a layer, loss or optimizer lists what it takes once,
// in C++.
#pragma once

#include <set>
#include <span>
#include <string>

#include "brio/base/value_names.h"
#include "brio/nn/config.h"
#include "brio/python/convert.h"

namespace brio::python {

class Called : public nn::Fields {
 public:
  Called(std::string what, nb::handle args, nb::handle kwargs)
      : what_(std::move(what)), args_(nb::borrow<nb::tuple>(args)), kwargs_(nb::borrow<nb::dict>(kwargs)) {}
  bool reading() const override { return true; }

  // Throws TypeError for an argument that nobody asked for.
  void finish() const;
  // The object given for a field, or none. Those that are only given by name do not count as a position.
  nb::handle find(std::string_view name);
  nb::handle find_keyword(std::string_view name);

  void operator()(std::string_view n, bool& v) override;
  void operator()(std::string_view n, int64_t& v) override;
  void operator()(std::string_view n, double& v) override;
  void operator()(std::string_view n, std::string& v) override;
  void operator()(std::string_view n, std::optional<bool>& v) override { optional(n, v); }
  void operator()(std::string_view n, std::optional<int64_t>& v) override { optional(n, v); }
  void operator()(std::string_view n, std::optional<uint64_t>& v) override { optional(n, v); }
  void operator()(std::string_view n, std::optional<double>& v) override { optional(n, v); }
  void operator()(std::string_view n, std::optional<std::string>& v) override { optional(n, v); }
  void operator()(std::string_view n, std::vector<int64_t>& v) override;
  void operator()(std::string_view n, std::vector<int>& v) override;
  void operator()(std::string_view n, std::vector<double>& v) override;
  void operator()(std::string_view n, std::vector<std::string>& v) override;
  void operator()(std::string_view n, std::vector<std::vector<int64_t>>& v) override;
  void operator()(std::string_view n, nn::Initializer& v) override;
  void operator()(std::string_view n, nn::Regularizer& v) override;
  void operator()(std::string_view n, nn::Constraint& v) override;
  void operator()(std::string_view n, nn::ActivationFunction& v) override;
  void operator()(std::string_view n, nn::Policy& v) override;
  void operator()(std::string_view n, WindowPadding& v) override;
  void operator()(std::string_view n, DataFormat& v) override;
  void operator()(std::string_view n, std::optional<nn::Layer>& v) override;
  void operator()(std::string_view n, std::vector<nn::Layer>& v) override;

  // Fields that only options of losses, metrics and optimizers have.
  void operator()(std::string_view n, int& v);
  void operator()(std::string_view n, DType& v);
  void operator()(std::string_view n, Axes& v);
  // One of the names of an enum's values.
  template <HasValueNames Enum>
  void operator()(std::string_view n, Enum& v) {
    choose(n, v);
  }

 private:
  template <typename T>
  void optional(std::string_view n, std::optional<T>& v);
  template <HasValueNames Enum>
  void choose(std::string_view n, Enum& v) {
    const auto known = value_names(v);
    std::vector<std::string_view> names;
    for (const ValueName<Enum>& each : known) names.push_back(each.name);
    if (const std::optional<size_t> at = place_of(n, names)) v = known[*at].value;
  }
  // The place of the name that is given among these, in either case.
  std::optional<size_t> place_of(std::string_view n, std::span<const std::string_view> names);
  [[noreturn]] void refuse(std::string_view n, nb::handle value, std::string_view wanted) const;
  template <typename F>
  void take(std::string_view n, std::string_view wanted, F&& f);

  std::string what_;
  nb::tuple args_;
  nb::dict kwargs_;
  size_t next_ = 0;
  std::set<std::string, std::less<>> asked_;
};

// Functions of Python as Brio's.
nn::ActivationFunction activation_from(nb::handle object);
nn::Initializer initializer_from(nb::handle object);
nn::Regularizer regularizer_from(nb::handle object);
nn::Constraint constraint_from(nb::handle object);
nn::Policy policy_from(nb::handle object);
nn::Layer layer_from(nb::handle object);  // of a Layer of the Python part
nn::Settings settings_from(const std::string& class_name, nb::handle values);

// The names that a maker asks for, in order, with what they are where nothing is given.
nb::list fields_of(const std::function<void(nn::Fields&)>& maker);

}  // namespace brio::python
