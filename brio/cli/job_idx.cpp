// Folders with the four IDX files in which MNIST and its kin come.
#include <filesystem>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/job.h"
#include "brio/formats/idx.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/train/batch_source.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;

// The file whose name has these parts; none where there is none.
std::string file_with(const std::string& folder, std::string_view part, std::string_view what) {
  for (const auto& each : fs::directory_iterator(folder)) {
    const std::string name = each.path().filename().string();
    if (name.find(part) != std::string::npos && name.find(what) != std::string::npos &&
        name.find("idx") != std::string::npos)
      return each.path().string();
  }
  return {};
}

struct Set {
  Tensor x, y;
  int64_t samples = 0;
};

Set read_set(const std::string& images, const std::string& labels) {
  const Array pixels = formats::open_idx(images).read(), numbers = formats::open_idx(labels).read();
  const Shape& shape = pixels.aval.shape;
  if (pixels.aval.dtype != u8 || shape.rank() != 3 || numbers.aval.dtype != u8 || numbers.aval.shape.rank() != 1 ||
      numbers.aval.shape[0] != shape[0])
    throw Misuse(cat(images, " and ", labels, " are not bytes of pictures and their classes"));
  const int64_t samples = shape[0];
  std::vector<int32_t> classes;
  for (int64_t i = 0; i < samples; ++i) classes.push_back(numbers.as<uint8_t>()[i]);
  Array with_channel = pixels;
  with_channel.aval.shape = Shape{samples, int64_t{shape[1]}, int64_t{shape[2]}, 1};
  return {Tensor(with_channel), Tensor::from(classes, {samples}), samples};
}

}  // namespace

bool is_idx_folder(const std::string& path) {
  return !file_with(path, "train", "images").empty() && !file_with(path, "train", "labels").empty();
}

Job idx_job(const std::string& folder, const JobOptions& options) {
  const Set all = read_set(file_with(folder, "train", "images"), file_with(folder, "train", "labels"));
  Job job{.kind = "idx"};
  std::vector<int64_t> counts;
  const int32_t* labels = all.y.array().as<int32_t>();
  for (int64_t i = 0; i < all.samples; ++i) {
    counts.resize(std::max(counts.size(), static_cast<size_t>(labels[i]) + 1));
    ++counts[static_cast<size_t>(labels[i])];
  }
  for (size_t i = 0; i < counts.size(); ++i) job.classes.push_back(std::to_string(i));
  const int64_t height = all.x.shape()[1], width = all.x.shape()[2];
  job.shape = {height, width, 1};
  job.input = {{"kind", "pictures"}, {"height", height}, {"width", width}, {"channels", 1}};
  job.found.push_back(cat("IDX pictures: ", counted(job.classes, counts)));
  job.found.push_back(cat("sizes: ", height, "x", width, ", grey"));
  const auto batches = [&](const Tensor& x, const Tensor& y, bool shuffle) {
    data::Dataset rows = data::from_tensor_slices({x, y});
    if (shuffle) rows = rows.shuffle(data::kAutotune, {.seed = options.seed});
    return rows.batch(options.batch).map([](const Tensor& a, const Tensor& b) {
      return std::tuple(cast(a, f32), b);
    });
  };
  const std::string images = file_with(folder, "t10k", "images"), numbers = file_with(folder, "t10k", "labels");
  if (!images.empty() && !numbers.empty()) {
    const Set check = read_set(images, numbers);
    job.train = {batches(all.x, all.y, true), all.samples};
    job.validation = {batches(check.x, check.y, false), check.samples};
    job.found.push_back(cat("parts: ", all.samples, " to train, ", check.samples, " to validate (", images, ")"));
    return job;
  }
  const int64_t held = all.samples / 5, first = all.samples - held;
  job.train = {batches(train::row_range(all.x, 0, first), train::row_range(all.y, 0, first), true), first};
  job.validation = {
      batches(train::row_range(all.x, first, all.samples), train::row_range(all.y, first, all.samples), false), held};
  job.found.push_back(cat("parts: ", first, " to train, the last ", held, " held out to validate"));
  return job;
}

}  // namespace brio::cli
