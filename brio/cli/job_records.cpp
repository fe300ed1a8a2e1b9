// Packed records, as `brio pack` writes them: pictures with their classes, or the rows of a table.
#include <algorithm>
#include <map>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/example_picture.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/job.h"
#include "brio/cli/picture_size.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/example.h"
#include "brio/formats/example_scan.h"
#include "brio/tensor/strings.h"

namespace brio::cli {
namespace {

using formats::FeatureKind;
using formats::FeatureView;

// What a record says of its class.
struct ClassOf {
  int64_t label = -1;
  std::string_view text;
};
ClassOf class_in(std::string_view example) {
  ClassOf found;
  formats::scan_example(
      example, {}, [&](std::string_view key, const FeatureView& feature, const formats::wire::Message& message) {
        if (key == "image/class/label" && feature.kind() == FeatureKind::ints)
          feature.each<int64_t>(message, [&](int64_t value) { found.label = value; });
        if (key == "image/class/text" && feature.kind() == FeatureKind::bytes)
          feature.each<std::string_view>(message, [&](std::string_view value) { found.text = value; });
      });
  return found;
}

std::vector<std::string> classes_in(const std::string& manifest) {
  if (manifest.empty()) return {};
  const auto json = nlohmann::json::parse(formats::read_file(manifest), nullptr, false);
  if (!json.is_object() || !json.contains("class_names") || !json["class_names"].is_array()) return {};
  return json["class_names"].get<std::vector<std::string>>();
}

// The features of rows as the cells of a table.
TextTable table_of(const data::Dataset& records, const std::string& path) {
  TextTable table{.path = path};
  data::Iterator iterator = records.iterator(0);
  int64_t row = 0;
  for (data::Item item; iterator.next(item); ++row) {
    const formats::Example example = formats::Example::parse(string_at(item[0].array(), 0));
    for (const auto& [name, feature] : example.features) {
      size_t column = table.find(name);
      if (column == table.names.size()) {
        table.names.push_back(name);
        table.columns.emplace_back(static_cast<size_t>(row));
      }
      std::string cell;
      if (const auto* ints = std::get_if<formats::Feature::Ints>(&feature.values); ints && ints->size() == 1)
        cell = std::to_string((*ints)[0]);
      else if (const auto* floats = std::get_if<formats::Feature::Floats>(&feature.values);
               floats && floats->size() == 1)
        cell = cat((*floats)[0]);
      else if (const auto* texts = std::get_if<formats::Feature::Bytes>(&feature.values); texts && texts->size() == 1)
        cell = (*texts)[0];
      table.columns[column].push_back(std::move(cell));
    }
    for (auto& column : table.columns) column.resize(static_cast<size_t>(row) + 1);
  }
  return table;
}

}  // namespace

Job record_job(const std::vector<std::string>& shards, const std::string& manifest, const JobOptions& options) {
  const data::Dataset records = data::tfrecord_dataset(shards, {.compression = look_at(shards[0]).compression});
  std::vector<std::string> names = classes_in(manifest);
  std::map<int64_t, int64_t> counts;
  int64_t samples = 0, without = 0, height = 0, width = 0;
  bool pictures = false;
  data::Iterator iterator = records.iterator(0);
  for (data::Item item; iterator.next(item); ++samples) {
    const std::string_view record = string_at(item[0].array(), 0);
    if (samples == 0) {
      const ExamplePicture first = picture_in(record, {shards[0]});
      pictures = first.there;
      if (!pictures) return table_job(table_of(records, shards[0]), options);
      height = first.height;
      width = first.width;
    }
    const ClassOf kind = class_in(record);
    if (kind.label < 0 || kind.label > 100'000) {
      ++without;
      continue;
    }
    ++counts[kind.label];
    if (names.size() <= static_cast<size_t>(kind.label)) names.resize(static_cast<size_t>(kind.label) + 1);
    if (names[static_cast<size_t>(kind.label)].empty()) names[static_cast<size_t>(kind.label)] = kind.text;
  }
  if (samples == 0) throw Misuse(cat(shards[0], " holds no records"));
  if (without > 0)
    throw Misuse(cat(without, " of ", samples,
                     " records have no image/class/label; pack a folder whose subfolders are "
                     "the classes"));
  if (counts.size() < 2) throw Misuse(cat(shards[0], " holds one class alone; there is nothing to tell apart"));

  Job job{.kind = "records"};
  std::vector<int64_t> each;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = cat("class ", i);
    each.push_back(counts.contains(static_cast<int64_t>(i)) ? counts[static_cast<int64_t>(i)] : 0);
  }
  job.classes = names;
  const auto [high, wide] = options.size.first > 0 ? options.size
                                                   : std::pair(std::clamp(height, int64_t{8}, kUsualSize),
                                                               std::clamp(width, int64_t{8}, kUsualSize));
  job.shape = {high, wide, 3};
  job.input = {{"kind", "pictures"}, {"height", high}, {"width", wide}, {"channels", 3}};
  const auto ready = [high = high, wide = wide](const data::Dataset& some) {
    return some.map(
        [high, wide](data::Sample& sample) {
          static thread_local Pixels pixels;
          const std::string record(sample.text(0));
          if (!decode_picture_in(record, {}, pixels)) throw InvalidArgument("[fit] a record holds no picture");
          if (pixels.height != high || pixels.width != wide) resize_rgb(pixels, high, wide);
          float* to = sample.write<float>(0, {high, wide, 3});
          std::copy(pixels.rgb.begin(), pixels.rgb.end(), to);
          *sample.write<int32_t>(1, {}) = static_cast<int32_t>(class_in(record).label);
        },
        {.structure = data::Structure::tuple_of(2), .results = 2});
  };
  // Every fifth record is held out: packed ones often lie class by class.
  constexpr int64_t kShare = 5;
  data::Dataset to_train = records.shard(kShare, 0);
  for (int64_t i = 1; i + 1 < kShare; ++i) to_train = to_train.concatenate(records.shard(kShare, i));
  const data::Dataset to_check = records.shard(kShare, kShare - 1);
  const int64_t held = samples / kShare;
  job.found.push_back(cat("packed pictures in ", shards.size(),
                          shards.size() == 1 ? " shard: " : " shards: ", counted(job.classes, each)));
  job.found.push_back(cat("sizes: the first is ", height, "x", width, "; used at ", high, "x", wide, ", RGB"));
  job.found.push_back(cat("parts: ", samples - held, " to train, ", held, " held out to validate (every fifth)"));
  job.train = {ready(to_train.shuffle(data::kAutotune, {.seed = options.seed})).batch(options.batch), samples - held};
  if (held > 0) job.validation = {ready(to_check).batch(options.batch), held};
  return job;
}

}  // namespace brio::cli
