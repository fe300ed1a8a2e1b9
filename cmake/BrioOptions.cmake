# Flags that every room, test and tool is built with. Never -march=native: one binary serves every x86-64 CPU.
option(BRIO_ASAN "build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(BRIO_TSAN "build with ThreadSanitizer" OFF)
option(BRIO_FUZZ "build for libFuzzer with both of BRIO_ASAN; needs clang" OFF)
option(BRIO_COVERAGE "count what runs in brio/ops, for scripts/coverage" OFF)

add_library(brio_options INTERFACE)
# -ffp-contract=off: a multiply and an add that were recorded apart are rounded apart, fused or not.
target_compile_options(brio_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror -ffp-contract=off)
# GCC is the judge of warnings: clang knows no ivdep, and calls a name a shadow where GCC does not.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(brio_options INTERFACE -Wno-unknown-pragmas -Wno-unknown-warning-option -Wno-shadow)
endif()
if(BRIO_ASAN)
  # Not of null pointers: AddressSanitizer stops there as well, and these checks are a fifth of the compiler's work.
  target_compile_options(brio_options INTERFACE -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(brio_options INTERFACE -fsanitize=address,undefined)
endif()
if(BRIO_TSAN)
  # GCC 12 takes the optionals of a slice for uninitialised once ThreadSanitizer's calls stand between.
  target_compile_options(brio_options INTERFACE -fsanitize=thread -Wno-maybe-uninitialized)
  target_link_options(brio_options INTERFACE -fsanitize=thread)
endif()
if(BRIO_ASAN OR BRIO_TSAN)
  # Unrolled kernels, a check at each access: an optimizer takes minutes for one of these sources, and seconds without.
  foreach(kernels convolution/conv_pool_kernels fft/fft_rows kernels/attention_kernels kernels/lstm_gates_kernels
                  kernels/random_fill kernels/reduce_kernels kernels/softmax_cross_entropy tiles/tile_functions)
    set_source_files_properties(brio/backends/cpu/${kernels}.cpp PROPERTIES COMPILE_OPTIONS "-O0")
  endforeach()
  # Tests that train would wait for products. They keep the optimizer and the checks of memory, not those of UBSan.
  set_source_files_properties(brio/backends/cpu/gemm/gemm_small.cpp brio/backends/cpu/gemm/gemm_blocked.cpp
                              PROPERTIES COMPILE_OPTIONS "-fno-sanitize=undefined;-fno-var-tracking")
endif()
if(BRIO_FUZZ)
  target_compile_options(brio_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(brio_options INTERFACE -fsanitize=address,undefined)
  # Kernels see no file, and take many minutes to compile with the checks.
  file(GLOB_RECURSE kernels "${PROJECT_SOURCE_DIR}/brio/backends/cpu/*.cpp")
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=undefined")
endif()
