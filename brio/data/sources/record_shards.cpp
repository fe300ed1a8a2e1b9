#include "brio/data/sources/record_shards.h"

#include <sys/stat.h>

#include <algorithm>

#include "brio/base/error.h"

namespace brio::data {
namespace {

constexpr size_t kMostOpen = 256;
// Of a file without an index: reading so many bytes, or so many headers, takes well below a second.
constexpr uint64_t kQuickBytes = uint64_t{1} << 30, kQuickRecords = uint64_t{1} << 19;

bool is_there(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

// How many records the file has, if all are as long as the first ones.
uint64_t about_how_many(const formats::RecordFile& file) {
  uint64_t at = 0, seen = 0;
  for (; seen < 16 && at < file.file().size(); ++seen) at += formats::RecordFile::frame_bytes(file.place_at(at));
  return seen == 0 ? 0 : file.file().size() / (at / seen);
}

}  // namespace

void RecordShards::add(std::string path, formats::RecordIndex index) {
  starts_.push_back(size() + static_cast<int64_t>(index.size()));
  shards_.push_back({std::move(path), std::move(index)});
  files_.emplace_back();
}

uint64_t RecordShards::bytes() const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.index.file_bytes();
  return sum;
}

RecordShards::Place RecordShards::find(int64_t record) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), record);
  const auto shard = static_cast<size_t>(after - starts_.begin());
  const int64_t first = shard == 0 ? 0 : starts_[shard - 1];
  return {shard, shards_[shard].index[static_cast<uint64_t>(record - first)]};
}

std::shared_ptr<const formats::RecordFile> RecordShards::open(size_t shard) const {
  const std::lock_guard lock(mutex_);
  if (files_[shard]) return files_[shard];
  auto file = std::make_shared<const formats::RecordFile>(shards_[shard].path, options_);
  // Each in turn gives way; whoever reads it keeps it open until it has.
  for (; open_ >= kMostOpen; hand_ = (hand_ + 1) % files_.size())
    if (files_[hand_]) {
      files_[hand_].reset();
      --open_;
    }
  ++open_;
  return files_[shard] = std::move(file);
}

std::optional<formats::RecordIndex> index_records(const formats::RecordFile& file, bool always, std::string& why) {
  try {
    if (is_there(formats::index_path(file.file().path()))) return formats::read_index(file.file());
  } catch (const Error& error) {  // of a shard that was written anew, say: the headers tell better
    why = error.what();
  }
  try {
    if (always || file.file().size() <= kQuickBytes || about_how_many(file) <= kQuickRecords) return file.index();
    if (why.empty()) why = cat(file.file().path(), " has no index, and so many records that a look at each is slow");
  } catch (const Error& error) {
    if (always) throw;
    why = error.what();
  }
  return {};
}

}  // namespace brio::data
