// Every layer beside Keras: results, masks, gradients of inputs and weights, and what a call leaves behind. The cases
// hold the layers' own configs, so this file names none of them.
#include <filesystem>

#include "brio/nn/config.h"
#include "brio/nn/mask.h"
#include "tests/nn/golden_values.h"
#include "tests/source_dir.h"

namespace brio {
namespace {

using golden::Case;

// The arrays "x_0", "x_1", … of a case.
std::vector<const golden::Array*> numbered(const std::map<std::string, golden::Array>& arrays,
                                           const std::string& name) {
  std::vector<const golden::Array*> found;
  for (size_t i = 0;; ++i) {
    const auto at = arrays.find(cat(name, "_", i));
    if (at == arrays.end()) return found;
    found.push_back(&at->second);
  }
}

Tensor of_dtype(const golden::Array& array, DType dtype) { return cast(golden::tensor(array), dtype); }

void expect_as_keras(const Case& c, const std::string& what, const Tensor& found, const golden::Array& expected) {
  SCOPED_TRACE(c.name + " " + what);
  if (!expected.texts.empty()) {
    ASSERT_EQ(found.shape(), golden::shape_of(expected));
    EXPECT_EQ(to_strings(found), expected.texts);
    return;
  }
  const Tensor values = cast(found, f32);
  // Short formats round once more in each step: the case says how far that goes.
  if (c.has("tolerance")) golden::expect_near(values, expected, c.number("tolerance"), "");
  else golden::expect_close(values, expected, "");
}

void check(const Case& c) {
  const nn::Layer layer = nn::layer_from_json(c.text("config"));
  nn::Tensors inputs;
  std::vector<nn::Spec> specs;
  for (const golden::Array* x : numbered(c.inputs, "x")) {
    const std::string key = cat("dtype_x_", inputs.size());
    inputs.push_back(of_dtype(*x, c.has(key) ? dtype_from_name(c.text(key)) : f32));
    specs.emplace_back(inputs.back().shape(), inputs.back().dtype());
  }
  nn::CallOptions options{.training = c.number("training") != 0,
                          .use_causal_mask = c.number("use_causal_mask", 0) != 0,
                          .return_attention_scores = c.number("return_attention_scores", 0) != 0};
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const auto mask = c.inputs.find(cat("mask_", i)); mask != c.inputs.end()) {
      options.masks.resize(inputs.size());
      options.masks[i] = of_dtype(mask->second, boolean);
    }
  layer.module().build(specs);
  const std::vector<Variable> variables = layer.variables();
  nn::Tensors weights;
  for (const golden::Array* weight : numbered(c.inputs, "weight"))
    weights.push_back(of_dtype(*weight, weights.size() < variables.size() ? variables[weights.size()].dtype() : f32));
  layer.set_weights(weights);
  for (int i = 1; i < static_cast<int>(c.number("calls")); ++i) layer.call(inputs, options);

  GradientTape tape;
  for (const Tensor& input : inputs)
    if (is_floating(input.dtype())) tape.watch(input);
  const nn::Tensors results = layer.call(inputs, options);
  ASSERT_EQ(results.size(), numbered(c.outputs, "y").size());
  Tensor total;
  for (size_t i = 0; i < results.size(); ++i) {
    expect_as_keras(c, cat("y_", i), results[i], c.output(cat("y_", i)));
    const auto mask = c.outputs.find(cat("mask_", i));
    const Tensor own = nn::mask_of(results[i]);
    ASSERT_EQ(own.defined(), mask != c.outputs.end()) << "mask of result " << i;
    if (own.defined()) expect_as_keras(c, cat("mask_", i), own, mask->second);
    if (results[i].dtype() == DType::string) continue;
    const DType dtype = results[i].dtype() == f64 ? f64 : f32;
    const Tensor part = sum(cast(results[i], dtype) * of_dtype(c.input(cat("upstream_", i)), dtype));
    total = total.defined() ? cast(total, dtype) + part : part;
  }
  const nn::Tensors costs = layer.losses();
  ASSERT_EQ(!costs.empty(), c.outputs.count("losses") != 0);
  if (!costs.empty()) {
    Tensor cost = cast(costs[0], f32);
    for (size_t i = 1; i < costs.size(); ++i) cost = cost + cast(costs[i], f32);
    expect_as_keras(c, "losses", cost, c.output("losses"));
  }

  std::vector<GradientTape::Source> sources;
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    sources.emplace_back(inputs[i]);
    names.push_back(cat("gradient_x_", i));
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    sources.emplace_back(variables[i]);
    names.push_back(cat("gradient_weight_", i));
  }
  const nn::Tensors gradients = total.defined() ? tape.gradient(std::span(&total, 1), sources) : nn::Tensors();
  for (size_t i = 0; i < gradients.size(); ++i) {
    const auto expected = c.outputs.find(names[i]);
    if (expected == c.outputs.end()) continue;  // Keras has none, or was not asked for one
    ASSERT_TRUE(gradients[i].defined()) << names[i] << " is none";
    expect_as_keras(c, names[i], gradients[i], expected->second);
  }
  for (size_t i = 0; i < variables.size(); ++i)
    if (const auto after = c.outputs.find(cat("after_", i)); after != c.outputs.end())
      expect_as_keras(c, cat("after_", i), variables[i], after->second);
  // What was read from a config can be written again, and read.
  const std::string json = nn::to_json(layer);
  EXPECT_EQ(nn::to_json(nn::layer_from_json(json)), json);
}

TEST(Layers, AgreeWithKeras) {
  size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + "/tests/golden")) {
    const std::string file = entry.path().filename();
    if (!file.starts_with("layers_") || !file.ends_with(".json")) continue;
    for (const Case& c : golden::load(file)) {
      SCOPED_TRACE(c.name);
      ++cases;
      try {
        check(c);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
  EXPECT_GT(cases, 100u);
}

}  // namespace
}  // namespace brio
