// A FixedLen feature, compiled: what its bytes look like when a usual writer made them is known beforehand.
#pragma once

#include <string>
#include <string_view>

#include "brio/formats/example_parser.h"
#include "brio/formats/feature_column.h"
#include "brio/formats/key_table.h"

namespace brio::formats {

class FixedFeature {
 public:
  FixedFeature() = default;
  FixedFeature(std::string key, FixedLen spec);

  size_t row_bytes() const { return row_bytes_; }
  // The numbers of a feature, given by its bytes (no data(): it is missing), to their row.
  void read_row(std::string_view value, const wire::Message& message, void* to) const {
    // The bytes of a packed list of this length are known up to the values.
    if (value.size() == row_bytes_ + 4 && kind_ == FeatureKind::floats &&
        wire::load<uint32_t>(value.data()) == head_) {
      if (row_bytes_ == sizeof(float)) std::memcpy(to, value.data() + 4, sizeof(float));
      else std::memcpy(to, value.data() + 4, row_bytes_);
      return;
    }
    if (kind_ == FeatureKind::ints && elements_ == 1 && read_int(value, to)) return;
    read_any_row(value, message, to);
  }
  // Those of a feature of strings.
  void append_strings(std::string_view value, const wire::Message& message, FeatureColumn& to) const;

 private:
  // One packed int, of which the length is known from that of the feature. Any other form is left to the general way.
  static bool read_int(std::string_view value, void* to) {
    const size_t size = value.size() - 4;
    if (size > 10 || wire::load<uint32_t>(value.data()) != (kIntHead | (size + 2) << 8 | size << 24)) return false;
    uint64_t number = 0;
    for (size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(value[4 + i]);
      if ((byte < 0x80) != (i + 1 == size)) return false;
      number |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    }
    if (size > 0) std::memcpy(to, &number, sizeof(number));
    return size > 0;
  }
  static constexpr uint32_t kIntHead = wire::tag(3, wire::kBytes) | wire::tag(1, wire::kBytes) << 16;

  void read_any_row(std::string_view value, const wire::Message& message, void* to) const;
  void read_raw(const FeatureView& feature, const wire::Message& message, void* to) const;
  FeatureView view(std::string_view value, const wire::Message& message) const;  // none: the default stands in
  [[noreturn]] void fail_count(const FeatureView& feature, int64_t count, const Shape& shape,
                               const wire::Message& message) const;

  std::string key_;
  FixedLen spec_;
  FeatureKind kind_ = FeatureKind::none;
  int64_t elements_ = 0;
  size_t row_bytes_ = 0;
  size_t raw_bytes_ = 0;  // of the string that holds a raw row
  uint32_t head_ = 0;     // of floats: tags and lengths before the values; 0: too many values for it
};

struct CompiledSpecs {
  KeyTable keys;
  std::vector<FixedFeature> fixed;  // one for each spec; empty of others than FixedLen
  size_t small_row_bytes;           // of the rows of an example in one buffer; 0: they are too large for that
};

}  // namespace brio::formats
