// A bar on standard error while a command works; none where that is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace brio::cli {

class WorkBar {
 public:
  WorkBar(std::string what, int64_t total);
  ~WorkBar();  // takes the bar away
  void show(int64_t done);

 private:
  std::string what_;
  int64_t total_;
  bool terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

std::string cut(std::string text, size_t columns);  // with "…" in its middle where it is longer; control bytes as '?'

}  // namespace brio::cli
