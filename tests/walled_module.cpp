// The walled device, for tests in Python: a part of brio._core in this build tree, and never of what is installed.
//
//   brio._core._walled_device(0)       "walled:0" is there from now on
//   brio._core._stray_accesses()       where the host touched its memory; "" if it never did
//   BRIO_DEVICE=walled:0 pytest …      everything on it
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string_view>

#include "tests/walled_device.h"

namespace brio::python {

void bind_test_devices(nanobind::module_& m) {
  m.def("_walled_device", [](int number) { return std::string(test::walled_device(number).name()); });
  m.def("_stray_accesses", [] { return test::stray_accesses(); });
  if (const char* device = std::getenv("BRIO_DEVICE"); device && std::string_view(device).starts_with("walled"))
    for (const int number : {0, 1}) test::walled_device(number);
}

}  // namespace brio::python
