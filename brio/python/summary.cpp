// What event files need of C++: the checksum of a record.
#include "brio/formats/crc32c.h"
#include "brio/python/bind.h"

namespace brio::python {

void bind_summary(nb::module_& m) {
  m.def("_masked_crc32c", [](nb::bytes bytes) {
    return formats::masked_crc32c(std::string_view(bytes.c_str(), bytes.size()));
  });
}

}  // namespace brio::python
