#include "brio/formats/safetensors.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "brio/formats/byte_order.h"
#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"
#include "brio/formats/seal.h"

namespace brio::formats {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLength = 8;                 // the first bytes say how long the header is
constexpr uint64_t kLongestJson = 100'000'000;  // as the package has it
constexpr std::string_view kMetadata = "__metadata__", kChecksum = "brio_crc32c";
constexpr size_t kCrcDigits = 8;

struct DtypeName {
  DType dtype;
  std::string_view name;
};
constexpr DtypeName kDtypeNames[] = {{boolean, "BOOL"}, {u8, "U8"},     {i8, "I8"},   {i16, "I16"}, {u16, "U16"},
                                     {f16, "F16"},      {bf16, "BF16"}, {i32, "I32"}, {u32, "U32"}, {f32, "F32"},
                                     {f64, "F64"},      {i64, "I64"},   {u64, "U64"}, {c64, "C64"}};

std::string_view name_of(const std::string& path, const NamedArray& named) {
  for (const DtypeName& row : kDtypeNames)
    if (row.dtype == named.second.aval.dtype) return row.name;
  throw InvalidArgument(
      cat(path, ": '", named.first, "' is ", named.second.aval.dtype, ", which safetensors files do not have"));
}

std::string_view bytes_of(const Array& array) { return {array.as<char>(), array.aval.bytes()}; }

std::string header_of(const std::string& path, const std::vector<NamedArray>& arrays, const Metadata& metadata) {
  Json header = {{kMetadata, {{kChecksum, std::string(kCrcDigits, '0')}}}};
  for (const auto& [key, value] : metadata) header[kMetadata][key] = value;
  uint64_t at = 0;
  std::unordered_set<std::string_view> seen = {kMetadata};
  for (const NamedArray& named : arrays) {
    if (!seen.insert(named.first).second)
      throw InvalidArgument(cat(path, ": there are two tensors '", named.first, "'"));
    const Aval& aval = named.second.aval;
    Json shape = Json::array();
    for (const auto& size : aval.shape) shape.push_back(int64_t{size});
    header[named.first] = {
        {"dtype", name_of(path, named)}, {"shape", shape}, {"data_offsets", {at, at + aval.bytes()}}};
    at += aval.bytes();
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

uint32_t write_safetensors(const std::string& path, const std::vector<NamedArray>& arrays, const Metadata& metadata) {
  const std::string text = header_of(path, arrays, metadata);
  std::string head;
  append_little(head, uint64_t{text.size()});
  head += text;
  uint32_t crc = crc32c(head);
  for (const NamedArray& named : arrays) crc = crc32c(bytes_of(named.second), crc);
  char digits[kCrcDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", crc);
  head.replace(head.find(std::string(kCrcDigits, '0'), kLength), kCrcDigits, digits, kCrcDigits);
  OutputFile file(path);
  file.write(head);
  for (const NamedArray& named : arrays) file.write(bytes_of(named.second));
  file.commit();
  return crc;
}

SafetensorsFile::SafetensorsFile(std::string path) : file_(std::move(path)) {
  check_seal(file_, Seal::safetensors);
  const auto fail = [&](std::string_view why) {
    throw DataError({file_.path()}, 0, cat("this is no safetensors file: ", why));
  };
  if (file_.size() < kLength) fail("it has fewer than 8 bytes");
  char first[kLength];
  file_.read(0, first, kLength);
  const auto length = load_little<uint64_t>(first);
  if (length > kLongestJson || length > file_.size() - kLength) fail(cat("its header claims ", length, " bytes"));
  std::string text(length, '\0');
  file_.read(kLength, text.data(), length);
  data_ = kLength + length;

  std::unordered_set<std::string> names;
  bool twice = false;
  const auto see_names = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > 8) throw DataError({file_.path()}, kLength, "this is no safetensors file: its header is nested");
    if (event == Json::parse_event_t::key && depth == 1) twice |= !names.insert(parsed.get<std::string>()).second;
    return true;
  };
  const Json header = Json::parse(text, see_names, false);
  if (header.is_discarded()) fail("its header is no JSON");
  if (!header.is_object()) fail("its header is no object");
  if (twice) fail("a name is there twice");

  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (const auto& [name, about] : header.items()) {
    if (name == kMetadata) {
      if (!about.is_object()) fail("its metadata is no object");
      for (const auto& [key, value] : about.items())
        if (value.is_string() && key != kChecksum) metadata_.emplace_back(key, value.get<std::string>());
      continue;
    }
    const auto whole = [](const Json& each) { return each.is_number_unsigned(); };
    const auto dtype = about.find("dtype"), shape = about.find("shape"), offsets = about.find("data_offsets");
    if (!about.is_object() || dtype == about.end() || shape == about.end() || offsets == about.end() ||
        !dtype->is_string() || !offsets->is_array() || offsets->size() != 2 || !std::ranges::all_of(*offsets, whole))
      fail(cat("'", name, "' is not described by dtype, shape and data_offsets"));
    if (!shape->is_array() || !std::ranges::all_of(*shape, whole))
      fail(cat("'", name, "' has shape ", shape->dump(-1, ' ', false, Json::error_handler_t::replace)));
    const auto row = std::ranges::find(kDtypeNames, dtype->get<std::string>(), &DtypeName::name);
    if (row == std::end(kDtypeNames))
      fail(cat("'", name, "' is ", dtype->get<std::string>(), ", which is not known"));
    const auto begin = (*offsets)[0].get<uint64_t>(), end = (*offsets)[1].get<uint64_t>();
    add(name, row->dtype, shape->get<std::vector<int64_t>>(), begin, end);
    places.emplace_back(begin, end);
  }
  // Without gaps or overlaps, up to the end.
  std::ranges::sort(places);
  uint64_t at = 0;
  for (const auto& [begin, end] : places) {
    if (begin != at) fail(cat("what lies from ", begin, " to ", end, " does not follow what is before it"));
    at = end;
  }
  if (data_ + at != file_.size()) fail("there are bytes behind the last tensor");
}

void SafetensorsFile::add(std::string name, DType dtype, const std::vector<int64_t>& shape, uint64_t begin,
                          uint64_t end) {
  uint64_t bytes = size_of(dtype);
  bool fits = begin <= end && end <= file_.size() - data_;
  for (const int64_t size : shape)
    fits &= size >= 0 && !__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes);
  if (!fits || bytes != end - begin)
    throw DataError(
        {file_.path()}, 0,
        cat("this is no safetensors file: '", name, "' lies from ", begin, " to ", end, ", which does not fit"));
  Shape known;
  try {
    known = Shape(shape);
  } catch (const InvalidArgument& error) {
    throw DataError({file_.path()}, 0, cat("'", name, "': ", error.what()));
  }
  entries_.push_back({std::move(name), {known, dtype}, data_ + begin});
}

const SafetensorsFile::Entry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &*found;
}

Array SafetensorsFile::read(const Entry& entry, Owner owner) const {
  Array array = Array::allocate(entry.aval, owner);
  file_.read(entry.offset, array.data(), entry.aval.bytes());
  return array;
}

}  // namespace brio::formats
