// Runs a body once for every instruction set that this machine has, best last.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <hwy/highway.h>

#include "brio/base/isa.h"

namespace brio::cpu {

template <typename Body>
void on_every_isa(Body&& body) {
  apply_isa_cap();
  const int64_t available = hwy::SupportedTargets();
  for (int64_t target : {int64_t{HWY_SCALAR}, int64_t{HWY_SSE4}, int64_t{HWY_AVX2}, int64_t{HWY_AVX3}}) {
    if (target != HWY_SCALAR && !(available & target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(std::string("instruction set ") + std::string(isa_name()));
    body();
  }
  hwy::SetSupportedTargetsForTest(available);
}

}  // namespace brio::cpu
