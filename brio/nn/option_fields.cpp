#include "brio/nn/option_fields.h"

namespace brio::nn {

void SettingReader::operator()(std::string_view name, Axes&) {
  if (from_.has(name))
    throw InvalidArgument(cat("[", from_.class_name, "] its axes cannot be read from a config; compile() it again"));
}

}  // namespace brio::nn
