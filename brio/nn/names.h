// Names that users write ("relu", "adam") and names that Brio generates ("dense_1").
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brio::nn {

// Throws InvalidArgument: "[activation] there is no 'rleu'; did you mean 'relu'? Known: …".
[[noreturn]] void throw_unknown(std::string_view what, std::string_view name,
                                std::span<const std::string_view> known);

// The row of a table with that name. Other spellings, such as Keras's class names, begin with a capital and are not
// suggested in messages.
template <typename Rows>
const auto& row_named(std::string_view what, std::string_view name, const Rows& rows) {
  std::vector<std::string_view> known;
  for (const auto& row : rows) {
    if (row.name == name) return row;
    if (row.name[0] >= 'a') known.push_back(row.name);
  }
  throw_unknown(what, name, known);
}

// "Hinge" of "metrics::Hinge", for lists of classes from several namespaces.
constexpr std::string_view class_name(std::string_view qualified) {
  return qualified.substr(qualified.rfind(':') + 1);
}

// "dense", then "dense_1", "dense_2", … as Keras counts them.
std::string unique_name(std::string_view base);
void reset_unique_names();  // the next one is "dense" again

}  // namespace brio::nn
