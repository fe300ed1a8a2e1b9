// What a program of kernels and driver.cpp share: where the thread that runs is, and how it waits for others.
#pragma once

namespace brio::emulated {

constexpr unsigned kMostThreads = 1024;

enum class Waits { for_nobody, for_warp, for_block };
struct Place {
  unsigned x, y, z;
};

struct Block {
  Place thread, block, grid, threads;
  void (*wait)(Waits);
  unsigned number;  // of the thread that runs
  unsigned long long shown[kMostThreads];
  bool runs[kMostThreads];  // has not ended
};

}  // namespace brio::emulated
