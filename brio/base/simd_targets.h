// The instruction sets that kernels are compiled for. Include before <hwy/foreach_target.h>.
// SSSE3 is left out: a CPU that has it but no SSE4 is rare enough to run the portable code.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
