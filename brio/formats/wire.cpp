#include "brio/formats/wire.h"

namespace brio::formats::wire {

namespace {

constexpr int kDeepestGroup = 100;  // protobuf's limit

}  // namespace

void fail(const Message& message, const char* at, std::string_view reason) {
  const std::string which = message.index < 0 ? "" : cat(" ", message.index, " of the batch");
  throw DataError(message.origin, static_cast<uint64_t>(at - message.begin), cat(message.what, which, ": ", reason));
}

void Reader::fail_here(std::string_view reason) const { fail(*message_, at_, reason); }

void Reader::fail_short(uint64_t size) const {
  fail_here(cat("a field of ", size, " bytes reaches past the end: ", end_ - at_, " are left"));
}

uint64_t Reader::long_varint(int longest) {
  const char* const begin = at_;
  uint64_t value = 0;
  for (int i = 0; i < longest; ++i) {
    if (at_ == end_) fail(*message_, begin, "it ends within a number");
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);  // the bits past 64 of a tenth byte fall away
    if (byte < 0x80) return value;
  }
  fail(*message_, begin, cat("a number has more than ", longest, " bytes"));
}

uint32_t Reader::long_tag() {
  const char* const begin = at_;
  const uint64_t tag = long_varint(5);
  if (tag > UINT32_MAX) fail(*message_, begin, "a field has a number past 2^29");
  return static_cast<uint32_t>(tag);
}

void Reader::skip() {
  switch (tag_ & 7) {
    case kVarint: varint(); return;
    case kFixed64: fixed<uint64_t>(); return;
    case kBytes: bytes(); return;
    case kGroup: skip_group(); return;
    case kFixed32: fixed<uint32_t>(); return;
    default: fail_here(cat("a field has the wire type ", tag_ & 7, ", which none has here"));
  }
}

void Reader::skip_group() {
  uint32_t open[kDeepestGroup];
  int depth = 0;
  open[depth++] = tag_ >> 3;
  while (depth > 0) {
    if (!next()) fail_here("it ends within a group");
    if ((tag_ & 7) == kGroup) {
      if (depth == kDeepestGroup) fail_here(cat("groups are nested more than ", kDeepestGroup, " deep"));
      open[depth++] = tag_ >> 3;
    } else if ((tag_ & 7) == kEndGroup) {
      if (tag_ >> 3 != open[--depth]) fail_here("a group ends that has not begun");
    } else {
      skip();
    }
  }
}

}  // namespace brio::formats::wire
