// tfrecord_dataset: the records of TFRecord files. By place, where the places can be had cheaply: reading is then
// work that any thread does. Otherwise in order.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/data/engine/stored_elements.h"
#include "brio/data/sources/files_in_order.h"
#include "brio/data/sources/glob.h"
#include "brio/data/sources/record_shards.h"
#include "brio/data/sources/sources.h"

namespace brio::data {
namespace {

using formats::RecordFile;
using formats::RecordPlace;

// What a thread has read ahead: records that are read in order and are small come many to a read.
struct Block {
  static constexpr size_t kBytes = size_t{1} << 16, kSmall = size_t{1} << 13;
  size_t shard = SIZE_MAX;
  std::shared_ptr<const RecordFile> file;  // of the shard
  uint64_t begin = 0, end = 0, last = 0;   // of the bytes in the file; last: where the record before ended
  std::string bytes;

  // The record with its frame, or none: it is to be read by itself.
  const char* find(const RecordPlace& place) {
    const uint64_t until = place.offset + RecordFile::frame_bytes(place);
    const uint64_t before = std::exchange(last, until);
    if (place.offset >= begin && until <= end) return bytes.data() + (place.offset - begin);
    if (place.length > kSmall || place.offset < before || place.offset - before > kBytes) return nullptr;
    bytes.resize(kBytes);
    begin = end = place.offset;
    end = begin + file->file().read_some(begin, bytes.data(), kBytes);
    return until <= end ? bytes.data() : nullptr;
  }
};

class RecordsByPlace final : public IndexedStage, StoredElements {
 public:
  RecordsByPlace(Pipeline& pipeline, const RecordShards& shards)
      : IndexedStage(pipeline, "tfrecord"), shards_(shards) {}
  int64_t indexed() const override { return shards_.size(); }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    const auto [shard, place] = shards_.find(ticket.index);
    Block& block = private_of<Block>(worker);
    if (block.shard != shard) {
      block.shard = SIZE_MAX;
      block.file = shards_.open(shard);
      block.shard = shard;
      block.begin = block.end = 0;
      block.last = UINT64_MAX;
    }
    out.resize(1);
    char* to = out.write_text(0, place.length, formats::kRecordHeader, formats::kRecordFooter);
    const char* frame = block.find(place);
    if (!frame) return block.file->read_frame(place, to);
    block.file->check_frame(place, frame);
    std::memcpy(to, frame, RecordFile::frame_bytes(place));
  }
  std::optional<FilePlace> origin(const Ticket& ticket) const override {
    if (ticket.index < 0 || ticket.index >= shards_.size()) return {};
    const auto [shard, place] = shards_.find(ticket.index);
    return FilePlace{shards_.path(shard), place.offset + formats::kRecordHeader};
  }
  bool has_work() const override { return true; }
  const StoredElements* stored_elements() const override { return this; }

 private:
  int64_t stored() const override { return shards_.size(); }
  uint64_t stored_bytes() const override { return shards_.bytes(); }
  void read_stored(int64_t i, size_t bytes) const override {
    const auto [shard, place] = shards_.find(i);
    std::string into(bytes, '\0');
    shards_.open(shard)->file().read_some(place.offset, into.data(), bytes);
  }
  // Advice is not worth an error: reading will tell.
  void announce(int64_t first, int64_t end) const override try {
    while (first < end) {
      const auto [shard, place] = shards_.find(first);
      const int64_t last = std::min(end, shards_.end_of(shard)) - 1;
      const RecordPlace behind = shards_.find(last).record;
      shards_.open(shard)->file().will_read(place.offset,
                                            behind.offset + RecordFile::frame_bytes(behind) - place.offset);
      first = last + 1;
    }
  } catch (const Error&) {
  }

  const RecordShards& shards_;
};

class RecordsNode final : public Node {
 public:
  RecordsNode(std::unique_ptr<const RecordShards> shards, size_t files) : shards_(std::move(shards)), files_(files) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<RecordsByPlace>(pipeline, *shards_);
  }
  std::string describe() const override {
    return cat("tfrecord(", files_, files_ == 1 ? " file, " : " files, ", shards_->size(), " records by place)");
  }
  Structure structure() const override { return {}; }
  int64_t cardinality() const override { return shards_->size(); }

 private:
  std::unique_ptr<const RecordShards> shards_;
  size_t files_;
};

class RecordsInOrder final : public ElementReader {
 public:
  RecordsInOrder(const std::string& path, const formats::RecordOptions& options)
      : reader_(path, options), plain_(options.compression == formats::Compression::none) {}
  bool next(Element& out) override {
    uint64_t length = 0;
    if (!reader_.next_length(length)) return false;
    if (!plain_ && length > kBelieved) {  // only the data themselves tell whether there are so many
      std::string_view record;
      if (!reader_.next(record)) return false;
      std::memcpy(out.write_text(0, record.size()), record.data(), record.size());
      return true;
    }
    reader_.read_into(out.write_text(0, length));
    return true;
  }
  bool skip(Element&) override { return reader_.skip(); }
  bool lost() const override { return reader_.lost(); }
  bool seeks() const override { return plain_; }
  uint64_t position() const override { return plain_ ? reader_.position() : 0; }
  void seek(uint64_t position) override { reader_.seek(position); }

 private:
  static constexpr uint64_t kBelieved = uint64_t{1} << 20;
  formats::RecordReader reader_;
  bool plain_;
};

}  // namespace

Dataset tfrecord_dataset(const std::vector<std::string>& names, RecordDatasetOptions options) {
  const std::vector<std::string> files = files_of("tfrecord_dataset", names);
  const formats::RecordOptions records{
      .compression = options.compression, .verify = options.verify, .max_record = options.max_record};
  const bool compressed = options.compression != formats::Compression::none;
  if (compressed && options.by_place == ByPlace::always)
    throw InvalidArgument(
        cat("[tfrecord_dataset] records of ", name_of(options.compression),
            " files cannot be found by their place; write the files plain, or leave by_place as it is"));
  std::string why = compressed ? cat(name_of(options.compression), " files") : "as asked for";
  auto shards = std::make_unique<RecordShards>(records);
  for (const std::string& file : files) {
    if (!shards) {
      formats::InputFile there(file);  // a missing one is known before the first element
      continue;
    }
    std::optional<formats::RecordIndex> index;
    if (compressed || options.by_place == ByPlace::never) formats::InputFile there(file);
    else index = index_records(RecordFile(file, records), options.by_place == ByPlace::always, why);
    if (index) shards->add(file, std::move(*index));
    else shards.reset();
  }
  if (shards)
    return Dataset(std::make_shared<RecordsNode>(std::move(shards), files.size())).on_error(options.on_error);
  return files_in_order(
             "tfrecord",
             cat("tfrecord(", files.size(), files.size() == 1 ? " file" : " files", " in order: ", why, ")"), files,
             Structure(),
             [records](const std::string& file) { return std::make_unique<RecordsInOrder>(file, records); })
      .on_error(options.on_error);
}

}  // namespace brio::data
