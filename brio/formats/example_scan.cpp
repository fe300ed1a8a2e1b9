#include "brio/formats/example_scan.h"

namespace brio::formats {

std::string_view name_of(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::bytes: return "string";
    case FeatureKind::floats: return "float";
    case FeatureKind::ints: return "int64";
    case FeatureKind::none: break;
  }
  return "none";
}

void MapEntry::read(std::string_view entry, const wire::Message& message) {
  key = value = entry.substr(0, 0);
  uint32_t seen = 0;
  for (wire::Reader reader(entry, message); reader.next();) {
    const uint32_t field = reader.tag() >> 3;
    if ((reader.tag() & 7) != wire::kBytes || field > 2) {
      reader.skip();
      continue;
    }
    if ((seen & field) != 0) wire::fail(message, reader.at(), "an entry of a map has two keys or values");
    seen |= field;
    (field == 1 ? key : value) = reader.bytes();
  }
}

void FeatureView::find_kind(std::string_view feature, const wire::Message& message) {
  for (wire::Reader reader(feature, message); !reader.done();) {
    const char* const begin = reader.at();
    reader.next();
    const uint32_t field = reader.tag() >> 3;
    const bool member = (reader.tag() & 7) == wire::kBytes && field <= 3;
    reader.skip();
    if (!member || kind_ == static_cast<FeatureKind>(field)) continue;
    kind_ = static_cast<FeatureKind>(field);
    lists_ = {begin, static_cast<size_t>(feature.data() + feature.size() - begin)};
  }
}

int64_t FeatureView::count(const wire::Message& message) const {
  int64_t count = 0;
  const auto one = [&](auto) { ++count; };
  switch (kind_) {
    case FeatureKind::bytes: each<std::string_view>(message, one); break;
    case FeatureKind::floats: each<float>(message, one); break;
    case FeatureKind::ints: each<int64_t>(message, one); break;
    case FeatureKind::none: break;
  }
  return count;
}

}  // namespace brio::formats
