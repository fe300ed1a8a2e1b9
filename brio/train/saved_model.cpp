#include "brio/train/saved_model.h"

#include <cstring>
#include <filesystem>
#include <random>

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/formats/safetensors.h"
#include "brio/formats/seal.h"
#include "brio/runtime/saved_trace.h"
#include "brio/tensor/strings.h"

namespace brio::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kSavedModelFile = "saved_model.json", *kSavedModelFormat = "brio saved model 1";

bool is_values_file(const std::string& name) { return name.starts_with("values-") && name.ends_with(".safetensors"); }

std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    const size_t left = bytes.size() - i;
    for (size_t k = 0; k < 4; ++k) text += k <= left ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// Safetensors files have no complex128: pairs of float64.
Array for_file(const Tensor& value) {
  const Tensor own = Tensor::from_bytes(data_of(value), value.aval());
  Array array = own.array();
  if (value.dtype() != c128) return array;
  std::vector<Size> dims(array.aval.shape.begin(), array.aval.shape.end());
  dims.push_back(2);
  array.aval = {Shape(dims), f64};
  return array;
}

Json shape_of(const Tensor& value) {
  Json shape = Json::array();
  for (const Size size : value.shape()) shape.push_back(int64_t{size});
  return shape;
}

}  // namespace

void write_saved_model(const std::string& folder, const Json& described, std::span<const VariableRef> variables,
                       std::span<const Tensor> constants) {
  formats::check_name(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) throw ResourceError(cat(folder, ": it cannot be made: ", error.message()));
  std::vector<fs::path> before;
  for (const auto& each : fs::directory_iterator(folder))
    if (is_values_file(each.path().filename().string())) before.push_back(each.path());

  std::vector<formats::NamedArray> values;
  Json dtypes = Json::array(), strings = Json::object();
  const AutocastScope as_it_is({});
  for (size_t i = 0; i < variables.size(); ++i)
    values.emplace_back(cat("variable_", i), for_file(read_variable(variables[i])));
  for (size_t i = 0; i < constants.size(); ++i) {
    const Tensor& constant = constants[i];
    dtypes.push_back(std::string(info(constant.dtype()).name));
    if (constant.dtype() != DType::string) {
      values.emplace_back(cat("constant_", i), for_file(constant));
      continue;
    }
    Json texts = Json::array();
    for (int64_t k = 0; k < constant.size(); ++k) texts.push_back(base64(string_at(constant.array(), k)));
    strings[std::to_string(i)] = {shape_of(constant), texts};
  }
  char name[40];
  std::snprintf(name, sizeof name, "values-%08x.safetensors", std::random_device{}());
  formats::write_safetensors((fs::path(folder) / name).string(), values);
  const Json whole = {{"format", kSavedModelFormat},
                      {"values", name},
                      {"objects", described.at("objects")},
                      {"signatures", described.at("signatures")},
                      {"constants", dtypes},
                      {"strings", strings}};
  formats::write_file((fs::path(folder) / kSavedModelFile).string(), formats::sealed_json(whole.dump(1)));
  for (const fs::path& old : before) fs::remove(old, error);
}

}  // namespace brio::train
