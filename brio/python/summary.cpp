// What files that Python writes need of C++: checksums, and names beside others.
#include "brio/formats/crc32c.h"
#include "brio/formats/file.h"
#include "brio/python/bind.h"

namespace brio::python {

void bind_summary(nb::module_& m) {
  // Of anything that has a buffer of bytes, after bytes of the checksum `before`.
  m.def(
      "_crc32c",
      [](nb::handle bytes, uint32_t before) {
        Py_buffer view;
        if (PyObject_GetBuffer(bytes.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
        uint32_t crc = 0;
        {
          const Unlocked release;
          crc = formats::crc32c({static_cast<const char*>(view.buf), static_cast<size_t>(view.len)}, before);
        }
        PyBuffer_Release(&view);
        return crc;
      },
      nb::arg("bytes"), nb::arg("before") = 0);
  // A locked file beside `path` to write to, (path, descriptor); see brio/formats/file.h.
  m.def("_file_aside", [](const std::string& path) {
    const formats::FileAside file = formats::make_file_aside(path);
    return nb::make_tuple(nb::steal(PyUnicode_DecodeFSDefault(file.path.c_str())), file.fd);
  });
  m.def("_masked_crc32c",
        [](nb::bytes bytes) { return formats::masked_crc32c(std::string_view(bytes.c_str(), bytes.size())); });
}

}  // namespace brio::python
