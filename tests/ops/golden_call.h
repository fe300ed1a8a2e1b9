// Runs the cases of a golden file whose "function" names a function of Brio's: results and gradients.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "brio/brio.h"
#include "tests/golden/golden.h"

namespace brio::golden_calls {

// The inputs of a case, as tensors or as numbers.
struct Call {
  const golden::Case& c;
  std::map<std::string, Tensor> tensors;

  explicit Call(const golden::Case& one) : c(one) {
    for (const auto& [name, array] : c.inputs) {
      const Shape shape{std::span<const int64_t>(array.shape)};
      const Tensor x = Tensor::from(array.data, shape);
      const std::string key = "dtype_" + name;
      tensors[name] = cast(x, c.has(key) ? dtype_from_name(c.text(key)) : f32);
      tensors[name].array();
    }
  }
  const Tensor& operator[](const std::string& name) const { return tensors.at(name); }
  template <typename T = int64_t>
  std::vector<T> list(const std::string& name) const {
    return std::vector<T>(c.input(name).data.begin(), c.input(name).data.end());
  }
  int64_t integer(const std::string& name) const { return static_cast<int64_t>(c.number(name)); }
  int axis(const std::string& name = "axis") const { return static_cast<int>(c.number(name)); }
  bool flag(const std::string& name) const { return c.number(name) != 0; }
  Direction direction() const {
    return c.text("direction") == "ASCENDING" ? Direction::ascending : Direction::descending;
  }
  std::vector<Padding> paddings(const std::string& name) const {
    std::vector<Padding> result;
    const std::vector<int64_t> numbers = list(name);
    for (size_t i = 0; i < numbers.size(); i += 2) result.push_back({numbers[i], numbers[i + 1]});
    return result;
  }
  Shape shape(const std::string& name) const { return Shape(std::span<const int64_t>(list(name))); }
};

using Results = std::vector<Tensor>;
using Function = std::function<Results(const Call&)>;
using Functions = std::map<std::string, Function>;

inline void expect_near(const Tensor& actual, const golden::Array& expected, const std::string& what) {
  ASSERT_TRUE(actual.defined()) << what;
  ASSERT_EQ(std::vector<int64_t>(actual.shape().begin(), actual.shape().end()), expected.shape) << what;
  const std::vector<double> values = cast(actual, f64).to_vector<double>();
  double largest = 1;
  for (double value : expected.data) largest = std::max(largest, std::min(std::fabs(value), 1e3));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], 2e-6 * std::max(largest, std::fabs(expected.data[i])))
        << what << ", element " << i;
}

inline void check(const char* file, const Functions& functions) {
  for (const golden::Case& one : golden::load(file)) {
    const auto function = functions.find(one.text("function"));
    ASSERT_NE(function, functions.end()) << one.name;
    const Call call(one);
    GradientTape tape;
    for (const auto& [name, x] : call.tensors)
      if (is_floating(x.dtype())) tape.watch(x);
    const Results results = function->second(call);
    for (size_t i = 0; i < results.size(); ++i)
      expect_near(results[i], one.output("y_" + std::to_string(i)), one.name + " y_" + std::to_string(i));
    std::vector<GradientTape::Source> sources;
    std::vector<std::string> names;
    for (const auto& [name, expected] : one.outputs)
      if (name.starts_with("gradient_")) {
        names.push_back(name);
        sources.emplace_back(call[name.substr(9)]);
      }
    if (names.empty()) continue;
    const Tensor targets[] = {results[0]}, upstream[] = {cast(call["upstream"], results[0].dtype())};
    const std::vector<Tensor> gradients = tape.gradient(targets, sources, upstream);
    for (size_t i = 0; i < names.size(); ++i)
      expect_near(gradients[i], one.output(names[i]), one.name + " " + names[i]);
  }
}

}  // namespace brio::golden_calls
