#include "brio/runtime/saved_trace.h"

#include "brio/base/error.h"
#include "brio/ir/op_origins.h"
#include "brio/ir/sizes.h"
#include "brio/ops/control/effects.h"

namespace brio {
namespace {

SizedAs sized_as(const Aval& aval) {
  SizedAs made{{}, aval.dtype};
  for (const Size size : aval.shape) made.dims.push_back(size.known() ? int64_t{size} : -1);
  return made;
}

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

SavedTrace::SavedTrace(TracedGraph trace) : trace_(std::move(trace)) {}

// Code of the host is not part of a graph: a file holds a text from which it can be made again.
void SavedTrace::refuse_host_code(const Graph& graph) {
  for (const Node& node : graph.nodes)
    for (const auto& body : node.graphs) {
      if (!body->host) {
        refuse_host_code(*body);
        continue;
      }
      if (!can_be_saved(*node.op, *body->host))
        throw_invalid(*node.op, cat("'", body->host->name,
                                    "' is code of the host, which cannot be saved; leave it out of the function that "
                                    "is saved, and do it outside"));
    }
}

SavedTrace SavedTrace::of(const BodyFn& body, std::span<const SizedAs> arguments) {
  std::vector<Aval> avals;
  uint32_t symbols = 0;
  for (const SizedAs& argument : arguments) {
    std::vector<Size> sizes;
    for (const int64_t dim : argument.dims) sizes.push_back(dim < 0 ? Size::unknown(symbols++) : Size(dim));
    avals.push_back({Shape(sizes), argument.dtype});
  }
  try {
    const OpOrigins origins;
    SavedTrace saved(trace_graph(body, avals));
    refuse_host_code(saved.trace_.graph);
    for (uint32_t node = 0; node < saved.trace_.graph.nodes.size(); ++node)
      saved.places_.push_back(origins.of(node).place);
    return saved;
  } catch (const UnknownSize& error) {
    throw InvalidArgument(
        cat("[saved function] ", error.what(),
            ": it is not one graph for every size; give the sizes that are None, or write it with ops "
            "that follow them"));
  }
}

std::vector<SizedAs> SavedTrace::arguments() const {
  std::vector<SizedAs> all;
  for (const Aval& aval : trace_.arguments) all.push_back(sized_as(aval));
  return all;
}

std::vector<SizedAs> SavedTrace::results() const {
  std::vector<SizedAs> all;
  for (size_t i = 0; i < trace_.results; ++i) all.push_back(sized_as(trace_.graph.values[trace_.graph.outputs[i]]));
  return all;
}

std::vector<VariableRef> SavedTrace::variables() const {
  std::vector<VariableRef> all;
  for (const TracedGraph::Cell& cell : trace_.cells) all.push_back(cell.variable);
  return all;
}

std::vector<Tensor> SavedTrace::call(std::span<const Tensor> given) const {
  if (bind_symbols(trace_.arguments, given)) return record_trace(trace_, given);
  const auto refusal = [&](const std::string& why) {
    return InvalidArgument(cat("[saved function] takes ", described(arguments()), "; ", why));
  };
  if (given.size() != trace_.arguments.size()) throw refusal(cat("but got ", given.size(), " tensors"));
  for (size_t i = 0; i < given.size(); ++i) {
    const Aval &got = given[i].aval(), &wanted = trace_.arguments[i];
    bool fits = got.dtype == wanted.dtype && got.shape.rank() == wanted.shape.rank();
    for (int axis = 0; fits && axis < got.shape.rank(); ++axis) fits = !(got.shape[axis] != wanted.shape[axis]);
    if (!fits) throw refusal(cat("but tensor ", i, " is ", got.dtype, " of shape ", got.shape));
  }
  std::string got, wanted;
  for (size_t i = 0; i < given.size(); ++i) {
    got += cat(i ? ", " : "", given[i].shape());
    wanted += cat(i ? ", " : "", trace_.arguments[i].shape);
  }
  throw refusal(cat("with sizes as in ", wanted, ", but got ", got));
}

}  // namespace brio
