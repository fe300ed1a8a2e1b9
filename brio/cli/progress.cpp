#include "brio/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "brio/base/error.h"
#include "brio/train/progress_bar.h"

namespace brio::cli {

using Clock = std::chrono::steady_clock;

WorkBar::WorkBar(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {}

WorkBar::~WorkBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void WorkBar::show(int64_t done) {
  const auto now = Clock::now();
  if (!terminal_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  drawn_ = true;
  constexpr int64_t kWidth = 30;
  const int64_t full = total_ > 0 ? std::min(kWidth, kWidth * done / total_) : 0;
  std::string bar;
  for (int64_t i = 0; i < kWidth; ++i) bar += i < full ? "━" : "─";
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? passed * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  std::fprintf(stderr, "\r%s %lld/%lld %s %s left\x1b[K", what_.c_str(), static_cast<long long>(done),
               static_cast<long long>(total_), bar.c_str(), train::shown_duration(left).c_str());
  std::fflush(stderr);
}

std::string cut(std::string text, size_t columns) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (text.size() <= columns) return text;
  const size_t head = (columns - 1) / 2, tail = columns - 1 - head;
  return cat(text.substr(0, head), "…", text.substr(text.size() - tail));
}

}  // namespace brio::cli
