// Models as files: config, weights and what compile() was given, in the form that Keras and the Python door write.
#include <ctime>
#include <filesystem>
#include <iostream>

#include "brio/base/error.h"
#include "brio/formats/seal.h"
#include "brio/formats/zip.h"
#include "brio/nn/config.h"
#include "brio/nn/settings_json.h"
#include "brio/train/compile_config.h"
#include "brio/train/saving.h"
#include "brio/train/trainer.h"
#include "brio/train/weight_source.h"

namespace brio::nn {
namespace {

constexpr const char *kConfig = "config.json", *kMetadata = "metadata.json", *kWeights = "model.weights.h5";
constexpr const char* kKerasVersion = "3.15.0";  // whose form it is

void check_overwrite(const std::string& path, bool overwrite) {
  if (std::error_code error; !overwrite && std::filesystem::exists(path, error))
    throw InvalidArgument(cat("[save] ", path, " is there already; set overwrite = true to replace it"));
}

void require_weights(const Layer& model, const char* what) {
  if (!model.built())
    throw InvalidArgument(cat("[", what, "] '", model.name(),
                              "' has no weights yet; call it on data, build() it, or give it an input shape"));
}

train::Entries entries_of(const Layer& model, const Optimizer* optimizer) {
  train::Entries entries = weight_entries(model);
  if (optimizer)
    for (WeightEntry& entry : weight_entries(*optimizer)) entries.push_back(std::move(entry));
  return entries;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm date{};
  localtime_r(&seconds, &date);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d@%H:%M:%S", &date)};
}

Json parsed(const formats::ZipReader& zip, const std::string& path, const char* name) {
  const formats::ZipMember* member = zip.find(name);
  if (!member) throw InvalidArgument(cat("[load_model] ", path, " is no .keras file: it has no ", name));
  Json json = Json::parse(zip.read(*member), nullptr, false);
  if (!json.is_object()) throw formats::DataError({path}, 0, cat("its member ", name, " is no JSON object"));
  return json;
}

formats::ZipReader open_archive(const std::string& path) {
  if (!path.ends_with(".keras"))
    throw InvalidArgument(cat("[load_model] models are read from .keras files, but the name is ", path));
  formats::check_seal(formats::InputFile(path), formats::Seal::binary);
  return formats::ZipReader(formats::ReadAt(path));
}

}  // namespace

}  // namespace brio::nn

namespace brio::train {

using nn::Json;

void save_model(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                const nn::SaveOptions& options) {
  if (!path.ends_with(".keras"))
    throw InvalidArgument(cat("[save] models are written to files that end in .keras, but the name is ", path,
                              "; for weights alone there is save_weights()"));
  nn::require_weights(model, "save");
  nn::check_overwrite(path, options.overwrite);
  Json config = Json::parse(nn::to_json(model));
  const nn::Optimizer* optimizer = compiled && options.include_optimizer ? &compiled->optimizer : nullptr;
  if (optimizer) {
    try {
      config["compile_config"] = compile_json(*compiled);
    } catch (const InvalidArgument& error) {
      std::cerr << "brio: [save] " << path << ": compile() it again after loading: " << error.what() << "\n";
      optimizer = nullptr;
    }
  }
  Json metadata = {{"keras_version", nn::kKerasVersion}, {"date_saved", nn::now()}};
  if (!options.about.empty()) metadata["brio"] = options.about;
  const std::string weights = hdf5_image(path, nn::entries_of(model, optimizer));
  formats::ZipWriter zip(path);
  zip.add(nn::kMetadata, {metadata.dump()});
  zip.add(nn::kConfig, {config.dump()});
  zip.add(nn::kWeights, {weights});
  zip.commit_sealed();
}

void save_weights(const nn::Layer& model, const nn::CompileOptions* compiled, const std::string& path,
                  const nn::SaveOptions& options) {
  nn::require_weights(model, "save_weights");
  nn::check_overwrite(path, options.overwrite);
  const Entries entries =
      nn::entries_of(model, compiled && options.include_optimizer ? &compiled->optimizer : nullptr);
  if (path.ends_with(".safetensors")) write_safetensors(path, entries);
  else if (path.ends_with(".weights.h5")) write_hdf5(path, entries);
  else
    throw InvalidArgument(cat("[save_weights] the name must end in .weights.h5 or .safetensors, but it is ", path));
}

}  // namespace brio::train

namespace brio::nn {

void Model::save(const std::string& path, SaveOptions options) const {
  train::save_model(*this, compiled() ? &trainer_->compile_options() : nullptr, path, options);
}
void Model::save_weights(const std::string& path, SaveOptions options) const {
  train::save_weights(*this, compiled() ? &trainer_->compile_options() : nullptr, path, options);
}

void Model::load_weights(const std::string& path, LoadWeightsOptions options) const {
  require_weights(*this, "load_weights");
  const std::optional<Optimizer> keeper = compiled() ? std::optional(optimizer()) : std::nullopt;
  train::load_weights(*this, keeper ? &*keeper : nullptr, *train::open_weights(path),
                      {.what = path, .skip_mismatch = options.skip_mismatch});
}

Model load_model(const std::string& path, LoadModelOptions options) {
  const formats::ZipReader zip = open_archive(path);
  for (const formats::ZipMember& member : zip.members())
    if (member.name.starts_with("assets/") && !member.name.ends_with("/"))
      throw InvalidArgument(cat("[load_model] ", path, " keeps a part of its layers in the file ", member.name,
                                ", which the C++ side does not read; load it in Python and save it again"));
  const Json config = parsed(zip, path, kConfig);
  Model model = model_from_json(config.dump());
  if (options.compile && config.contains("compile_config") && config["compile_config"].is_object()) {
    try {
      model.compile(train::compile_options(config["compile_config"]));
    } catch (const InvalidArgument& error) {
      std::cerr << "brio: [load_model] " << path << ": compile() it before fit(): " << error.what() << "\n";
    } catch (const Json::exception& error) {
      std::cerr << "brio: [load_model] " << path << ": compile() it before fit(): " << error.what() << "\n";
    }
  }
  if (!model.built())
    throw InvalidArgument(cat("[load_model] ", path, " says nothing of the shape of the model's input"));
  const std::optional<Optimizer> keeper = model.compiled() ? std::optional(model.optimizer()) : std::nullopt;
  const formats::ZipMember* weights = zip.find(kWeights);
  if (!weights) throw InvalidArgument(cat("[load_model] ", path, " is no .keras file: it has no ", kWeights));
  train::load_weights(model, keeper ? &*keeper : nullptr,
                      *train::weights_in_image(zip.read(*weights), cat(path, ": ", kWeights)),
                      {.what = path, .is_new = true});
  return model;
}

std::string about_model(const std::string& path) {
  const Json metadata = parsed(open_archive(path), path, kMetadata);
  const auto found = metadata.find("brio");
  return found != metadata.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace brio::nn
