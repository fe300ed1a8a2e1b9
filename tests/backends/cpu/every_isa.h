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

// The same for kernels that Highway dispatches by itself: under every instruction set that the build knows.
template <typename F>
void for_each_target(F&& f) {
  for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets; targets &= targets - 1) {
    const int64_t target = targets & -targets;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    f();
    if (testing::Test::HasFatalFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace brio::cpu
