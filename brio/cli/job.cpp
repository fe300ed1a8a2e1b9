#include "brio/cli/job.h"

#include <algorithm>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/file_kind.h"
#include "brio/data/sources/class_folders.h"

namespace brio::cli {

std::string counted(const std::vector<std::string>& names, const std::vector<int64_t>& counts) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += cat(i > 0 ? ", " : "", names[i], " ", counts[i]);
  if (names.size() > kShown) text += ", …";
  return cat(text, " (", names.size(), " classes)");
}

std::pair<std::vector<size_t>, std::vector<size_t>> held_out(size_t samples, uint64_t seed) {
  std::vector<size_t> order = data::numpy_shuffled(samples, static_cast<uint32_t>(seed));
  const size_t held = std::max<size_t>(samples / 5, samples > 1 ? 1 : 0);
  std::vector<size_t> last(order.end() - static_cast<std::ptrdiff_t>(held), order.end());
  order.resize(samples - held);
  return {std::move(order), std::move(last)};
}

namespace {

Job job_of_table(const std::string& path, const JobOptions& options) {
  TextTable table = read_table_file(path, options.table);
  if (!options.forecast.empty()) return series_job(table, options);
  return table_job(std::move(table), options);
}

}  // namespace

Job open_job(const std::string& path, const JobOptions& options) {
  if (!is_directory(path)) {
    const KnownFile file = look_at(path);
    if (file.kind == FileKind::tfrecord) return record_job({path}, {}, options);
    const bool packed = path.ends_with(".gz");
    if (file.kind != FileKind::csv && file.kind != FileKind::text && !packed)
      throw Misuse(cat(path, " is neither a folder of pictures nor a CSV file nor packed records"));
    return job_of_table(path, options);
  }
  if (is_idx_folder(path)) return idx_job(path, options);
  std::vector<std::string> shards, manifests, tables;
  for (const auto& each : std::filesystem::directory_iterator(path)) {
    if (!each.is_regular_file()) continue;
    const std::string name = each.path().string();
    const FileKind kind = look_at(name).kind;
    if (kind == FileKind::tfrecord) shards.push_back(name);
    if (kind == FileKind::json) manifests.push_back(name);
    if (kind == FileKind::csv) tables.push_back(name);
  }
  std::ranges::sort(shards);
  if (!shards.empty()) return record_job(shards, manifests.size() == 1 ? manifests[0] : std::string(), options);
  if (tables.size() == 1) return job_of_table(tables[0], options);
  if (tables.size() > 1) throw Misuse(cat(path, " holds ", tables.size(), " CSV files; name the one to train on"));
  return picture_job(path, options);
}

}  // namespace brio::cli
