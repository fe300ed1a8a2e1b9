#include "brio/formats/seal.h"

#include <algorithm>
#include <cstdio>

#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"

namespace brio::formats {
namespace {

constexpr size_t kDigits = 8;
constexpr uint64_t kHeaderLength = 8;  // of a safetensors file: the first bytes say how long the header is

struct Around {
  std::string_view before, after;
};
Around around(Seal seal) {
  switch (seal) {
    case Seal::binary: return {"BRIO-CRC32C ", "\n"};
    case Seal::json: return {"\"crc32c\": \"", "\"\n}\n"};
    case Seal::text: return {"# crc32c ", "\n"};
    case Seal::safetensors: break;
  }
  return {"{\"__metadata__\":{\"brio_crc32c\":\"", "\""};
}

std::string digits_of(uint32_t crc) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%08x", crc);
  return {digits, kDigits};
}

uint32_t crc_of(const InputFile& file, uint64_t begin, uint64_t end, uint32_t crc = 0) {
  std::string buffer(std::min<uint64_t>(end - begin, uint64_t{1} << 20), '\0');
  for (uint64_t at = begin; at < end;) {
    const size_t bytes = std::min<uint64_t>(buffer.size(), end - at);
    file.read(at, buffer.data(), bytes);
    crc = crc32c({buffer.data(), bytes}, crc);
    at += bytes;
  }
  return crc;
}

}  // namespace

bool check_seal(const InputFile& file, Seal seal) {
  const auto [before, after] = around(seal);
  const size_t size = before.size() + kDigits + after.size();
  if (file.size() < size + (seal == Seal::safetensors ? kHeaderLength : 0)) return false;
  const uint64_t at = seal == Seal::safetensors ? kHeaderLength : file.size() - size;
  std::string stored(size, '\0');
  file.read(at, stored.data(), size);
  // A flipped bit in these characters does not turn the file into one without a checksum.
  size_t differences = 0;
  for (size_t i = 0; i < before.size(); ++i) differences += stored[i] != before[i] ? 1 : 0;
  for (size_t i = 0; i < after.size(); ++i) differences += stored[before.size() + kDigits + i] != after[i] ? 1 : 0;
  if (differences > 2) return false;
  uint32_t crc = crc_of(file, 0, at);
  if (seal == Seal::safetensors) {
    const uint64_t digits = at + before.size();
    crc = crc_of(file, digits + kDigits, file.size(), crc32c(std::string(kDigits, '0'), crc_of(file, 0, digits)));
  }
  if (differences > 0 || stored.substr(before.size(), kDigits) != digits_of(crc))
    throw DataError({file.path()}, at, "its bytes do not have the checksum that was written with them");
  return true;
}

std::string seal_of(Seal seal, uint32_t crc) {
  const auto [before, after] = around(seal);
  return cat(before, digits_of(crc), after);
}

std::string sealed_json(std::string_view object) {
  BRIO_CHECK(object.ends_with("\n}"), "a JSON object of several lines");
  std::string text(object.substr(0, object.size() - 2));
  text += ",\n ";
  return text += seal_of(Seal::json, crc32c(text));
}

}  // namespace brio::formats
