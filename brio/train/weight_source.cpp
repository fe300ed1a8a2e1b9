#include "brio/train/weight_source.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "brio/base/error.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/hdf5.h"
#include "brio/formats/safetensors.h"
#include "brio/formats/seal.h"
#include "brio/formats/zip.h"
#include "brio/ops/elementwise/elementwise.h"

namespace brio::train {
namespace {

using formats::Hdf5Reader;

std::string inside(const std::string& path, const std::string& name) {
  return path.empty() ? name : cat(path, "/", name);
}

class Hdf5Source : public WeightSource {
 public:
  explicit Hdf5Source(std::unique_ptr<Hdf5Reader> reader) : reader_(std::move(reader)) {}

  std::vector<std::string> names(const std::string& path) const override {
    std::string at;
    for (size_t begin = 0; begin < path.size();) {
      const size_t end = std::min(path.find('/', begin), path.size());
      const std::string part = path.substr(begin, end - begin);
      if (!has_group(at, part)) return {};
      at = inside(at, part);
      begin = end + 1;
    }
    if (!has_group(at, kVars)) return {};
    std::vector<std::string> found;
    for (const auto& [name, is_group] : group(inside(at, kVars)))
      if (!is_group) found.push_back(name);
    return found;
  }
  Array read(const std::string& path, const std::string& name) const override {
    return reader_->read(inside(inside(path, kVars), name));
  }

 private:
  static inline const std::string kVars = "vars";
  using Names = std::map<std::string, bool>;

  const Names& group(const std::string& path) const {
    const auto [at, is_new] = groups_.try_emplace(path);
    if (is_new)
      for (auto& [name, is_group] : reader_->names(path)) at->second.emplace(name, is_group);
    return at->second;
  }
  bool has_group(const std::string& path, const std::string& name) const {
    const Names& names = group(path);
    const auto found = names.find(name);
    return found != names.end() && found->second;
  }

  std::unique_ptr<Hdf5Reader> reader_;
  mutable std::map<std::string, Names> groups_;  // that were asked for
};

class SafetensorsSource : public WeightSource {
 public:
  explicit SafetensorsSource(const std::string& path) : file_(path) {}

  std::vector<std::string> names(const std::string& path) const override {
    std::vector<std::string> found;
    const std::string before = path.empty() ? path : path + "/";
    for (const auto& entry : file_.entries())
      if (entry.name.starts_with(before) && entry.name.find('/', before.size()) == std::string::npos)
        found.push_back(entry.name.substr(before.size()));
    return found;
  }
  Array read(const std::string& path, const std::string& name) const override {
    return file_.read(*file_.find(inside(path, name)));
  }

 private:
  formats::SafetensorsFile file_;
};

}  // namespace

Array value_of(const Variable& variable) {
  const AutocastScope as_it_is({});
  return variable.value().array();
}

std::unique_ptr<WeightSource> weights_in_image(std::string_view hdf5, const std::string& name) {
  return std::make_unique<Hdf5Source>(std::make_unique<Hdf5Reader>(hdf5, name));
}

std::unique_ptr<WeightSource> open_weights(const std::string& path) {
  if (path.ends_with(".safetensors")) return std::make_unique<SafetensorsSource>(path);
  if (path.ends_with(".weights.h5")) {
    formats::check_seal(formats::InputFile(path), formats::Seal::binary);
    return std::make_unique<Hdf5Source>(std::make_unique<Hdf5Reader>(path));
  }
  if (path.ends_with(".keras")) {
    formats::check_seal(formats::InputFile(path), formats::Seal::binary);
    const formats::ZipReader zip{formats::ReadAt(path)};
    const formats::ZipMember* member = zip.find("model.weights.h5");
    if (!member) throw InvalidArgument(cat("[load] ", path, " is no .keras file: it has no model.weights.h5"));
    return weights_in_image(zip.read(*member), cat(path, ": model.weights.h5"));
  }
  throw InvalidArgument(
      cat("[load_weights] weights are read from .weights.h5, .keras and .safetensors files, but the name is ", path));
}

std::string hdf5_image(const std::string& name, const Entries& entries) {
  formats::Hdf5Writer file(name);
  for (const nn::WeightEntry& entry : entries) {
    const std::string folder = inside(entry.path, "vars");
    file.group(folder, {{"name", {entry.name}}});
    for (size_t i = 0; i < entry.variables.size(); ++i)
      file.dataset(cat(folder, "/", i), value_of(entry.variables[i]));
  }
  return std::string(file.bytes());
}

void write_hdf5(const std::string& path, const Entries& entries) {
  const std::string image = hdf5_image(path, entries);
  formats::OutputFile file(path);
  file.write(image);
  file.write(formats::seal_of(formats::Seal::binary, formats::crc32c(image)));
  file.commit();
}

void write_safetensors(const std::string& path, const Entries& entries) {
  std::vector<formats::NamedArray> arrays;
  for (const nn::WeightEntry& entry : entries)
    for (size_t i = 0; i < entry.variables.size(); ++i)
      arrays.emplace_back(inside(entry.path, std::to_string(i)), value_of(entry.variables[i]));
  formats::write_safetensors(path, arrays, {{"format", "brio"}});
}

namespace {

// One entry, compared with what a file has of it.
struct Comparison {
  std::vector<std::pair<Variable, Array>> rows;
  std::vector<std::string> wrong;
};

Comparison compare(nn::WeightEntry entry, const WeightSource& source, size_t at_most) {
  Comparison found;
  const std::string where = cat("'", entry.name, "' (", entry.path.empty() ? "the model" : entry.path, ")");
  const std::vector<std::string> names = source.names(entry.path);
  if (names.size() < entry.variables.size() && names.size() >= at_most) entry.variables.resize(names.size());
  bool numbered = names.size() == entry.variables.size();
  for (size_t i = 0; numbered && i < names.size(); ++i)
    numbered = std::ranges::find(names, std::to_string(i)) != names.end();
  if (!numbered) {
    found.wrong.push_back(cat(where, " has ", entry.variables.size(), " variables, but the file has ", names.size()));
    return found;
  }
  for (size_t i = 0; i < entry.variables.size(); ++i) {
    const Variable& variable = entry.variables[i];
    Array value = source.read(entry.path, std::to_string(i));
    if (value.aval.shape == variable.shape()) found.rows.emplace_back(variable, std::move(value));
    else
      found.wrong.push_back(cat("variable ", i, " of ", where, " has shape ", variable.shape(), ", but the file has ",
                                value.aval.shape));
  }
  return found;
}

std::string first_of(const std::vector<std::string>& problems) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(5, problems.size()); ++i) text += cat(i > 0 ? "; " : "", problems[i]);
  return text;
}

}  // namespace

void load_weights(const nn::Layer& model, const nn::Optimizer* optimizer, const WeightSource& source,
                  const LoadOptions& options) {
  std::vector<std::pair<Variable, Array>> rows;
  std::vector<std::string> problems;
  for (const nn::WeightEntry& entry : nn::weight_entries(model)) {
    Comparison found = compare(entry, source, SIZE_MAX);
    problems.insert(problems.end(), found.wrong.begin(), found.wrong.end());
    std::ranges::move(found.rows, std::back_inserter(rows));
  }
  if (!problems.empty() && !options.skip_mismatch)
    throw InvalidArgument(
        cat("[load] ", options.what, " does not fit the model, which was left as it was: ", first_of(problems)));
  const auto say = [&](const std::string& text) {
    std::cerr << "brio: [load] " << options.what << ": " << text << "\n";
  };
  if (!problems.empty()) say(cat("left as they were: ", first_of(problems)));

  if (optimizer) {
    const std::vector<Variable> trained = model.trainable_variables();
    // What it keeps for each weight is in the file, and would be lost.
    if (source.names("optimizer").size() > optimizer->variables().size() && !trained.empty())
      optimizer->build(trained);
    std::vector<std::pair<Variable, Array>> state;
    std::vector<std::string> wrong;
    bool any = false;
    for (const nn::WeightEntry& entry : nn::weight_entries(*optimizer)) {
      any |= !source.names(entry.path).empty();
      Comparison found = compare(entry, source, options.is_new ? 1 : SIZE_MAX);
      std::ranges::move(found.wrong, std::back_inserter(wrong));
      std::ranges::move(found.rows, std::back_inserter(state));
    }
    if (any && !wrong.empty()) say(cat("the optimizer begins anew, as the file's state does not fit it: ", wrong[0]));
    else if (any) std::ranges::move(state, std::back_inserter(rows));
  }
  for (auto& [variable, value] : rows) {
    Tensor tensor(std::move(value));
    Variable(variable).assign(tensor.dtype() == variable.dtype() ? tensor : cast(tensor, variable.dtype()));
  }
}

}  // namespace brio::train
