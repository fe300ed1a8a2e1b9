// A device that keeps the core honest: the host cannot touch its memory, and it runs behind the host, on threads of
// its own, with small delays. Its kernels are the host's. Handed-out addresses lie in a range without access; kernels
// see the same pages at a fixed distance. Host code that touches them fails the test that it runs in, by name.
//
//   BRIO_DEVICE=walled:0 test_nn            everything on it
//   BRIO_WALLED_LACKS=gather,matmul …       without these kernels: the host has to help
#pragma once

#include "brio/runtime/backend.h"

namespace brio::test {

Device& walled_device(int number);  // made at the first call: "walled:0", "walled:1"
// How often the host touched walled memory since the last call, and where first; empty: never.
std::string stray_accesses();

}  // namespace brio::test
