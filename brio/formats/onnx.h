// ONNX models: what such a file is made of, and its writer. Weights lie in the file as they lie in memory.
//
//   onnx::Graph graph{.name = "mlp"};
//   graph.inputs.push_back({"x", f32, {onnx::Dimension("N"), onnx::Dimension(3)}});
//   graph.weights.emplace_back("w", kernel);
//   graph.nodes.push_back({.op = "MatMul", .in = {"x", "w"}, .out = {"y"}});
//   graph.outputs.push_back({"y", f32, {onnx::Dimension("N"), onnx::Dimension(1)}});
//   write_onnx("mlp.onnx", {.graph = std::move(graph)});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio::formats::onnx {

struct Graph;

// A number, or the name of a size that is not known.
using Dimension = std::variant<int64_t, std::string>;

struct Value {
  std::string name;
  DType dtype = f32;
  std::vector<Dimension> shape = {};
};

using Setting = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::shared_ptr<const Graph>>;

struct Node {
  std::string op;                    // "Conv"
  std::vector<std::string> in, out;  // "": an input that is left out
  std::vector<std::pair<std::string, Setting>> settings = {};
  std::string name = {};
};

struct Graph {
  std::string name = {};
  std::vector<Node> nodes = {};
  std::vector<std::pair<std::string, Array>> weights = {};
  std::vector<Value> inputs = {}, outputs = {};
};

inline constexpr int64_t kOpset = 21, kFormat = 10;  // of ONNX 1.16

struct Model {
  Graph graph = {};
  int64_t opset = kOpset;
  std::string description = {};
  std::vector<std::pair<std::string, std::string>> about = {};  // names and texts that go with it
};

// The number of a dtype in these files. Throws InvalidArgument for text, which they have in another form.
int32_t number_of(DType dtype);

// Written aside, synced and renamed. Throws InvalidArgument for a model of 2 GB or more, which no such file can hold.
void write_onnx(const std::string& path, const Model& model);

}  // namespace brio::formats::onnx
