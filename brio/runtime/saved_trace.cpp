#include "brio/runtime/saved_trace.h"

#include <algorithm>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ir/outline.h"
#include "brio/ops/effects.h"

namespace brio {
namespace {

// Code of the host is not part of a graph: what is written must be found again by its name.
void refuse_host_code(const Graph& graph) {
  for (const Node& node : graph.nodes)
    for (const auto& body : node.graphs) {
      if (!body->host) {
        refuse_host_code(*body);
        continue;
      }
      const size_t tokens = node.op->kind == OpKind::effect ? 1 : 0;
      if (!revived_body(*node.op, *body->host, node.in.size() - tokens))
        throw_invalid(*node.op, cat("'", body->host->name,
                                    "' is code of the host, which cannot be saved; leave it out of the function that "
                                    "is saved, and do it outside"));
    }
}

// Whole numbers in the dtype of a constant or a captured tensor.
uint64_t bits_of(int64_t value, DType dtype) {
  return is_floating(dtype) ? Scalar(static_cast<double>(value)).bits_as(dtype) : Scalar(value).bits_as(dtype);
}

// The graph in other sizes. Goes the way that Outline goes.
template <typename Followed>
class Filled {
 public:
  Filled(std::span<const Followed> sizes, std::span<const Followed> numbers, std::span<const int64_t> symbols)
      : sizes_{sizes, symbols}, numbers_{numbers, symbols} {}

  void fill(Graph& graph) {
    for (const Graph::Input& input : graph.inputs) {
      Aval& aval = graph.values[input.value];
      std::vector<int64_t> dims(aval.shape.begin(), aval.shape.end());
      for (int64_t& dim : dims) sizes_.next(dim);
      aval.shape = Shape(dims);
    }
    for (Node& node : graph.nodes) {
      const auto dtype = node.op->kind == OpKind::constant ? static_cast<DType>(node.attrs[0]) : f32;
      for_each_word(
          node, std::span(node.attrs), [](int64_t) {}, [&](int64_t& size) { sizes_.next(size); },
          [&](int64_t& bits) {
            if (numbers_.next(bits)) bits = static_cast<int64_t>(bits_of(bits, dtype));
          });
      for (auto& body : node.graphs) body = filled(body);
      const std::vector<Aval> out = infer(graph, node);
      if (out.size() != node.out.size()) throw_invalid(*node.op, "has another number of outputs in another size");
      for (size_t i = 0; i < out.size(); ++i) graph.values[node.out[i]] = out[i];
    }
  }

 private:
  struct Words {
    std::span<const Followed> followed;
    std::span<const int64_t> symbols;
    size_t place = 0;

    bool next(int64_t& word) {
      if (followed.empty() || followed[0].place != place++) return false;
      word = followed[0].form.at(symbols);
      followed = followed.subspan(1);
      return true;
    }
  };

  std::shared_ptr<const Graph> filled(const std::shared_ptr<const Graph>& body) {
    if (body->host) return body;
    auto& known = bodies_[body.get()];
    if (known) return known;
    Graph made = *body;
    fill(made);
    return bodies_[body.get()] = intern(std::move(made));
  }

  Words sizes_, numbers_;
  std::unordered_map<const Graph*, std::shared_ptr<const Graph>> bodies_;
};

std::string described(const std::vector<SizedAs>& all) {
  std::string text;
  for (const SizedAs& one : all) {
    text += cat(text.empty() ? "" : ", ", one.dtype, " of shape (");
    for (size_t i = 0; i < one.dims.size(); ++i)
      text += cat(i ? ", " : "", one.dims[i] < 0 ? "None" : cat(one.dims[i]));
    text += ")";
  }
  return text;
}

}  // namespace

SavedTrace::SavedTrace(TracedGraph trace) : trace_(std::move(trace)) { refuse_host_code(trace_.graph); }

std::vector<SizedAs> SavedTrace::arguments() const {
  std::vector<SizedAs> all;
  auto followed = sizes_.begin();
  size_t place = 0;
  for (const Aval& aval : trace_.arguments) {
    all.push_back({{aval.shape.begin(), aval.shape.end()}, aval.dtype});
    for (int64_t& dim : all.back().dims) {
      if (followed != sizes_.end() && followed->place == place) {
        dim = -1;
        ++followed;
      }
      ++place;
    }
  }
  return all;
}

std::vector<SizedAs> SavedTrace::results() const {
  std::vector<SizedAs> all;
  const auto shape_of = [&](const Graph& graph, size_t i) { return graph.values[graph.outputs[i]].shape; };
  for (size_t i = 0; i < trace_.results; ++i) {
    const Aval& aval = trace_.graph.values[trace_.graph.outputs[i]];
    all.push_back({{aval.shape.begin(), aval.shape.end()}, aval.dtype});
  }
  if (symbols_ == 0) return all;
  std::vector<int64_t> other = sizes_of(trace_.arguments);
  for (int64_t& size : other) size += 7;
  const TracedGraph larger = at(other);
  for (size_t i = 0; i < trace_.results; ++i)
    for (size_t k = 0; k < all[i].dims.size(); ++k)
      if (shape_of(larger.graph, i)[static_cast<int>(k)] != all[i].dims[k]) all[i].dims[k] = -1;
  return all;
}

std::vector<VariableRef> SavedTrace::variables() const {
  std::vector<VariableRef> all;
  for (const TracedGraph::Cell& cell : trace_.cells) all.push_back(cell.variable);
  return all;
}

std::vector<int64_t> SavedTrace::sizes_of(std::span<const Aval> given) const {
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(cat("[saved function] takes ", described(arguments()), "; ", why));
  };
  if (given.size() != trace_.arguments.size()) refuse(cat("but got ", given.size(), " tensors"));
  std::vector<int64_t> symbols(symbols_, -1);
  auto followed = sizes_.begin();
  size_t place = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const Aval &got = given[i], &known = trace_.arguments[i];
    bool fits = got.dtype == known.dtype && got.shape.rank() == known.shape.rank();
    for (int axis = 0; axis < known.shape.rank(); ++axis, ++place) {
      if (followed == sizes_.end() || followed->place != place) {
        fits = fits && got.shape[axis] == known.shape[axis];
        continue;
      }
      int64_t& size = symbols[*(followed++)->form.symbol()];
      if (!fits) continue;
      if (size >= 0 && size != got.shape[axis])
        refuse(cat("axis ", axis, " of tensor ", i, " has size ", got.shape[axis], " where another has ", size));
      size = got.shape[axis];
    }
    if (!fits) refuse(cat("but tensor ", i, " is ", got.dtype, " of shape ", got.shape));
  }
  return symbols;
}

TracedGraph SavedTrace::at(std::span<const int64_t> symbols) const {
  TracedGraph made = trace_;
  if (symbols_ == 0) return made;
  Filled<Followed>(sizes_, numbers_, symbols).fill(made.graph);
  for (size_t i = 0; i < made.arguments.size(); ++i)
    made.arguments[i] = made.graph.values[made.graph.inputs[i].value];
  for (auto from = elements_.begin(); from != elements_.end();) {
    const size_t captured = from->captured;
    Array array = Array::allocate(trace_.captured[captured].aval());
    std::memcpy(array.data(), data_of(trace_.captured[captured]), array.aval.bytes());
    for (; from != elements_.end() && from->captured == captured; ++from) {
      const uint64_t bits = bits_of(from->form.at(symbols), array.aval.dtype);
      std::memcpy(array.as<char>() + from->element * size_of(array.aval.dtype), &bits, size_of(array.aval.dtype));
    }
    made.captured[captured] = Tensor(std::move(array));
  }
  return made;
}

std::vector<Tensor> SavedTrace::call(std::span<const Tensor> arguments) const {
  std::vector<Aval> avals;
  for (const Tensor& argument : arguments) avals.push_back(argument.aval());
  const std::vector<int64_t> symbols = sizes_of(avals);
  return symbols_ == 0 ? record_trace(trace_, arguments) : record_trace(at(symbols), arguments);
}

}  // namespace brio
