// TFRecord files whose records are read by number, from any thread. At most some hundred files are open at once.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "brio/formats/tfrecord.h"

namespace brio::data {

class RecordShards {
 public:
  // Throws what the file throws; `index` is of this file.
  explicit RecordShards(formats::RecordOptions options) : options_(options) {}
  void add(std::string path, formats::RecordIndex index);

  struct Place {
    size_t shard;
    formats::RecordPlace record;
  };
  int64_t size() const { return starts_.empty() ? 0 : starts_.back(); }
  uint64_t bytes() const;  // of all files
  Place find(int64_t record) const;
  int64_t end_of(size_t shard) const { return starts_[shard]; }  // behind its last record
  const std::string& path(size_t shard) const { return shards_[shard].path; }
  std::shared_ptr<const formats::RecordFile> open(size_t shard) const;

 private:
  struct Shard {
    std::string path;
    formats::RecordIndex index;
  };
  formats::RecordOptions options_;
  std::vector<Shard> shards_;
  std::vector<int64_t> starts_;  // of the shard after each one

  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const formats::RecordFile>> files_;  // by shard; none: closed
  mutable size_t open_ = 0, hand_ = 0;
};

// Where the records of a plain file are: from its side index, or from a look at every header if that is allowed, or
// quick. Not, with the reason in `why`, otherwise.
std::optional<formats::RecordIndex> index_records(const formats::RecordFile& file, bool always, std::string& why);

}  // namespace brio::data
