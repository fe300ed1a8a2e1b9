#include "brio/nn/weight_paths.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>

#include "brio/base/error.h"

namespace brio::nn {
namespace {

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : cat(path, "/", name);
}

// Inner layers by the attribute that Keras has them under, in the order in which they were added.
struct Parts {
  std::string_view kind;
  std::vector<std::string_view> names;
};
std::span<const std::string_view> parts_of(std::string_view kind) {
  static const Parts rows[] = {
      {"LSTM", {"cell"}},
      {"GRU", {"cell"}},
      {"SimpleRNN", {"cell"}},
      {"RNN", {"cell"}},
      {"Bidirectional", {"forward_layer", "backward_layer"}},
      {"TimeDistributed", {"layer"}},
      {"SpectralNormalization", {"layer"}},
  };
  for (const Parts& row : rows)
    if (row.kind == kind) return row.names;
  return {};
}

class Walk {
 public:
  explicit Walk(const ForeignEntries& foreign) : foreign_(foreign) {}

  void visit(const Layer& layer, const std::string& path, bool outermost) {
    if (!seen_.insert(&layer.module()).second) return;
    if (!outermost && foreign_ && foreign_(layer, path, found)) return;
    found.push_back({path, layer.name(), own_variables(layer)});
    const std::vector<Layer>& inside = layer.module().modules();
    const std::string_view kind = layer.module().kind();
    if (kind == "MultiHeadAttention" || kind == "GroupQueryAttention") {
      add_projections(path, kind == "GroupQueryAttention" ? "_" : "");
    } else if (const auto parts = parts_of(kind); !parts.empty()) {
      for (size_t i = 0; i < std::min(parts.size(), inside.size()); ++i)
        visit(inside[i], joined(path, parts[i]), false);
    } else {
      const std::string within = joined(path, kind == "StackedRNNCells" ? "cells" : "layers");
      std::map<std::string, int> used;
      for (const Layer& each : inside) {
        const std::string name = name_of(each);
        const int before = used[name]++;
        visit(each, joined(within, before > 0 ? cat(name, "_", before) : name), false);
      }
    }
  }

  std::vector<WeightEntry> found;

 private:
  static std::string name_of(const Layer& layer) {
    const std::string_view kind = layer.module().kind();
    return kind == "GroupQueryAttention" ? "grouped_query_attention" : snake_case(kind);
  }

  // Keras has a layer for each projection; here weights are named after them.
  void add_projections(const std::string& path, std::string_view before) {
    std::map<std::string, std::vector<Variable>> parts;
    for (const Variable& variable : std::exchange(found.back().variables, {})) {
      const std::string& name = variable.name();  // "…/query/kernel"
      const size_t end = name.rfind('/'), begin = name.rfind('/', end - 1);
      parts[name.substr(begin + 1, end - begin - 1)].push_back(variable);
    }
    for (auto& [name, variables] : parts)
      found.push_back({joined(path, cat(before, name == "attention_output" ? "output" : name, "_dense")), name,
                       std::move(variables)});
  }

  const ForeignEntries& foreign_;
  std::set<const Module*> seen_;
};

}  // namespace

// A capital begins a word where a small letter follows it, or comes before it.
std::string snake_case(std::string_view name) {
  const auto is = [&](size_t i, int (*kind)(int)) {
    return i < name.size() && kind(static_cast<unsigned char>(name[i])) != 0;
  };
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!is(i, std::isalnum) && name[i] != '_') continue;
    if (i > 0 && is(i, std::isupper) && (is(i + 1, std::islower) || is(i - 1, std::islower))) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  const size_t begin = text.find_first_not_of('_');
  if (begin == std::string::npos) return "layer";
  return text.substr(begin, text.find_last_not_of('_') - begin + 1);
}

std::vector<Variable> own_variables(const Layer& layer) {
  const std::vector<Variable> all = layer.variables();
  // The kernel of the layer inside is Keras' own, too.
  if (layer.module().kind() == "SpectralNormalization")
    return {all.begin(), all.begin() + std::min<std::ptrdiff_t>(2, std::ssize(all))};
  std::set<const VariableImpl*> inside;
  for (const Layer& inner : layer.module().modules())
    for (const Variable& variable : inner.variables()) inside.insert(variable.impl().get());
  std::vector<Variable> own;
  for (const bool trainable : {true, false})
    for (const Variable& variable : all)
      if (variable.trainable() == trainable && !inside.contains(variable.impl().get())) own.push_back(variable);
  return own;
}

std::vector<WeightEntry> weight_entries(const Layer& model, const std::string& path, const ForeignEntries& foreign) {
  Walk walk(foreign);
  walk.visit(model, path, true);
  return std::move(walk.found);
}

std::vector<WeightEntry> weight_entries(const Optimizer& optimizer) {
  std::vector<WeightEntry> found;
  std::string path = "optimizer";
  for (const Optimizer* at = &optimizer; at; at = at->core()->inner()) {
    std::vector<Variable> variables = at->variables();
    // Keras counts what is inside once more where it has begun.
    if (const Optimizer* inner = at->core()->inner();
        inner && inner->variables().size() <= 2 && inner->iterations().item<int64_t>() == 0)
      variables.resize(variables.size() - inner->variables().size());
    found.push_back({path, at->name(), std::move(variables)});
    path += "/inner_optimizer";
  }
  return found;
}

}  // namespace brio::nn
