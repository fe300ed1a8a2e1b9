// Names that users write ("relu", "adam") and names that Brio makes up ("dense_1").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace brio::nn {

// Throws InvalidArgument: "[activation] there is no 'rleu'; did you mean 'relu'? Known: …".
[[noreturn]] void throw_unknown(std::string_view what, std::string_view name,
                                std::span<const std::string_view> known);

// "dense", then "dense_1", "dense_2", … as Keras counts them.
std::string unique_name(std::string_view base);
void reset_unique_names();  // the next one is "dense" again

}  // namespace brio::nn
