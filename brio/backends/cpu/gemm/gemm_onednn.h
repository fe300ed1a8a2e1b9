// Products through oneDNN: f32, and bf16 where the CPU multiplies it. Private to this room.
#pragma once

#include <memory>
#include <string>

#include "brio/backends/cpu/gemm/gemm_run.h"

namespace brio::cpu {

// Null, with the reason in `why`, when the library cannot do the problem or only by its reference code.
std::unique_ptr<Gemm> make_onednn_gemm(const GemmProblem& problem, GemmCut cut, std::string& why);

}  // namespace brio::cpu
