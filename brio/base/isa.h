// Which instruction set the CPU kernels use. It is found at run time; BRIO_ISA=portable|sse4|avx2|avx512 caps
// it, for tests and for replaying a run that another machine made.
#pragma once

#include <cstddef>
#include <string_view>

namespace brio {

// Reads BRIO_ISA once and limits every later kernel look-up. Cheap after the first call; safe from any
// thread. Throws InvalidArgument when BRIO_ISA names no instruction set.
void apply_isa_cap();

// A number for the instruction set in use; 0 before the first look-up.
size_t isa_in_use();

// The instruction set that kernels looked up now will use: "portable", "sse4", "avx2" or "avx512".
std::string_view isa_name();

}  // namespace brio
