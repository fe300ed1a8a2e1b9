#include "brio/cli/fit_run.h"

#include <filesystem>

#include "brio/base/error.h"
#include "brio/formats/data_error.h"
#include "brio/formats/seal.h"

namespace brio::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

FitRun::FitRun(std::string folder, bool resume, const Arguments& arguments, const std::string& source)
    : folder_(std::move(folder)), arguments_(arguments) {
  if (folder_.empty()) {
    if (resume) throw Misuse("--resume needs --out RUN, the folder of the run that goes on");
    return;
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) throw ResourceError(cat(folder_, ": it cannot be made: ", error.message()));
  const std::string path = file("job.json");
  const std::string from = fs::absolute(source).lexically_normal().string();
  if (fs::exists(path)) {
    if (!resume)
      throw Misuse(cat(folder_, " holds a run; --resume goes on with it, or take another folder for --out"));
    formats::check_seal(formats::InputFile(path), formats::Seal::json);
    before_ = Json::parse(formats::read_file(path), nullptr, false);
    if (!before_.is_object()) throw formats::DataError({path}, 0, "this is no JSON object");
    goes_on_ = true;
    if (before_.value("source", "") != from)
      throw Misuse(cat("the run in ", folder_, " trains on ", before_.value("source", ""), ", not on ", from));
  }
  settings_["format"] = "brio fit 1";
  settings_["source"] = from;
}

std::string FitRun::file(const char* name) const { return (fs::path(folder_) / name).string(); }

std::string FitRun::setting(const std::string& option, const std::string& otherwise) {
  const bool given = arguments_.has(option);
  std::string value = given ? arguments_.text(option) : otherwise;
  if (goes_on_) {
    const std::string was = before_.value(option, otherwise);
    if (given && was != value)
      throw Misuse(
          cat(option, " is ", value, ", but the run in ", folder_, " has ", was, "; a run goes on as it began"));
    value = was;
  }
  settings_[option] = value;
  return value;
}

void FitRun::keep_settings() const {
  if (!folder_.empty() && !goes_on_) formats::write_file(file("job.json"), formats::sealed_json(settings_.dump(1)));
}

}  // namespace brio::cli
