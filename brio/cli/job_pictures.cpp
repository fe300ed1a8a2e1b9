// Folders of pictures: the subfolders are the classes, or parts (train, validation, test) that hold them.
#include <algorithm>
#include <filesystem>
#include <map>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job.h"
#include "brio/cli/picture_size.h"
#include "brio/data/sources/image_folder.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrain[] = {"train", "training"};
constexpr const char* kValidation[] = {"validation", "val", "valid", "dev"};
constexpr const char* kTest[] = {"test", "testing"};
const std::vector<std::string> kExtensions = {".bmp", ".gif", ".jpeg", ".jpg", ".png"};

constexpr size_t kFewest = 5;  // pictures, of which some are held out

bool has_folders(const fs::path& folder) {
  return std::ranges::any_of(fs::directory_iterator(folder), [](const auto& each) { return each.is_directory(); });
}

// The first of these names that is a folder of folders.
template <size_t n>
std::string part_of(const std::string& folder, const char* const (&names)[n]) {
  for (const char* name : names)
    if (const fs::path path = fs::path(folder) / name; fs::is_directory(path) && has_folders(path))
      return path.string();
  return {};
}

std::vector<int64_t> counts_of(const data::LabelledFiles& files) {
  std::vector<int64_t> counts(files.class_names.size());
  for (const int32_t label : files.labels) ++counts[static_cast<size_t>(label)];
  return counts;
}

data::LabelledFiles files_in(const std::string& folder, const std::vector<std::string>& classes, uint64_t seed,
                             data::Subset subset = data::Subset::all) {
  return data::find_files("fit", folder, kExtensions,
                          {.class_names = classes,
                           .shuffle = true,
                           .seed = static_cast<uint32_t>(seed),
                           .validation_split = subset == data::Subset::all ? 0 : 0.2,
                           .subset = subset});
}

}  // namespace

Job picture_job(const std::string& folder, const JobOptions& options) {
  if (!has_folders(folder))
    throw Misuse(cat(folder, " has no subfolders; put the pictures of each class into a folder of its name"));
  const std::string train = part_of(folder, kTrain), test = part_of(folder, kTest);
  std::string validation = part_of(folder, kValidation);
  Job job{.kind = "pictures"};
  const bool parted = !train.empty();
  if (!parted && (!validation.empty() || !test.empty()))
    throw Misuse(cat(folder, " holds ", validation.empty() ? test : validation,
                     ", but no folder named train; without it the parts would be taken for classes"));
  if (parted && validation.empty() && !test.empty()) {
    validation = test;
    job.warnings.push_back(cat("there is no folder named validation: ", test, " takes its place"));
  }
  const std::string root = parted ? train : folder;
  data::LabelledFiles to_train, to_check;
  if (validation.empty()) {
    to_train = files_in(root, {}, options.seed);
    if (to_train.paths.size() < kFewest) {
      job.warnings.push_back(cat("there are ", to_train.paths.size(),
                                 " pictures, too few to hold any out: nothing "
                                 "tells how good the model is on others"));
    } else {
      to_check = files_in(root, {}, options.seed, data::Subset::validation);
      to_train = files_in(root, {}, options.seed, data::Subset::training);
    }
  } else {
    to_train = files_in(root, {}, options.seed);
    to_check = files_in(validation, to_train.class_names, options.seed);
    for (const auto& each : fs::directory_iterator(validation))
      if (each.is_directory() &&
          std::ranges::find(to_train.class_names, each.path().filename().string()) == to_train.class_names.end())
        job.warnings.push_back(cat(each.path().string(), " is no class to train on; its pictures are left out"));
  }
  if (to_train.class_names.size() < 2)
    throw Misuse(cat(root, " holds one class alone; there is nothing to tell apart"));
  job.classes = to_train.class_names;
  const std::vector<int64_t> counts = counts_of(to_train);
  if (std::ranges::count_if(counts, [](int64_t count) { return count > 0; }) < 2)
    throw Misuse(cat(root, " holds pictures of one class alone; there is nothing to tell apart"));
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] == 0) job.warnings.push_back(cat("the class ", job.classes[i], " has no pictures to train on"));

  const PictureSizes seen = sizes_of(to_train.paths);
  for (const std::string& broken : seen.broken) job.warnings.push_back(cat(broken, "; such pictures are left out"));
  const auto [height, width] = options.size.first > 0 ? options.size : seen.suggested();
  const int64_t channels = seen.grey ? 1 : 3;
  job.shape = {height, width, channels};
  job.input = {{"kind", "pictures"}, {"height", height}, {"width", width}, {"channels", channels}};

  job.found.push_back(cat("pictures: ", counted(job.classes, counts)));
  job.found.push_back(
      cat("sizes: ", seen.str(), "; used at ", height, "x", width, channels == 1 ? ", grey" : ", RGB"));
  job.found.push_back(parted
                          ? cat("parts: ", to_train.paths.size(), " to train (", train, "), ", to_check.paths.size(),
                                " to validate (", validation.empty() ? "held out of them" : validation, ")")
                          : cat("parts: ", to_train.paths.size(), " to train, ", to_check.paths.size(),
                                " held out to validate (a fifth)"));
  const data::ImageFolderOptions reading{
      .color_mode = channels == 1 ? data::ColorMode::grayscale : data::ColorMode::rgb,
      .batch_size = options.batch,
      .image_size = {height, width},
      .shuffle = false,
      .on_error = data::OnError::skip};
  data::ImageFolderOptions shuffled = reading;
  shuffled.shuffle = true;
  shuffled.seed = static_cast<uint32_t>(options.seed);
  const auto samples = [](const data::LabelledFiles& files) { return static_cast<int64_t>(files.paths.size()); };
  job.train = {data::image_files(to_train, shuffled), samples(to_train)};
  if (!to_check.paths.empty()) job.validation = {data::image_files(to_check, reading), samples(to_check)};
  if (!test.empty() && test != validation) {
    const data::LabelledFiles to_test = files_in(test, job.classes, options.seed);
    job.test = {data::image_files(to_test, reading), samples(to_test)};
    job.found.back() += cat(", ", to_test.paths.size(), " to test (", test, ")");
  }
  return job;
}

}  // namespace brio::cli
