#include "brio/train/export.h"

#include <algorithm>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/runtime/saved_trace.h"
#include "brio/train/saved_model.h"

namespace brio::nn {
namespace {

using Json = nlohmann::ordered_json;

struct Endpoint {
  std::vector<Spec> inputs;
  std::vector<std::string> names;
  bool many = false;  // the model takes a list
};

Endpoint endpoint_of(const Model& model) {
  Endpoint made;
  if (const auto* graph = dynamic_cast<const FunctionalModule*>(&model.module())) {
    for (const Symbol& input : graph->inputs()) {
      made.inputs.push_back(input.spec());
      made.names.push_back(input.node()->layer.name());
    }
    made.many = made.inputs.size() > 1;
  } else if (const auto* chain = dynamic_cast<const Chain*>(&model.module())) {
    made.inputs = chain->built_for();
    made.names = {"inputs"};
    if (!chain->modules().empty() && input_spec(chain->modules().front()))
      made.names = {chain->modules().front().name()};
  }
  if (made.inputs.empty())
    throw InvalidArgument(
        cat("[export] the shape of what '", model.name(), "' takes is not known; build() it, or call it on data"));
  for (Spec& spec : made.inputs)
    if (spec.rank() > 0) spec.dims[0] = kUnknown;
  return made;
}

SavedTrace trace_of(const Model& model, const Endpoint& endpoint) {
  std::vector<SizedAs> arguments;
  for (const Spec& spec : endpoint.inputs) arguments.push_back({spec.dims, spec.dtype});
  return SavedTrace::of([&](const std::vector<Tensor>& tensors) { return model.call(tensors, {.training = false}); },
                        arguments);
}

Json numbered(size_t count, bool list) {
  if (!list && count == 1) return {{"tensor", 0}};
  Json items = Json::array();
  for (size_t i = 0; i < count; ++i) items.push_back({{"tensor", i}});
  return {{"list", items}};
}

// As Python's model.export() describes it: an object with the function `serve` and lists of variables.
void write_as_saved_model(const std::string& folder, const Model& model, const Endpoint& endpoint,
                          const SavedTrace& trace) {
  std::vector<VariableRef> variables;
  Json objects = Json::array({Json::object()}), all = Json::array(), trained = Json::array(), others = Json::array();
  for (const Variable& variable : model.variables()) {
    const VariableImpl& impl = *variable.impl();
    Json shape = Json::array();
    for (const Size size : impl.aval.shape) shape.push_back(int64_t{size});
    (impl.trainable ? trained : others).push_back(objects.size());
    all.push_back(objects.size());
    objects.push_back({{"kind", "variable"},
                       {"dtype", std::string(info(impl.aval.dtype).name)},
                       {"shape", shape},
                       {"trainable", impl.trainable},
                       {"name", impl.name}});
    variables.push_back(variable.impl());
  }
  std::vector<Tensor> constants;
  const std::string graph = trace.write(variables, constants);
  const size_t results = trace.results().size();
  Json named_inputs = Json::array(), named_results = Json::array();
  for (size_t i = 0; i < endpoint.names.size(); ++i)
    named_inputs.push_back(Json::array({endpoint.names[i], {{"tensor", i}}}));
  for (size_t i = 0; i < results; ++i) named_results.push_back(Json::array({cat("output_", i), {{"tensor", i}}}));
  const Json call = {{"arguments", {{"inputs", numbered(endpoint.names.size(), endpoint.many)}}},
                     {"results", numbered(results, results > 1)},
                     {"names", endpoint.names},
                     {"graph", graph}};
  const Json signature = {{"arguments", {{"tensors", {{"dict", named_inputs}}}}},
                          {"results", {{"dict", named_results}}},
                          {"names", endpoint.names},
                          {"graph", graph}};
  constexpr int kPositionalOrKeyword = 1;  // as Python's inspect counts
  const size_t serve = objects.size();
  objects.push_back({{"kind", "function"},
                     {"name", "serve"},
                     {"parameters", Json::array({Json::array({"inputs", kPositionalOrKeyword, false, nullptr})})},
                     {"specified", true},
                     {"traces", Json::array({call})}});
  Json attributes = {{"serve", serve}};
  for (const auto& [name, items] : {std::pair<const char*, const Json*>{"_all_variables", &all},
                                    {"variables", &all},
                                    {"trainable_variables", &trained},
                                    {"non_trainable_variables", &others}}) {
    attributes[name] = objects.size();
    objects.push_back({{"kind", "list"}, {"items", *items}});
  }
  objects[0] = {{"kind", "object"}, {"attributes", attributes}};
  const Json described = {{"objects", objects},
                          {"signatures", {{"serve", signature}, {"serving_default", signature}}}};
  train::write_saved_model(folder, described, variables, constants);
}

}  // namespace

void export_model(const Model& model, const std::string& path, const ExportOptions& options) {
  std::string format = options.format;
  if (format.empty()) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".onnx") format = "onnx";
    else if (ending.empty() || std::filesystem::is_directory(path)) format = "tf_saved_model";
    else
      throw InvalidArgument(cat("[export] the name ", path, " ends in ", ending,
                                "; it ends in .onnx, or is that of a folder for a SavedModel"));
  }
  if (format != "onnx" && format != "tf_saved_model")
    throw InvalidArgument(cat("[export] the format is '", format, "'; it is 'onnx' or 'tf_saved_model'"));
  const Endpoint endpoint = endpoint_of(model);
  const SavedTrace trace = trace_of(model, endpoint);
  if (format == "tf_saved_model") return write_as_saved_model(path, model, endpoint, trace);
  train::write_onnx(path, trace, {.inputs = endpoint.names, .graph = model.name(), .about = options.about});
}

}  // namespace brio::nn
