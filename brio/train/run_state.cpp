#include "brio/train/run_state.h"

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "brio/base/error.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"
#include "brio/formats/seal.h"

namespace brio::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "brio run 1";

// A number to the last bit, not finite ones too, which JSON lacks.
std::string exact(double value) {
  char text[32];
  return {text, std::to_chars(std::begin(text), std::end(text), value).ptr};
}
double number_of(const Json& json) {
  const auto text = json.get<std::string>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument(cat("'", text, "' is no number"));
  return value;
}

std::string in_hex(std::string_view bytes) {
  static constexpr char kHexDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kHexDigits[static_cast<unsigned char>(byte) >> 4];
    text += kHexDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}
std::string out_of_hex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

Json to_json(const Generator::State& state) { return {state.seed, state.counter}; }
Generator::State generator_of(const Json& json) { return {json.at(0).get<uint64_t>(), json.at(1).get<uint64_t>()}; }

// The tensors of callbacks are among the others, under these names.
std::string tensor_name(size_t callback, const std::string& name, size_t i) {
  return cat("callbacks/", callback, "/", name, "/", i);
}

Json callback_json(size_t number, const CallbackState& state, std::vector<formats::NamedArray>& tensors) {
  Json json = {{"numbers", Json::object()}, {"texts", Json::object()}, {"tensors", Json::object()}};
  for (const auto& [name, value] : state.numbers) json["numbers"][name] = exact(value);
  for (const auto& [name, value] : state.texts) json["texts"][name] = in_hex(value);
  for (const auto& [name, list] : state.tensors) {
    json["tensors"][name] = list.size();
    for (size_t i = 0; i < list.size(); ++i) tensors.emplace_back(tensor_name(number, name, i), list[i].array());
  }
  return json;
}

std::string digits_of(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

}  // namespace

void write_run_state(const std::string& name, const RunState& state) {
  const std::string file = name + ".safetensors";
  std::vector<formats::NamedArray> tensors = state.tensors;
  Json callbacks = Json::array();
  for (size_t i = 0; i < state.callbacks.size(); ++i)
    callbacks.push_back(callback_json(i, state.callbacks[i], tensors));
  Json sums = Json::object();
  for (const auto& [each, array] : tensors)
    sums[each] = digits_of(formats::crc32c({array.as<char>(), array.aval.bytes()}));
  const uint32_t crc = formats::write_safetensors(file, tensors, {{"format", "brio"}});
  Json random = Json::array();
  for (const Generator::State& each : state.layer_random) random.push_back(to_json(each));
  const Json manifest = {
      {"format", kFormat},
      {"epoch", state.epoch},
      {"step", state.step},
      {"steps_done", state.steps_done},
      {"finished", state.finished},
      {"parts", state.parts},
      {"file", std::filesystem::path(file).filename().string()},
      {"file_crc32c", digits_of(crc)},
      {"order", state.order ? to_json(*state.order) : Json()},
      {"position", state.position ? Json(in_hex(*state.position)) : Json()},
      {"random", to_json(state.random)},
      {"layer_random", random},
      {"monitored", state.monitored ? Json(exact(*state.monitored)) : Json()},
      {"precision", state.precision ? Json(*state.precision) : Json()},
      {"callbacks", callbacks},
      {"tensors", sums},
  };
  formats::write_file(name + ".json", formats::sealed_json(manifest.dump(1)));
}

RunState read_run_state(const std::string& name) {
  const std::string path = name + ".json";
  const auto fail = [&](std::string_view why) { throw formats::DataError({path}, 0, why); };
  if (!formats::check_seal(formats::InputFile(path), formats::Seal::json)) fail("it has no checksum");
  const Json json = Json::parse(formats::read_file(path), nullptr, false);
  if (!json.is_object() || json.value("format", "") != kFormat) fail("this is no checkpoint of a run");
  try {
    RunState state{.epoch = json.at("epoch").get<int64_t>(),
                   .step = json.at("step").get<int64_t>(),
                   .steps_done = json.at("steps_done").get<int64_t>(),
                   .finished = json.at("finished").get<bool>(),
                   .parts = json.value("parts", int64_t{0}),
                   .random = generator_of(json.at("random"))};
    if (!json.at("order").is_null()) state.order = generator_of(json.at("order"));
    if (!json.at("position").is_null()) state.position = out_of_hex(json.at("position").get<std::string>());
    if (!json.at("monitored").is_null()) state.monitored = number_of(json.at("monitored"));
    if (json.contains("precision") && !json.at("precision").is_null())  // checkpoints of older versions have none
      state.precision = json.at("precision").get<std::string>();
    for (const Json& each : json.at("layer_random")) state.layer_random.push_back(generator_of(each));

    const formats::SafetensorsFile file(
        (std::filesystem::path(path).parent_path() / json.at("file").get<std::string>()).string());
    const Json& sums = json.at("tensors");
    std::map<std::string, Array> found;
    for (const formats::SafetensorsFile::Entry& entry : file.entries()) {
      Array array = file.read(entry);
      if (sums.at(entry.name) != digits_of(formats::crc32c({array.as<char>(), array.aval.bytes()})))
        fail(cat("the tensor ", entry.name, " of ", file.path(),
                 " does not have the checksum that the manifest says"));
      if (!entry.name.starts_with("callbacks/")) state.tensors.emplace_back(entry.name, array);
      found.emplace(entry.name, std::move(array));
    }
    if (found.size() != sums.size()) fail(cat(file.path(), " lacks tensors that the manifest lists"));
    for (const Json& each : json.at("callbacks")) {
      CallbackState callback;
      for (const auto& [key, value] : each.at("numbers").items()) callback.numbers[key] = number_of(value);
      for (const auto& [key, value] : each.at("texts").items())
        callback.texts[key] = out_of_hex(value.get<std::string>());
      for (const auto& [key, count] : each.at("tensors").items())
        for (size_t i = 0; i < count.get<size_t>(); ++i)
          callback.tensors[key].emplace_back(found.at(tensor_name(state.callbacks.size(), key, i)));
      state.callbacks.push_back(std::move(callback));
    }
    return state;
  } catch (const Json::exception& error) {
    fail(cat("its manifest cannot be read: ", error.what()));
  } catch (const std::out_of_range&) {
    fail("it lacks tensors of a callback");
  } catch (const InvalidArgument& error) {
    fail(error.what());
  }
  return {};
}

}  // namespace brio::train
