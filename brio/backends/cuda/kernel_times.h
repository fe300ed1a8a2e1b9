// BRIO_CUDA_TIMES=1: every kernel is waited for and timed by itself, and a table is printed when the program ends.
// For looking at one's own kernels: a run takes longer so, and its kernels do not overlap.
#pragma once

#include <string>

namespace brio::cuda {

bool times_kernels();
void count_kernel(const std::string& name, double seconds);

}  // namespace brio::cuda
