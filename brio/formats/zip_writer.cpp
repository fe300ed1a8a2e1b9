#include <zlib.h>

#include <algorithm>

#include "brio/formats/byte_order.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/seal.h"
#include "brio/formats/zip.h"
#include "brio/formats/zip_format.h"

namespace brio::formats {

using namespace zip;

namespace {

constexpr uint16_t kVersion = 20, kVersion64 = 45;
constexpr uint16_t kDate = (0 << 9) | (1 << 5) | 1;  // 1980-01-01, the first that can be written

std::string extra64(const std::vector<uint64_t>& values) {
  std::string extra;
  if (values.empty()) return extra;
  append_little(extra, kExtra64);
  append_little(extra, static_cast<uint16_t>(8 * values.size()));
  for (const uint64_t value : values) append_little(extra, value);
  return extra;
}

}  // namespace

// What both headers of a member share.
void ZipWriter::append_common(std::string& to, const ZipMember& member, bool wide) const {
  append_little(to, wide ? kVersion64 : kVersion);
  append_little(to, uint16_t{0x800});  // names are UTF-8
  append_little(to, kStored);
  append_little(to, uint16_t{0});  // time of day
  append_little(to, kDate);
  append_little(to, member.crc);
  append_little(to, field(member.size));
  append_little(to, field(member.size));
  append_little(to, static_cast<uint16_t>(member.name.size()));
}

void ZipWriter::add(std::string_view name, const std::vector<std::string_view>& parts) {
  if (name.empty() || name.size() > 0xffff)
    throw InvalidArgument(cat(file_.path(), ": a member's name has 1 to 65535 bytes, but got ", name.size()));
  if (!names_.emplace(name).second) throw InvalidArgument(cat(file_.path(), ": there are two members '", name, "'"));
  ZipMember member;
  member.name = name;
  member.header = file_.size();
  for (const std::string_view part : parts) {
    member.size += part.size();
    member.crc = static_cast<uint32_t>(crc32_z(member.crc, reinterpret_cast<const Bytef*>(part.data()), part.size()));
  }
  member.packed = member.size;
  std::string header;
  append_little(header, kLocal);
  append_common(header, member, large(member.size));
  std::string extra;
  if (large(member.size)) extra = extra64({member.size, member.size});
  append_little(header, static_cast<uint16_t>(extra.size()));
  write(header);
  write(name);
  write(extra);
  for (const std::string_view part : parts) write(part);
  members_.push_back(std::move(member));
}

void ZipWriter::write(std::string_view bytes) {
  crc_ = crc32c(bytes, crc_);
  file_.write(bytes);
}

void ZipWriter::commit() {
  finish(0);
  file_.commit();
}

void ZipWriter::commit_sealed() {
  finish(seal_of(Seal::binary, 0).size());
  file_.write(seal_of(Seal::binary, crc_));
  file_.commit();
}

void ZipWriter::finish(size_t comment) {
  const uint64_t begin = file_.size();
  for (const ZipMember& member : members_) {
    std::vector<uint64_t> wide;
    if (large(member.size)) wide = {member.size, member.size};
    if (large(member.header)) wide.push_back(member.header);
    const std::string extra = extra64(wide);
    std::string entry;
    append_little(entry, kCentral);
    append_little(entry, wide.empty() ? kVersion : kVersion64);
    append_common(entry, member, !wide.empty());
    append_little(entry, static_cast<uint16_t>(extra.size()));
    entry.resize(42, '\0');  // no comment, the first disk, no attributes
    append_little(entry, field(member.header));
    entry += member.name;
    write(entry += extra);
  }
  const uint64_t end = file_.size(), bytes = end - begin, count = members_.size();
  std::string tail;
  if (large(begin) || large(bytes) || count >= 0xffff) {
    append_little(tail, kEnd64);
    append_little(tail, kEnd64Bytes - 12);
    append_little(tail, kVersion64);
    append_little(tail, kVersion64);
    append_little(tail, uint64_t{0});  // both disks
    append_little(tail, count);
    append_little(tail, count);
    append_little(tail, bytes);
    append_little(tail, begin);
    append_little(tail, kLocator64);
    append_little(tail, uint32_t{0});
    append_little(tail, end);
    append_little(tail, uint32_t{1});  // disks
  }
  append_little(tail, kEnd);
  append_little(tail, uint32_t{0});
  const auto shown = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  append_little(tail, shown);
  append_little(tail, shown);
  append_little(tail, field(bytes));
  append_little(tail, field(begin));
  append_little(tail, static_cast<uint16_t>(comment));
  write(tail);
}

}  // namespace brio::formats
