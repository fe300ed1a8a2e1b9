#include "brio/nn/config.h"

#include <map>
#include <mutex>
#include <utility>

#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/nn/functional.h"
#include "brio/nn/layer_kinds.h"
#include "brio/nn/names.h"
#include "brio/nn/settings_json.h"

namespace brio::nn {
namespace {

Json layer_to_json(const Layer& layer);
Layer layer_of_json(const Json& json);

// ---- writing

class Writer : public Fields {
 public:
  explicit Writer(Json& json) : json_(json) {}
  bool reading() const override { return false; }

  void operator()(std::string_view n, bool& v) override { put(n, v); }
  void operator()(std::string_view n, int64_t& v) override { put(n, v); }
  void operator()(std::string_view n, double& v) override { put(n, v); }
  void operator()(std::string_view n, std::string& v) override { put(n, v); }
  void operator()(std::string_view n, std::optional<bool>& v) override { put_optional(n, v); }
  void operator()(std::string_view n, std::optional<int64_t>& v) override { put_optional(n, v); }
  void operator()(std::string_view n, std::optional<uint64_t>& v) override { put_optional(n, v); }
  void operator()(std::string_view n, std::optional<double>& v) override { put_optional(n, v); }
  void operator()(std::string_view n, std::optional<std::string>& v) override { put_optional(n, v); }
  void operator()(std::string_view n, std::vector<int64_t>& v) override { put(n, list(v)); }
  void operator()(std::string_view n, std::vector<int>& v) override { put(n, v); }
  void operator()(std::string_view n, std::vector<double>& v) override { put(n, v); }
  void operator()(std::string_view n, std::vector<std::string>& v) override { put(n, v); }
  void operator()(std::string_view n, std::vector<std::vector<int64_t>>& v) override { put(n, v); }
  void operator()(std::string_view n, Initializer& v) override {
    put(n, settings_json("keras.initializers", "initializer", v.name(), v.settings()));
  }
  void operator()(std::string_view n, Regularizer& v) override {
    put(n, v.defined() ? settings_json("keras.regularizers", "regularizer", v.name(), v.settings()) : Json());
  }
  void operator()(std::string_view n, Constraint& v) override {
    put(n, v.defined() ? settings_json("keras.constraints", "constraint", v.name(), v.settings()) : Json());
  }
  void operator()(std::string_view n, ActivationFunction& v) override {
    if (!v.known())
      throw InvalidArgument("[config] an activation that is a function of your own cannot be written to a config");
    put(n, v.name());
  }
  void operator()(std::string_view n, Policy& v) override {
    put(n, object_json("keras", "DTypePolicy", {{"name", v.name()}}));
  }
  void operator()(std::string_view n, WindowPadding& v) override {
    if (!v.given()) return put(n, v.name());
    Json sides = Json::array();
    for (const Padding& side : v.sides()) sides.push_back({int64_t{side.low}, int64_t{side.high}});
    put(n, sides);
  }
  void operator()(std::string_view n, DataFormat& v) override { put(n, std::string(name_of(v))); }
  void operator()(std::string_view n, std::optional<Layer>& v) override { put(n, v ? layer_to_json(*v) : Json()); }
  void operator()(std::string_view n, std::vector<Layer>& v) override {
    Json layers = Json::array();
    for (const Layer& layer : v) layers.push_back(layer_to_json(layer));
    put(n, std::move(layers));
  }

 private:
  void put(std::string_view name, Json value) { json_[std::string(name)] = std::move(value); }
  template <typename T>
  void put_optional(std::string_view name, const std::optional<T>& value) {
    put(name, value ? Json(*value) : Json());
  }
  static Json list(const std::vector<int64_t>& values) {
    Json out = Json::array();
    for (const int64_t v : values) out.push_back(v == kUnknown ? Json() : Json(v));
    return out;
  }
  Json& json_;
};

// ---- reading

class Reader : public Fields {
 public:
  Reader(std::string_view kind, const Json& json) : kind_(kind), json_(json) {}
  bool reading() const override { return true; }

  void operator()(std::string_view n, bool& v) override { take(n, v, &Json::is_boolean, "true or false"); }
  void operator()(std::string_view n, int64_t& v) override { take(n, v, &Json::is_number_integer, "a whole number"); }
  void operator()(std::string_view n, double& v) override { take(n, v, &Json::is_number, "a number"); }
  void operator()(std::string_view n, std::string& v) override { take(n, v, &Json::is_string, "a text"); }
  void operator()(std::string_view n, std::optional<bool>& v) override {
    take_optional(n, v, &Json::is_boolean, "true or false");
  }
  void operator()(std::string_view n, std::optional<int64_t>& v) override {
    take_optional(n, v, &Json::is_number_integer, "a whole number");
  }
  void operator()(std::string_view n, std::optional<uint64_t>& v) override {
    take_optional(n, v, &Json::is_number_integer, "a whole number");
  }
  void operator()(std::string_view n, std::optional<double>& v) override {
    take_optional(n, v, &Json::is_number, "a number");
  }
  void operator()(std::string_view n, std::optional<std::string>& v) override {
    take_optional(n, v, &Json::is_string, "a text");
  }
  void operator()(std::string_view n, std::vector<int64_t>& v) override {
    const Json* json = find(n);
    if (!json) return;
    v = whole_numbers(n, json->is_array() ? *json : Json::array({*json}));
  }
  void operator()(std::string_view n, std::vector<int>& v) override {
    const Json* json = find(n);
    if (!json) return;
    const Json list = json->is_array() ? *json : Json::array({*json});
    v.clear();
    for (const Json& value : list) {
      if (!value.is_number_integer() || !std::in_range<int>(value.get<int64_t>()))
        refuse(n, "a list of small numbers");
      v.push_back(value.get<int>());
    }
  }
  void operator()(std::string_view n, std::vector<double>& v) override {
    if (const Json* json = find(n); json && json->is_number()) v = {json->get<double>()};
    else take_list(n, v, &Json::is_number, "a list of numbers");
  }
  void operator()(std::string_view n, std::vector<std::string>& v) override {
    take_list(n, v, &Json::is_string, "a list of texts");
  }
  void operator()(std::string_view n, std::vector<std::vector<int64_t>>& v) override {
    const Json* json = find(n);
    if (!json) return;
    if (!json->is_array()) refuse(n, "a list of lists");
    v.clear();
    for (const Json& row : *json) v.push_back(whole_numbers(n, row.is_array() ? row : Json::array({row})));
  }
  void operator()(std::string_view n, Initializer& v) override { take_function(n, v); }
  void operator()(std::string_view n, Regularizer& v) override { take_function(n, v); }
  void operator()(std::string_view n, Constraint& v) override { take_function(n, v); }
  void operator()(std::string_view n, ActivationFunction& v) override {
    const Json* json = find(n);
    if (!json) return;
    // Keras writes a name, or an object that holds one.
    const Json* text = json->is_object() && json->contains("config") ? &json->at("config") : json;
    if (!text->is_string()) refuse(n, "the name of an activation");
    v = ActivationFunction(text->get<std::string>());
  }
  void operator()(std::string_view n, Policy& v) override {
    const Json* json = find(n);
    if (!json) return;
    const Json* text = json;
    if (json->is_object()) {
      const auto config = json->find("config");
      if (config == json->end() || !config->is_object() || !config->contains("name")) refuse(n, "a dtype policy");
      text = &config->at("name");
    }
    if (!text->is_string()) refuse(n, "the name of a dtype policy");
    v = Policy(text->get<std::string>());
  }
  void operator()(std::string_view n, WindowPadding& v) override {
    const Json* json = find(n);
    if (!json) return;
    if (json->is_string()) {
      v = WindowPadding(json->get<std::string>());
      return;
    }
    std::vector<std::vector<int64_t>> rows;
    (*this)(n, rows);
    std::vector<Padding> sides;
    for (const auto& row : rows) {
      if (row.size() != 2) refuse(n, "a name or a list of pairs");
      sides.push_back({row[0], row[1]});
    }
    v = WindowPadding(std::move(sides));
  }
  void operator()(std::string_view n, DataFormat& v) override {
    std::string text(name_of(v));
    (*this)(n, text);
    const auto named = value_named<DataFormat>(text);
    if (!named) refuse(n, "channels_last or channels_first");
    v = *named;
  }
  void operator()(std::string_view n, std::optional<Layer>& v) override {
    if (const Json* json = find(n)) v = layer_of_json(*json);
  }
  void operator()(std::string_view n, std::vector<Layer>& v) override {
    const Json* json = find(n);
    if (!json) return;
    if (!json->is_array()) refuse(n, "a list of layers");
    for (const Json& layer : *json) v.push_back(layer_of_json(layer));
  }

 private:
  using Is = bool (Json::*)() const noexcept;

  [[noreturn]] void refuse(std::string_view name, std::string_view wanted) const {
    std::string text = find(name)->dump();
    if (text.size() > 60) text = text.substr(0, 60) + "…";
    throw InvalidArgument(cat("[config] '", name, "' of ", kind_, " is ", text, "; it must be ", wanted));
  }
  const Json* find(std::string_view name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  template <typename T>
  void take(std::string_view name, T& value, Is is, std::string_view wanted) {
    const Json* json = find(name);
    if (!json) return;
    if (!(json->*is)()) refuse(name, wanted);
    value = json->get<T>();
  }
  template <typename T>
  void take_optional(std::string_view name, std::optional<T>& value, Is is, std::string_view wanted) {
    T given{};
    if (!find(name)) {
      if (json_.contains(name)) value.reset();  // null says that there is none
      return;
    }
    take(name, given, is, wanted);
    value = given;
  }
  template <typename T>
  void take_list(std::string_view name, std::vector<T>& values, Is is, std::string_view wanted) {
    const Json* json = find(name);
    if (!json) return;
    if (!json->is_array()) refuse(name, wanted);
    values.clear();
    for (const Json& value : *json) {
      if (!(value.*is)()) refuse(name, wanted);
      values.push_back(value.get<T>());
    }
  }
  std::vector<int64_t> whole_numbers(std::string_view name, const Json& list) const {
    std::vector<int64_t> values;
    for (const Json& value : list) {
      if (!value.is_number_integer() && !value.is_null()) refuse(name, "a list of whole numbers");
      values.push_back(value.is_null() ? kUnknown : value.get<int64_t>());
    }
    return values;
  }
  template <typename Function>
  void take_function(std::string_view name, Function& value) {
    const Json* json = find(name);
    if (!json) return;
    if (json->is_string()) value = Function(json->get<std::string>());
    else if (json->is_object() && json->contains("class_name")) value = Function::from(settings_of(*json));
    else refuse(name, "a name or an object with class_name and config");
  }

  std::string kind_;
  const Json& json_;
};

// ---- layers

std::mutex makers_mutex;
std::map<std::string, LayerMaker, std::less<>>& registered_makers() {
  static auto* makers = new std::map<std::string, LayerMaker, std::less<>>;
  return *makers;
}

LayerMaker maker_of(std::string_view kind) {
  {
    std::lock_guard lock(makers_mutex);
    if (const auto found = registered_makers().find(kind); found != registered_makers().end()) return found->second;
  }
  std::vector<std::string_view> known;
  for (const LayerKind& row : layer_kinds()) {
    if (row.kind == kind) return row.make;
    known.push_back(row.kind);
  }
  throw_unknown("layer", kind, known);
}

Json symbol_json(const Symbol& symbol, const std::map<const CallNode*, int>& call_of) {
  Json shape = Json::array();
  for (const int64_t dim : symbol.spec().dims) shape.push_back(dim == kUnknown ? Json() : Json(dim));
  return {{"class_name", "__keras_tensor__"},
          {"config",
           {{"shape", shape},
            {"dtype", cat(symbol.dtype())},
            {"keras_history",
             {symbol.node()->layer.name(), call_of.at(symbol.node().get()), static_cast<int>(symbol.index())}}}}};
}

Json history_json(const Symbol& symbol, const std::map<const CallNode*, int>& call_of) {
  return {symbol.node()->layer.name(), call_of.at(symbol.node().get()), static_cast<int>(symbol.index())};
}

// Keras' form: each layer with the symbols of each of its calls.
void write_functional(FunctionalModule& module, Json& config) {
  std::map<const CallNode*, int> call_of;  // the number of a call among those of its layer
  std::map<const Module*, int> calls;
  std::map<const Module*, Json> inbound;
  auto number = [&](const std::shared_ptr<const CallNode>& node) {
    call_of.emplace(node.get(), calls[&node->layer.module()]++);
  };
  for (const Symbol& input : module.inputs()) {
    if (!input.node()->inputs.empty())
      throw InvalidArgument(cat("[config] '", module.name(), "' begins in the middle of another model, after '",
                                input.node()->layer.name(), "'; a config needs inputs from nn::Input"));
    number(input.node());
  }
  for (const auto& node : module.nodes()) number(node);
  for (const auto& node : module.nodes()) {
    Json arguments = Json::array(), keywords = Json::object();
    for (const Symbol& input : node->inputs) arguments.push_back(symbol_json(input, call_of));
    if (node->inputs.size() > 1) arguments = Json::array({arguments});
    if (node->options.training) keywords["training"] = *node->options.training;
    if (node->options.use_causal_mask) keywords["use_causal_mask"] = true;
    if (node->options.return_attention_scores) keywords["return_attention_scores"] = true;
    inbound[&node->layer.module()].push_back({{"args", arguments}, {"kwargs", keywords}});
  }
  config["layers"] = Json::array();
  for (const Layer& layer : module.modules()) {
    Json json = layer_to_json(layer);
    json["name"] = layer.name();
    const auto found = inbound.find(&layer.module());
    json["inbound_nodes"] = found == inbound.end() ? Json::array() : found->second;
    config["layers"].push_back(std::move(json));
  }
  for (const Symbol& input : module.inputs()) config["input_layers"].push_back(history_json(input, call_of));
  for (const Symbol& output : module.outputs()) config["output_layers"].push_back(history_json(output, call_of));
}

Json layer_to_json(const Layer& layer) {
  Module& module = layer.module();
  Json config = {{"name", module.name()}, {"trainable", module.trainable()}};
  Writer writer(config);
  if (auto* functional = dynamic_cast<FunctionalModule*>(&module)) {
    write_functional(*functional, config);
  } else {
    Policy policy = module.policy();
    writer("dtype", policy);
    module.describe(writer);
  }
  const bool is_model = module.kind() == "Sequential" || module.kind() == "Functional";
  return object_json(is_model ? "keras" : "keras.layers", module.kind(), std::move(config));
}

using History = std::vector<Json>;

// The result that (layer, call, index) names.
Symbol find_symbol(const std::map<std::string, std::vector<std::vector<Symbol>>>& made, const Json& history) {
  const auto layer = made.find(history.at(0).get<std::string>());
  const auto call = history.at(1).get<size_t>(), index = history.at(2).get<size_t>();
  if (layer == made.end() || call >= layer->second.size() || index >= layer->second[call].size()) return {};
  return layer->second[call][index];
}

// Configs come from files: none may exhaust the stack.
constexpr int kDeepest = 100;

// Arguments are symbols and lists of them.
void collect_histories(const Json& json, std::vector<Json>& into, int depth = 0) {
  if (depth > kDeepest) throw InvalidArgument(cat("[config] arguments are nested more than ", kDeepest, " deep"));
  if (json.is_object() && json.value("class_name", "") == "__keras_tensor__")
    into.push_back(json.at("config").at("keras_history"));
  else if (json.is_structured())
    for (const Json& inside : json) collect_histories(inside, into, depth + 1);
}

// Inputs that are given by name: attention's. Masks go with tensors here; of others it is not known what they mean.
void collect_named(const std::string& layer, const Json& keywords, std::vector<Json>& into) {
  for (const char* name : {"value", "key", "attention_mask"}) {
    std::vector<Json> found;
    if (const auto given = keywords.find(name); given != keywords.end()) collect_histories(*given, found);
    if (found.empty()) continue;
    if (name == std::string_view("attention_mask") && into.size() == 2) into.push_back(into.back());  // the key
    into.insert(into.end(), found.begin(), found.end());
  }
  for (const auto& [name, given] : keywords.items()) {
    std::vector<Json> found;
    collect_histories(given, found);
    const bool known = name == "value" || name == "key" || name == "attention_mask" || name == "mask" ||
                       name == "query_mask" || name == "value_mask" || name == "key_mask";
    if (!found.empty() && !known)
      throw InvalidArgument(cat("[config] a call of '", layer, "' is given '", name, "' by name, which is not read"));
  }
}

// One history, or a list of them, or some by name.
std::vector<Json> history_list(const Json& json) {
  if (json.is_array() && !json.empty() && json.at(0).is_string()) return {json};
  return {json.begin(), json.end()};
}

// Keras writes the comparison by which an Embedding finds its mask as a step of the graph.
bool makes_mask(const Json& json) {
  const auto module = json.find("module");
  return module != json.end() && module->is_string() && module->get<std::string>().starts_with("keras.src.ops") &&
         json.at("class_name") == "NotEqual";
}

Layer read_functional(const Json& config) {
  std::map<std::string, std::vector<std::vector<Symbol>>> made;  // the results of each call of each layer
  struct Pending {
    std::string name;
    Layer layer;
    const Json* calls;
    size_t next = 0;
  };
  std::vector<Pending> pending;
  for (const Json& json : config.at("layers")) {
    const auto name = json.at("name").get<std::string>();
    if (makes_mask(json)) continue;  // masks go with tensors here; whoever takes it for an input is refused below
    const Layer layer = layer_of_json(json);
    if (input_spec(layer)) made[name] = {{input_symbol(layer)}};
    else pending.push_back({name, layer, &json.at("inbound_nodes")});
  }
  // A call can be made when what goes into it is there.
  for (bool any = true; any;) {
    any = false;
    for (Pending& p : pending) {
      for (; p.next < p.calls->size(); ++p.next) {
        const Json& call = p.calls->at(p.next);
        std::vector<Json> histories;
        collect_histories(call.at("args"), histories);
        if (const auto named = call.find("kwargs"); named != call.end()) collect_named(p.name, *named, histories);
        std::vector<Symbol> inputs;
        for (const Json& history : histories) {
          inputs.push_back(find_symbol(made, history));
          if (!inputs.back().node()) break;
        }
        if (inputs.size() != histories.size() || inputs.empty() || !inputs.back().node()) break;
        const Json keywords = call.value("kwargs", Json::object());
        CallOptions options{.use_causal_mask = keywords.value("use_causal_mask", false),
                            .return_attention_scores = keywords.value("return_attention_scores", false)};
        if (const auto t = keywords.find("training"); t != keywords.end() && t->is_boolean())
          options.training = t->get<bool>();
        made[p.name].push_back(p.layer.call(inputs, options));
        any = true;
      }
    }
  }
  for (const Pending& p : pending)
    if (p.next < p.calls->size())
      throw InvalidArgument(cat("[config] call ", p.next, " of '", p.name, "' takes what no layer gives"));
  auto symbols = [&](const char* key) {
    std::vector<Symbol> found;
    for (const Json& history : history_list(config.at(key))) {
      found.push_back(find_symbol(made, history));
      if (!found.back().node()) throw InvalidArgument(cat("[config] ", key, " names what no layer gives"));
    }
    return found;
  };
  return Layer(std::make_shared<FunctionalModule>(symbols("input_layers"), symbols("output_layers"),
                                                  config.value("name", std::string())));
}

class Nesting {
 public:
  Nesting() {
    if (++depth_ > kDeepest) {
      --depth_;
      throw InvalidArgument(cat("[config] layers are nested more than ", kDeepest, " deep"));
    }
  }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;

 private:
  static thread_local int depth_;
};
thread_local int Nesting::depth_ = 0;

Layer layer_of_json(const Json& json) {
  const Nesting nesting;
  const auto kind = json.at("class_name").get<std::string>();
  const Json& config = json.at("config");
  Layer layer = [&] {
    if (kind == "Functional" || kind == "Model") return read_functional(config);
    Reader reader(kind, config);
    return maker_of(kind)(reader);
  }();
  if (const auto t = config.find("trainable"); t != config.end() && t->is_boolean() && !t->get<bool>())
    layer.set_trainable(false);
  return layer;
}

}  // namespace

void register_layer(std::string_view kind, LayerMaker maker) {
  std::lock_guard lock(makers_mutex);
  registered_makers()[std::string(kind)] = std::move(maker);
}

std::string to_json(const Layer& layer, int indent) {
  try {
    return layer_to_json(layer).dump(indent);
  } catch (const Json::type_error&) {  // the vocabulary of a lookup may hold any bytes
    throw InvalidArgument(cat("[config] '", layer.name(), "' holds a text that is not UTF-8, which JSON cannot"));
  }
}

Layer layer_from_json(std::string_view json) {
  try {
    return layer_of_json(Json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument(cat("[config] this is no config of a layer: ", error.what()));
  }
}

Layer clone(const Layer& layer) { return layer_of_json(layer_to_json(layer)); }

}  // namespace brio::nn
