#include "brio/formats/record_index.h"

#include <algorithm>
#include <cstring>

#include "brio/formats/crc32c.h"

namespace brio::formats {

namespace {

constexpr uint64_t kStride = 64;
constexpr uint64_t kFrame = 16;  // header and footer of a record
constexpr std::string_view kIndexMagic = "BRIOIDX\n";
constexpr uint32_t kIndexVersion = 1;
constexpr size_t kHead = 32, kCrc = 4;

template <typename T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <typename T>
T load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

uint32_t fingerprint_of(const RecordIndex& index, const InputFile& shard) {
  constexpr uint64_t kProbes = 16;
  uint32_t crc = 0;
  const uint64_t probes = std::min(index.size(), kProbes);
  for (uint64_t i = 0; i < probes; ++i) {
    const RecordPlace place = index[probes == 1 ? 0 : i * (index.size() - 1) / (probes - 1)];
    char frame[kFrame];
    shard.read(place.offset, frame, 12);
    shard.read(place.offset + 12 + place.length, frame + 12, 4);
    crc = crc32c({frame, kFrame}, crc);
  }
  return crc;
}

}  // namespace

void RecordIndex::reserve(uint64_t records) {
  lengths_.reserve(records);
  starts_.reserve(records / kStride + 1);
}

void RecordIndex::add(uint64_t length) {
  if (length > UINT32_MAX)
    throw InvalidArgument(cat("an index holds records below 4 GiB, but got one of ", length, " bytes"));
  if (lengths_.size() % kStride == 0) starts_.push_back(bytes_);
  lengths_.push_back(static_cast<uint32_t>(length));
  bytes_ += length + kFrame;
}

RecordPlace RecordIndex::operator[](uint64_t i) const {
  BRIO_CHECK(i < lengths_.size(), "record ", i, " of ", lengths_.size());
  uint64_t offset = starts_[i / kStride];
  for (uint64_t k = i - i % kStride; k < i; ++k) offset += lengths_[k] + kFrame;
  return {offset, lengths_[i]};
}

std::string index_path(const std::string& shard) { return shard + ".idx"; }

std::string serialize_index(const IndexFile& index) {
  const std::vector<uint32_t>& lengths = index.index.lengths();
  std::string bytes(kIndexMagic);
  bytes.reserve(kHead + lengths.size() * sizeof(uint32_t) + kCrc);
  append(bytes, kIndexVersion);
  append(bytes, index.fingerprint);
  append(bytes, index.index.file_bytes());
  append(bytes, index.index.size());
  bytes.append(reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof(uint32_t));
  append(bytes, crc32c(bytes));
  return bytes;
}

IndexFile parse_index(std::string_view bytes, const Origin& origin) {
  if (bytes.size() < kHead + kCrc)
    throw DataError(origin, bytes.size(),
                    cat("an index of records has ", kHead + kCrc, " bytes or more; it is truncated"));
  if (bytes.substr(0, kIndexMagic.size()) != kIndexMagic) throw DataError(origin, 0, "this is no index of records");
  if (const auto version = load<uint32_t>(bytes, 8); version != kIndexVersion)
    throw DataError(origin, 8,
                    cat("the index has version ", version, ", but this program reads version ", kIndexVersion));
  const auto count = load<uint64_t>(bytes, 24);
  if (const uint64_t there = (bytes.size() - kHead - kCrc) / 4; count != there || bytes.size() % 4 != 0)
    throw DataError(origin, 24, cat("the index is of ", count, " records, but the file has room for ", there));
  const size_t end = bytes.size() - kCrc;
  if (load<uint32_t>(bytes, end) != crc32c(bytes.substr(0, end)))
    throw DataError(origin, end,
                    "the checksum of the index does not match; it is corrupt: delete it, and index the file again");
  IndexFile result;
  result.fingerprint = load<uint32_t>(bytes, 12);
  result.index.reserve(count);
  for (uint64_t i = 0; i < count; ++i) result.index.add(load<uint32_t>(bytes, kHead + 4 * i));
  if (const auto size = load<uint64_t>(bytes, 16); size != result.index.file_bytes())
    throw DataError(origin, 16,
                    cat("the records of the index make ", result.index.file_bytes(), " bytes, not ", size));
  return result;
}

void write_index(const RecordIndex& index, const InputFile& shard) {
  if (shard.size() != index.file_bytes())
    throw InvalidArgument(cat(shard.path(), ": the index is of ", index.file_bytes(), " bytes, but the file has ",
                              shard.size(), "; index the file as it is now"));
  write_file(index_path(shard.path()), serialize_index({index, fingerprint_of(index, shard)}));
}

RecordIndex read_index(const InputFile& shard) {
  const std::string path = index_path(shard.path());
  IndexFile read = parse_index(read_file(path), {path});
  constexpr std::string_view kStale = "; it is stale: delete it, and index the file again";
  if (read.index.file_bytes() != shard.size())
    throw DataError({path}, 16,
                    cat("the index is of ", read.index.file_bytes(), " bytes, but ", shard.path(), " has ",
                        shard.size(), kStale));
  if (read.fingerprint != fingerprint_of(read.index, shard))
    throw DataError({path}, 12, cat("the index is of other records than ", shard.path(), " has now", kStale));
  return std::move(read.index);
}

}  // namespace brio::formats
