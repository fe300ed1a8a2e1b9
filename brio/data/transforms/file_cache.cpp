// A cache file: a magic number; the elements as they came, each with its size and checksum before it; the offsets of
// all by their number; and a tail that says where those are. Whole numbers are little-endian.
#include <unistd.h>

#include <cstring>
#include <optional>

#include "brio/base/error.h"
#include "brio/data/transforms/cache_store.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"
#include "brio/formats/file.h"

namespace brio::data {
namespace {

constexpr char kMagic[9] = "BRIOCACH";

struct ElementHead {
  uint64_t size;
  uint64_t crc;
};

struct Tail {
  uint64_t elements, offsets_at, fingerprint, crc;  // crc: of the offsets and of the numbers before it
  char magic[8];
};

template <typename T>
std::string_view bytes_of_value(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class Reader {
 public:
  Reader(const std::string& path, std::optional<uint64_t> fingerprint) : file_(path) {
    const auto refuse = [&](uint64_t at, std::string_view why) {
      throw formats::DataError({path}, at, cat("[cache] ", why, "; remove the file and it is made again"));
    };
    if (file_.size() < 8 + sizeof(Tail)) refuse(0, "this is no cache file, it is too short");
    Tail tail;
    const uint64_t tail_at = file_.size() - sizeof tail;
    file_.read(tail_at, &tail, sizeof tail);
    char magic[8];
    file_.read(0, magic, sizeof magic);
    if (std::memcmp(magic, kMagic, 8) != 0) refuse(0, "this is no cache file");
    if (std::memcmp(tail.magic, kMagic, 8) != 0) refuse(tail_at, "the end of the cache file is missing");
    end_ = tail.offsets_at;
    if (tail.offsets_at < 8 || tail.offsets_at > tail_at || tail.elements != (tail_at - tail.offsets_at) / 8 ||
        (tail_at - tail.offsets_at) % 8 != 0)
      refuse(tail_at, "the offsets of the cache file are not where its end says");
    offsets_.resize(tail.elements);
    file_.read(tail.offsets_at, offsets_.data(), offsets_.size() * 8);
    if (checksum(offsets_, tail) != tail.crc) refuse(tail.offsets_at, "the offsets of the cache file are damaged");
    if (fingerprint && tail.fingerprint != *fingerprint)
      throw InvalidArgument(cat("[cache] ", path,
                                " holds the elements of a pipeline of other steps; give another name,"
                                " or remove it and it is made again"));
  }

  static uint64_t checksum(const std::vector<uint64_t>& offsets, const Tail& tail) {
    const std::string_view bytes{reinterpret_cast<const char*>(offsets.data()), offsets.size() * 8};
    return formats::crc32c(bytes_of_value(tail).substr(0, 24), formats::crc32c(bytes));
  }

  int64_t elements() const { return static_cast<int64_t>(offsets_.size()); }

  Parts element(int64_t index) const {
    const uint64_t at = offsets_[static_cast<size_t>(index)];
    const auto refuse = [&] {
      throw formats::DataError({file_.path()}, at,
                               cat("[cache] element ", index, " is damaged; remove the file and it is made again"));
    };
    ElementHead head;
    if (at > end_ || end_ - at < sizeof head) refuse();
    file_.read(at, &head, sizeof head);
    if (head.size > end_ - at - sizeof head) refuse();
    std::string bytes(head.size, '\0');
    file_.read(at + sizeof head, bytes.data(), bytes.size());
    if (formats::crc32c(bytes) != head.crc) refuse();
    StateReader reader(bytes);
    return read_parts(reader);
  }

 private:
  formats::InputFile file_;
  uint64_t end_ = 0;  // of the elements
  std::vector<uint64_t> offsets_;
};

class FileCache final : public CacheStore {
 public:
  FileCache(std::string path, uint64_t fingerprint) : path_(std::move(path)), fingerprint_(fingerprint) {}

  int64_t complete() override {
    const std::lock_guard lock(mutex_);
    if (!reader_ && !writer_ && access(path_.c_str(), F_OK) == 0)
      reader_ = std::make_shared<const Reader>(path_, fingerprint_);
    return reader_ ? reader_->elements() : -1;
  }
  bool load(int64_t index, Element& out) override {
    std::shared_ptr<const Reader> reader;
    {
      const std::lock_guard lock(mutex_);
      reader = reader_;
    }
    if (!reader || index >= reader->elements()) return false;
    share_parts(reader->element(index), out);
    return true;
  }
  void keep(int64_t index, const Element& element) override {
    StateWriter bytes;
    write_parts(parts_of(element), bytes);
    const ElementHead head{bytes.bytes().size(), formats::crc32c(bytes.bytes())};
    const std::lock_guard lock(mutex_);
    if (reader_) return;
    if (!writer_) {
      writer_ = std::make_unique<formats::OutputFile>(path_);
      writer_->write({kMagic, 8});
    }
    const auto i = static_cast<size_t>(index);
    if (i >= offsets_.size()) offsets_.resize(std::max(i + 1, offsets_.size() * 2));
    if (offsets_[i] != 0) return;
    try {
      const uint64_t at = writer_->size();
      writer_->write(bytes_of_value(head));
      writer_->write(bytes.bytes());
      offsets_[i] = at;
      ++filled_;
      commit_if_whole();
    } catch (...) {  // what was written is worth nothing: what follows begins anew
      writer_.reset();
      offsets_.clear();
      filled_ = 0;
      throw;
    }
  }
  void end(int64_t elements) override {
    const std::lock_guard lock(mutex_);
    total_ = elements;
    if (!reader_) commit_if_whole();
  }
  int64_t bytes() const override { return 0; }

 private:
  void commit_if_whole() {
    if (filled_ != total_ || !writer_) return;
    offsets_.resize(static_cast<size_t>(total_));
    Tail tail{offsets_.size(), writer_->size(), fingerprint_, 0, {}};
    std::memcpy(tail.magic, kMagic, 8);
    tail.crc = Reader::checksum(offsets_, tail);
    writer_->write({reinterpret_cast<const char*>(offsets_.data()), offsets_.size() * 8});
    writer_->write(bytes_of_value(tail));
    writer_->commit();
    writer_.reset();
    reader_ = std::make_shared<const Reader>(path_, fingerprint_);
  }

  const std::string path_;
  const uint64_t fingerprint_;
  std::mutex mutex_;
  std::shared_ptr<const Reader> reader_;
  std::unique_ptr<formats::OutputFile> writer_;
  std::vector<uint64_t> offsets_;  // 0: not written yet
  int64_t filled_ = 0, total_ = -1;
};

}  // namespace

std::unique_ptr<CacheStore> make_file_cache(std::string path, uint64_t fingerprint) {
  return std::make_unique<FileCache>(std::move(path), fingerprint);
}

int64_t check_file_cache(const std::string& path) {
  const Reader reader(path, std::nullopt);
  for (int64_t i = 0; i < reader.elements(); ++i) reader.element(i);
  return reader.elements();
}

}  // namespace brio::data
