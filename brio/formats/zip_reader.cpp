#include <zlib.h>

#include <algorithm>
#include <utility>

#include "brio/formats/byte_order.h"
#include "brio/formats/zip.h"
#include "brio/formats/zip_format.h"

namespace brio::formats {

using namespace zip;

namespace {

constexpr uint64_t kMaxMembers = uint64_t{1} << 18;
constexpr size_t kZipChunk = size_t{64} << 10;

}  // namespace

struct ZipReader::Directory {
  uint64_t offset = 0, bytes = 0, members = 0;
};

ZipReader::ZipReader(ReadAt bytes, const ZipLimits& limits) : bytes_(std::move(bytes)), limits_(limits) {
  read_directory(find_directory());
}

// The end of the file says where the directory is; a comment of any text may follow it.
ZipReader::Directory ZipReader::find_directory() const {
  const Origin origin = bytes_.origin();
  const uint64_t size = bytes_.size();
  std::string tail(static_cast<size_t>(std::min<uint64_t>(size, kEndBytes + 0xffff)), '\0');
  bytes_.read(size - tail.size(), tail.data(), tail.size());
  size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1;
  bool found = false;
  while (!found && at > 0) {
    --at;
    found = load_little<uint32_t>(&tail[at]) == kEnd &&
            load_little<uint16_t>(&tail[at + 20]) == tail.size() - at - kEndBytes;
  }
  if (!found) throw DataError(origin, size, "not a ZIP file, or a truncated one: it has no directory at its end");
  const uint64_t end = size - tail.size() + at;
  Directory directory{load_little<uint32_t>(&tail[at + 16]), load_little<uint32_t>(&tail[at + 12]),
                      load_little<uint16_t>(&tail[at + 10])};
  uint64_t limit = end;
  const bool split = load_little<uint16_t>(&tail[at + 4]) != 0 && load_little<uint16_t>(&tail[at + 4]) != 0xffff;
  if (split) throw DataError(origin, end, "the ZIP file is one part of several");
  const bool see64 = directory.offset == kSee64 || directory.bytes == kSee64 || directory.members == 0xffff;
  if (see64 && end >= kLocator64Bytes) {
    char locator[kLocator64Bytes];
    bytes_.read(end - kLocator64Bytes, locator, sizeof locator);
    if (load_little<uint32_t>(locator) == kLocator64) {
      char record[kEnd64Bytes];
      limit = load_little<uint64_t>(locator + 8);
      bytes_.read(limit, record, sizeof record);
      if (load_little<uint32_t>(record) != kEnd64)
        throw DataError(origin, limit, "the ZIP file's directory of large files is corrupt");
      directory = {load_little<uint64_t>(record + 48), load_little<uint64_t>(record + 40),
                   load_little<uint64_t>(record + 32)};
    }
  }
  if (directory.offset > limit || directory.bytes > limit - directory.offset)
    throw DataError(origin, end, "the ZIP file's directory does not lie in the file");
  if (directory.members > kMaxMembers || directory.members > directory.bytes / kCentralBytes)
    throw DataError(
        origin, end,
        cat("the ZIP file's directory claims ", directory.members, " members in ", directory.bytes, " bytes"));
  return directory;
}

void ZipReader::read_directory(const Directory& directory) {
  const Origin origin = bytes_.origin();
  std::string all(static_cast<size_t>(directory.bytes), '\0');
  bytes_.read(directory.offset, all.data(), all.size());
  size_t at = 0;
  const auto fail = [&](std::string_view why) { throw DataError(origin, directory.offset + at, why); };
  members_.reserve(static_cast<size_t>(directory.members));
  for (uint64_t i = 0; i < directory.members; ++i) {
    if (all.size() - at < kCentralBytes || load_little<uint32_t>(&all[at]) != kCentral)
      fail("the ZIP file's directory is corrupt");
    const char* entry = &all[at];
    const size_t name = load_little<uint16_t>(entry + 28), extra = load_little<uint16_t>(entry + 30),
                 comment = load_little<uint16_t>(entry + 32);
    if (all.size() - at - kCentralBytes < name + extra + comment) fail("the ZIP file's directory is corrupt");
    ZipMember member;
    member.name.assign(entry + kCentralBytes, name);
    member.flags = load_little<uint16_t>(entry + 8);
    member.method = load_little<uint16_t>(entry + 10);
    member.crc = load_little<uint32_t>(entry + 16);
    member.packed = load_little<uint32_t>(entry + 20);
    member.size = load_little<uint32_t>(entry + 24);
    member.header = load_little<uint32_t>(entry + 42);
    std::string_view fields(entry + kCentralBytes + name, extra);
    while (fields.size() >= 4) {
      const size_t length = load_little<uint16_t>(&fields[2]);
      if (fields.size() - 4 < length) fail("the ZIP file's directory is corrupt");
      std::string_view values = fields.substr(4, length);
      if (load_little<uint16_t>(&fields[0]) == kExtra64) {
        for (uint64_t* value : {&member.size, &member.packed, &member.header}) {
          if (*value != kSee64) continue;
          if (values.size() < 8) fail("the ZIP file's directory is corrupt");
          *value = load_little<uint64_t>(values.data());
          values.remove_prefix(8);
        }
      }
      fields.remove_prefix(4 + length);
    }
    if (member.header > bytes_.size() || bytes_.size() - member.header < kLocalBytes)
      fail(cat("the ZIP member '", member.name, "' does not lie in the file"));
    members_.push_back(std::move(member));
    at += kCentralBytes + name + extra + comment;
  }
  // Readers would differ in which of two they take.
  std::vector<std::string_view> names;
  names.reserve(members_.size());
  for (const ZipMember& member : members_) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw DataError(origin, directory.offset, cat("the ZIP file has two members '", *twice, "'"));
}

const ZipMember* ZipReader::find(std::string_view name) const {
  for (const ZipMember& member : members_)
    if (member.name == name) return &member;
  return nullptr;
}

uint64_t ZipReader::data_offset(const ZipMember& member) const {
  char header[kLocalBytes];
  bytes_.read(member.header, header, sizeof header);
  const auto fail = [&](std::string_view why) {
    throw DataError(bytes_.origin(), member.header, cat("the ZIP member '", member.name, "' ", why));
  };
  if (load_little<uint32_t>(header) != kLocal) fail("does not begin where the directory says");
  if (member.flags & kEncrypted) fail("is encrypted");
  if (member.method != kStored && member.method != kDeflated)
    fail(cat("is packed by method ", member.method, "; stored and deflated ones can be read"));
  const uint64_t data =
      member.header + kLocalBytes + load_little<uint16_t>(header + 26) + load_little<uint16_t>(header + 28);
  if (data > bytes_.size() || bytes_.size() - data < member.packed) fail("does not lie in the file; it is truncated");
  if (member.method == kStored && member.size != member.packed)
    fail(cat("is stored, but claims ", member.size, " bytes in ", member.packed));
  if (member.size > limits_.always && member.size / limits_.max_ratio > member.packed)
    fail(cat("claims to inflate from ", member.packed, " to ", member.size,
             " bytes, as a decompression bomb does; raise ", "ZipLimits::max_ratio to admit it"));
  return data;
}

std::string ZipReader::read(const ZipMember& member) const {
  ZipStream stream(*this, member);
  std::string bytes(static_cast<size_t>(member.size), '\0');
  stream.read(bytes.data(), bytes.size());
  return bytes;
}

struct ZipStream::State {
  State(const ZipReader& reader, const ZipMember& what)
      : bytes(reader.bytes()),
        member(what),
        next(reader.data_offset(what)),
        end(next + what.packed),
        left(what.size) {
    if (member.method == kDeflated && inflateInit2(&z, -MAX_WBITS) != Z_OK)
      throw ResourceError("zlib found no memory to inflate with");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { inflateEnd(&z); }

  [[noreturn]] void fail(std::string_view why) const {
    throw DataError(bytes.origin(), next - z.avail_in, cat("the ZIP member '", member.name, "' is corrupt: ", why));
  }
  void inflate_exactly(char* to, size_t count);

  ReadAt bytes;
  ZipMember member;
  uint64_t next, end;  // of the packed bytes: not yet read
  uint64_t left;
  uint32_t crc = 0;
  z_stream z{};
  std::string input;
};

void ZipStream::State::inflate_exactly(char* to, size_t count) {
  z.next_out = reinterpret_cast<Bytef*>(to);
  while (count > 0) {
    if (z.avail_in == 0 && next < end) {
      input.resize(static_cast<size_t>(std::min<uint64_t>(kZipChunk, end - next)));
      bytes.read(next, input.data(), input.size());
      next += input.size();
      z.next_in = reinterpret_cast<Bytef*>(input.data());
      z.avail_in = static_cast<uInt>(input.size());
    }
    const auto room = static_cast<uInt>(std::min<size_t>(count, size_t{1} << 30));
    z.avail_out = room;
    const int result = ::inflate(&z, Z_NO_FLUSH);
    const size_t got = room - z.avail_out;
    count -= got;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      fail(z.msg ? z.msg : "it cannot be inflated");
    if (count > 0 && got == 0 && (result == Z_STREAM_END || (z.avail_in == 0 && next == end)))
      fail(cat("it inflates to ", count, " bytes fewer than it claims"));
  }
}

ZipStream::ZipStream(const ZipReader& zip, const ZipMember& member) : state_(std::make_unique<State>(zip, member)) {}
ZipStream::ZipStream(ZipStream&&) noexcept = default;
ZipStream::~ZipStream() = default;

uint64_t ZipStream::left() const { return state_->left; }

void ZipStream::read(void* to, size_t count) {
  State& state = *state_;
  if (count > state.left) state.fail(cat("it ends ", count - state.left, " bytes too early"));
  if (state.member.method == kStored) {
    state.bytes.read(state.next, to, count);
    state.next += count;
  } else {
    state.inflate_exactly(static_cast<char*>(to), count);
  }
  state.left -= count;
  state.crc = static_cast<uint32_t>(crc32_z(state.crc, static_cast<const Bytef*>(to), count));
  if (state.left == 0 && state.crc != state.member.crc) state.fail("its checksum differs");
}

}  // namespace brio::formats
