#include "brio/formats/npz.h"

#include <algorithm>

#include "brio/formats/zip_format.h"

namespace brio::formats {

namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kNpzPrefix = 12;

}  // namespace

NpzReader::NpzReader(ReadAt bytes, const NpyOptions& options, const ZipLimits& limits)
    : zip_(std::move(bytes), limits), options_(options) {
  for (const ZipMember& member : zip_.members())
    if (member.name.ends_with(kSuffix)) names_.push_back(member.name.substr(0, member.name.size() - kSuffix.size()));
}

const ZipMember& NpzReader::member(std::string_view name) const {
  if (const ZipMember* member = zip_.find(cat(name, kSuffix))) return *member;
  std::string known;
  for (const std::string& one : names_) known += cat(known.empty() ? "" : ", ", "'", one, "'");
  throw InvalidArgument(
      cat(zip_.bytes().origin().file, ": it holds no array '", name, "'; it holds ", known.empty() ? "none" : known));
}

Array NpzReader::read(std::string_view name) const {
  const ZipMember& member = this->member(name);
  const std::string where = cat(zip_.bytes().origin().file, ": ", member.name);
  const Origin origin{where};
  ZipStream stream(zip_, member);
  std::string header(std::min<size_t>(kNpzPrefix, static_cast<size_t>(member.size)), '\0');
  stream.read(header.data(), header.size());
  const size_t have = header.size(), all = npy_header_bytes(header, origin);
  if (all > member.size) throw DataError(origin, member.size, "the npy file ends within its header");
  header.resize(std::max(all, have));
  stream.read(header.data() + have, header.size() - have);
  const ArrayFile::Layout layout = npy_layout(header, origin, options_);
  if (header.size() > all || layout.aval.bytes() != stream.left())
    throw DataError(origin, all,
                    cat("the npy array ", layout.aval.dtype, layout.aval.shape, " has ", layout.aval.bytes(),
                        " bytes, but ", stream.left(), " follow its header"));
  if (layout.fortran_order && layout.aval.shape.rank() > 1) {
    std::string data(layout.aval.bytes(), '\0');
    stream.read(data.data(), data.size());
    ArrayFile::Layout alone = layout;
    alone.data_offset = 0;
    return ArrayFile(ReadAt(data, origin), alone, "npy").read();
  }
  Array array = Array::allocate(layout.aval, Owner::input);
  stream.read(array.data(), layout.aval.bytes());
  settle_elements(array.data(), static_cast<size_t>(layout.aval.shape.elements()), layout.aval.dtype,
                  layout.big_endian);
  return array;
}

ArrayFile NpzReader::open(std::string_view name) const {
  const ZipMember& member = this->member(name);
  if (member.method != zip::kStored)
    throw InvalidArgument(cat(zip_.bytes().origin().file, ": the array '", name,
                              "' is compressed, so that its rows cannot be read by position; use read()"));
  return open_npy(zip_.bytes().part(zip_.data_offset(member), member.size), options_);
}

void write_npz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays) {
  ZipWriter zip(path);
  for (const auto& [name, array] : arrays) {
    const std::string header = npy_header(array.aval);
    zip.add(cat(name, kSuffix), {header, {array.as<const char>(), array.aval.bytes()}});
  }
  zip.commit();
}

}  // namespace brio::formats
