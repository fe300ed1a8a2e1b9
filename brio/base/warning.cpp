#include "brio/base/warning.h"

#include <atomic>
#include <cstdio>

namespace brio {
namespace {
std::atomic<void (*)(const std::string&)> warner_of_program{nullptr};
}  // namespace

void set_warner(void (*warner)(const std::string& line)) { warner_of_program = warner; }

void warn(const std::string& text) {
  const std::string line = "brio: " + text + "\n";
  if (const auto warner = warner_of_program.load()) warner(line);
  else std::fputs(line.c_str(), stderr);
}

}  // namespace brio
