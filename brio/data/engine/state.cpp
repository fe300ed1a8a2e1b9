#include "brio/data/engine/state.h"

#include "brio/base/error.h"

namespace brio::data {

// Seven bits a byte, the lowest first; the top bit says that more follow.
void StateWriter::number(uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
  bytes_ += static_cast<char>(value);
}

void StateWriter::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void StateReader::refuse(std::string_view why) {
  throw InvalidArgument(cat("[dataset] this is not the state of an iterator of this dataset: ", why,
                            "; give what save() of the same pipeline returned"));
}

uint64_t StateReader::number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (left_.empty()) refuse("it ends too early");
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;
    value |= uint64_t{byte & 127U} << shift;
    if (byte < 128) return value;
  }
  refuse("a number in it is too large");
}

int64_t StateReader::count(int64_t most) {
  const uint64_t value = number();
  if (value > static_cast<uint64_t>(most)) refuse(cat("it counts ", value, " where ", most, " is the most"));
  return static_cast<int64_t>(value);
}

std::string_view StateReader::text() {
  const uint64_t size = number();
  if (size > left_.size()) refuse("a text in it is longer than it");
  const std::string_view value = left_.substr(0, size);
  left_.remove_prefix(size);
  return value;
}

}  // namespace brio::data
