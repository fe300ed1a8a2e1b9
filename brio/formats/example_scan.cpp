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

FeatureView::FeatureView(std::string_view feature, const wire::Message& message) : lists_(feature) {
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
