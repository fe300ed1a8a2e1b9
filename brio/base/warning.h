// Lines for people that are no errors: what somebody should know while the program goes on.
#pragma once

#include <string>

namespace brio {

void warn(const std::string& text);  // "brio: …", to stderr
// Where these lines go instead; null: to stderr. It throws nothing.
void set_warner(void (*warner)(const std::string& line));

}  // namespace brio
