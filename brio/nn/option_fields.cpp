#include "brio/nn/option_fields.h"

#include "brio/base/error.h"

namespace brio::nn {
namespace {

constexpr std::string_view kReductions[] = {"sum_over_batch_size", "sum", "none", "mean", "mean_with_sample_weight"};

}  // namespace

Setting SettingWriter::setting(Reduction value) { return std::string(kReductions[static_cast<size_t>(value)]); }

void SettingReader::operator()(std::string_view name, Axes&) {
  if (from_.has(name))
    throw InvalidArgument(cat("[", from_.class_name, "] its axes cannot be read from a config; compile() it again"));
}

void SettingReader::operator()(std::string_view name, Reduction& value) {
  if (!from_.has(name)) return;
  const std::string text = from_.text(name, "none");
  for (size_t i = 0; i < std::size(kReductions); ++i) {
    if (kReductions[i] != text) continue;
    value = static_cast<Reduction>(i);
    return;
  }
  throw InvalidArgument(cat("[", from_.class_name, "] there is no reduction '", text, "'"));
}

}  // namespace brio::nn
