// brio export MODEL OUT: a trained model in the form that another program reads.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "brio/base/error.h"
#include "brio/base/shown_bytes.h"
#include "brio/cli/arguments.h"
#include "brio/cli/command.h"
#include "brio/train/export.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExportHelp =
    R"(brio export MODEL OUT [--to FORMAT] [--json]: writes a model for another program

MODEL is a .keras file, of brio fit or of Keras. What OUT becomes follows from its ending, or from --to:

  onnx         .onnx         the graph and its weights, for onnxruntime and others; any number of samples at once
  savedmodel   a folder      for tf.saved_model.load and keras.layers.TFSMLayer of Brio's Python package
  keras        .keras        for Keras, Brio and its tools
  h5           .weights.h5   the weights alone, as Keras has them
  safetensors  .safetensors  the weights alone

Exit codes: 0 done, 1 failed (an op that the format has not is named, with its layer), 2 misused.
)";

struct Format {
  std::string_view name, ending;
};
constexpr Format kFormats[] = {{"onnx", ".onnx"},
                               {"keras", ".keras"},
                               {"h5", ".weights.h5"},
                               {"safetensors", ".safetensors"},
                               {"savedmodel", ""}};

std::string format_of(const std::string& out, const std::string& to) {
  for (const Format& format : kFormats)
    if (!to.empty() ? to == format.name : !format.ending.empty() && out.ends_with(format.ending)) {
      if (!format.ending.empty() && !out.ends_with(format.ending))
        throw Misuse(cat("--to ", to, " writes files that end in ", format.ending, ", but OUT is ", out));
      return std::string(format.name);
    }
  std::string known;
  for (const Format& format : kFormats) known += cat(known.empty() ? "" : ", ", format.name);
  if (!to.empty()) throw Misuse(cat("--to is ", to, "; it is one of ", known));
  if (out.ends_with(".h5"))
    throw Misuse(cat(out, ": weights go to files that end in .weights.h5; a whole model to .keras"));
  if (fs::path(out).extension().empty() || fs::is_directory(out)) return "savedmodel";
  throw Misuse(cat("what ", out, " becomes does not follow from its ending; --to says it: ", known));
}

// What lies there, of all files.
uintmax_t bytes_at(const std::string& path) {
  if (!fs::is_directory(path)) return fs::file_size(path);
  uintmax_t sum = 0;
  for (const auto& each : fs::recursive_directory_iterator(path))
    if (each.is_regular_file()) sum += each.file_size();
  return sum;
}

// How the numbers that it takes are made, as brio fit wrote it beside the model.
std::string input_of(const Json& about) {
  if (!about.is_object() || !about.contains("input")) return {};
  const Json& input = about["input"];
  const std::string kind = input.value("kind", "");
  if (kind == "pictures")
    return cat("pictures of ", input.value("height", 0), "x", input.value("width", 0), "x",
               input.value("channels", 0), ", pixels from 0 to 255");
  if (kind == "series")
    return cat("the last ", input.value("window", 0), " values of '", input.value("column", ""), "'");
  if (kind == "table") return "rows of numbers as brio predict makes them; how is in the model's metadata";
  return {};
}

}  // namespace

int run_export(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kExportHelp, stdout);
    return 0;
  }
  const Arguments arguments(words, {"--json"}, {"--to"});
  if (arguments.names().size() != 2) throw Misuse("takes MODEL and OUT");
  const std::string &from = arguments.names()[0], &out = arguments.names()[1];
  const std::string format = format_of(out, arguments.text("--to"));
  if (!from.ends_with(".keras")) throw Misuse(cat("MODEL is ", from, "; it is a .keras file"));
  std::error_code error;
  if (fs::equivalent(from, out, error)) throw Misuse(cat("MODEL and OUT are both ", from));
  if (format == "savedmodel" && fs::is_directory(out) && !fs::is_empty(out) &&
      !fs::exists(fs::path(out) / "saved_model.json"))
    throw Misuse(cat(out, " holds something that is no SavedModel; take another folder"));
  const nn::Model model = nn::load_model(from, {.compile = format == "keras"});
  const std::string about = nn::about_model(from);
  if (format == "onnx") nn::export_model(model, out, {.format = "onnx", .about = about});
  else if (format == "savedmodel") nn::export_model(model, out, {.format = "tf_saved_model"});
  else if (format == "keras") model.save(out, {.about = about});
  else model.save_weights(out, {.include_optimizer = false});

  const std::string input = input_of(Json::parse(about, nullptr, false));
  const uintmax_t bytes = bytes_at(out);
  if (arguments.has("--json")) {
    const Json json = {
        {"model", from}, {"out", out}, {"format", format}, {"bytes", bytes}, {"parameters", model.count_params()},
        {"input", input}};
    std::puts(json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    return 0;
  }
  std::printf("%s: %s, %s, %lld parameters\n", out.c_str(), format.c_str(),
              shown_bytes(static_cast<double>(bytes)).c_str(), static_cast<long long>(model.count_params()));
  if (!input.empty()) std::printf("it takes %s\n", input.c_str());
  return 0;
}

}  // namespace brio::cli
