// brio_fuzz --seconds N [--seed FIRST]: random graphs until the time is over or one fails.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/check_sizes.h"

int main(int argc, char** argv) {
  double seconds = 60;
  uint64_t seed = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seconds") seconds = std::atof(argv[i + 1]);
    else if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    else return std::fprintf(stderr, "usage: brio_fuzz [--seconds N] [--seed FIRST]\n"), 2;
  }
  std::printf("first seed %llu\n", static_cast<unsigned long long>(seed));
  const auto start = std::chrono::steady_clock::now();
  uint64_t graphs = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
    std::string problem = brio::fuzz::check(seed);
    if (problem.empty()) problem = brio::fuzz::check_sizes(seed).problem;
    ++seed;
    if (!problem.empty()) {
      std::printf("%s\n", problem.c_str());
      return 1;
    }
    if (++graphs % 1000 == 0) {
      std::printf("\r%llu graphs agree", static_cast<unsigned long long>(graphs));
      std::fflush(stdout);
    }
  }
  std::printf("\r%llu graphs agree\n", static_cast<unsigned long long>(graphs));
}
