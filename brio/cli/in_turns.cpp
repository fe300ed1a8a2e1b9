#include "brio/cli/in_turns.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace brio::cli {
namespace {

using TurnClock = std::chrono::steady_clock;

double seconds_of_turn(TurnClock::time_point begin) {
  return std::chrono::duration<double>(TurnClock::now() - begin).count();
}

double middle_of(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

}  // namespace

void print_turns_header(std::string_view what) {
  std::printf("%-12s %12s %12s      %s\n", std::string(what).c_str(), "off", "on", "costs");
}

void compare_in_turns(std::string_view name, const std::function<void(bool on)>& set,
                      const std::function<double()>& iterate, bool json) {
  constexpr double kBlock = 0.1;
  constexpr size_t kRounds = 41;
  for (const bool on : {true, false}) {
    set(on);
    for (int i = 0; i < 3; ++i) iterate();
  }
  const auto begin = TurnClock::now();
  iterate();
  const auto at_once = std::max<int>(1, static_cast<int>(kBlock / std::max(1e-9, seconds_of_turn(begin))));
  std::vector<double> times[2], ratios;
  for (size_t round = 0; round < kRounds; ++round) {
    double both[2] = {};
    for (const size_t turn : {round % 2, 1 - round % 2}) {
      set(turn == 1);
      double units = 0;
      const auto start = TurnClock::now();
      for (int i = 0; i < at_once; ++i) units += iterate();
      both[turn] = seconds_of_turn(start) / units;
      times[turn].push_back(both[turn]);
    }
    ratios.push_back(both[1] / both[0]);
  }
  const double off = middle_of(times[0]), on = middle_of(times[1]), ratio = middle_of(ratios);
  if (json)
    std::printf("{\"name\": \"%s\", \"off_us\": %.6g, \"on_us\": %.6g, \"share\": %.6g}\n", std::string(name).c_str(),
                off * 1e6, on * 1e6, ratio - 1);
  else
    std::printf("%-12s %12.3f %12.3f µs   %+.2f %%\n", std::string(name).c_str(), off * 1e6, on * 1e6,
                (ratio - 1) * 100);
  std::fflush(stdout);
}

}  // namespace brio::cli
