#include "brio/train/onnx/graph_maker.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/runtime/saved_trace.h"
#include "brio/tensor/equal_sizes.h"
#include "brio/tensor/size_terms.h"

namespace brio::train {

namespace {

void add_inputs(const onnx::Graph& graph, std::set<std::string, std::less<>>& to) {
  for (const onnx::Node& node : graph.nodes) {
    to.insert(node.in.begin(), node.in.end());
    for (const auto& [name, setting] : node.settings)
      if (const auto* body = std::get_if<std::shared_ptr<const onnx::Graph>>(&setting)) add_inputs(**body, to);
  }
}

}  // namespace

std::string OnnxGraphMaker::unused(const std::string& name) {
  std::string made = name;
  while (!names_.insert(made).second) made = cat(name, "_", ++numbers_[name]);
  return made;
}

std::vector<onnx::Dimension> OnnxGraphMaker::dimensions(const Shape& shape) const {
  std::vector<onnx::Dimension> all;
  for (const Size size : shape) {
    if (size.known()) all.emplace_back(int64_t{size});
    else all.emplace_back(size == Size::unknown(0) ? std::string("batch") : size.str());
  }
  return all;
}

std::string OnnxGraphMaker::input(const std::string& name, const Aval& aval) {
  std::string own = unused(name);
  graph_.inputs.push_back({own, aval.dtype, dimensions(aval.shape)});
  for (int64_t axis = 0; axis < aval.shape.rank(); ++axis) {
    const Size size = aval.shape[static_cast<int>(axis)];
    const auto symbol = size.known() ? std::nullopt : as_symbol(size);
    if (!symbol) continue;
    symbols_.resize(std::max<size_t>(symbols_.size(), *symbol + 1));
    // Made where it is first asked for.
    if (symbols_[*symbol].empty()) symbols_[*symbol] = cat(own, "\n", axis);
  }
  return own;
}

std::vector<std::string> OnnxGraphMaker::node(const char* op, std::vector<std::string> in, size_t results,
                                              Settings settings) {
  onnx::Graph& graph = bodies_.empty() ? graph_ : *bodies_.back();
  onnx::Node made{.op = op, .in = std::move(in), .out = {}, .settings = std::move(settings)};
  made.name = place_.empty() ? std::string(op) : cat(place_, "/", op);
  for (size_t i = 0; i < results; ++i) made.out.push_back(unused(made.name));
  made.name = made.out[0];
  graph.nodes.push_back(made);
  return made.out;
}
std::string OnnxGraphMaker::node(const char* op, std::vector<std::string> in, Settings settings) {
  return node(op, std::move(in), 1, std::move(settings))[0];
}

void OnnxGraphMaker::copy(const std::string& from, const std::string& to) {
  onnx::Graph& graph = bodies_.empty() ? graph_ : *bodies_.back();
  graph.nodes.push_back({.op = "Identity", .in = {from}, .out = {to}, .settings = {}, .name = to});
}

std::string OnnxGraphMaker::weight(const std::string& name, const Tensor& value) {
  const auto known = weights_.find(value.impl());
  if (known != weights_.end()) return known->second;
  const Tensor own = Tensor::from_bytes(data_of(value), value.aval());  // training may go on in place
  std::string made = unused(name);
  graph_.weights.emplace_back(made, own.array());
  weights_[value.impl()] = made;
  kept_.push_back(value);
  return made;
}

std::string OnnxGraphMaker::integers(const std::vector<int64_t>& values) {
  std::string& name = integers_[values];
  if (name.empty()) {
    std::string shown = "i64";
    for (size_t i = 0; i < std::min<size_t>(values.size(), 8); ++i) shown += cat("_", values[i]);
    name = weight(shown, Tensor::from(values, {static_cast<int64_t>(values.size())}));
  }
  return name;
}

std::string OnnxGraphMaker::scalar(double value, DType dtype) {
  std::string& name = scalars_[{value, dtype}];
  if (name.empty()) {
    const Tensor number = cast(constant(value, f64), dtype);
    name = weight(cat(info(dtype).ir_name, "_", value), number);
  }
  return name;
}

std::string OnnxGraphMaker::product(int64_t number, std::vector<std::string> factors) {
  if (factors.empty()) return integers({number});
  std::string all = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) all = node("Mul", {all, factors[i]});
  return number == 1 ? all : node("Mul", {all, integers({number})});
}

std::string OnnxGraphMaker::size(Size size) {
  if (size.known()) return integers({int64_t{size}});
  const auto known = expressions_.find(size.word());
  if (known != expressions_.end()) return known->second;
  // In the outermost graph, where every body sees it.
  const auto open = std::exchange(bodies_, {});
  const std::string place = std::exchange(place_, "sizes");
  std::string sum;
  for (const SizeTerm& term : terms_of(size)) {
    std::vector<std::string> factors;
    for (const SizeFactor& factor : term.factors) {
      if (factor.kind == SizeFactor::Kind::symbol) {
        const std::string& where = symbols_.at(factor.symbol);
        const size_t at = where.find('\n');
        const int64_t axis = std::stoll(where.substr(at + 1));
        factors.push_back(node("Shape", {where.substr(0, at)}, {{"start", axis}, {"end", axis + 1}}));
        continue;
      }
      const std::string a = this->size(factor.a), b = this->size(factor.b);
      if (factor.kind != SizeFactor::Kind::quotient) factors.push_back(node("Max", {a, b}));
      else factors.push_back(node("Div", {node("Sub", {a, node("Mod", {a, b})}), b}));  // rounded down
    }
    const std::string one = product(term.number, std::move(factors));
    sum = sum.empty() ? one : node("Add", {sum, one});
  }
  place_ = place;
  bodies_ = open;
  return expressions_[size.word()] = sum;
}

std::string OnnxGraphMaker::sizes(const std::vector<Size>& sizes) {
  if (std::ranges::all_of(sizes, [](Size size) { return size.known(); })) {
    std::vector<int64_t> numbers;
    for (const Size size : sizes) numbers.push_back(size.word());
    return integers(numbers);
  }
  std::vector<std::string> parts;
  for (const Size size : sizes) parts.push_back(this->size(size));
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {{"axis", int64_t{0}}});
}

void OnnxGraphMaker::begin_body() { bodies_.push_back(std::make_shared<onnx::Graph>()); }

std::shared_ptr<const onnx::Graph> OnnxGraphMaker::end_body(std::vector<onnx::Value> inputs,
                                                            std::vector<onnx::Value> outputs) {
  const std::shared_ptr<onnx::Graph> body = bodies_.back();
  bodies_.pop_back();
  body->name = "body";
  body->inputs = std::move(inputs);
  body->outputs = std::move(outputs);
  return body;
}

// Weights of which others were made, and which nothing else needs, stay out of the file.
onnx::Graph OnnxGraphMaker::finish(std::string name, std::vector<onnx::Value> outputs) {
  std::set<std::string, std::less<>> needed;
  add_inputs(graph_, needed);
  std::erase_if(graph_.weights, [&](const auto& weight) { return !needed.contains(weight.first); });
  graph_.name = std::move(name);
  graph_.outputs = std::move(outputs);
  return std::move(graph_);
}

}  // namespace brio::train
