#include "brio/python/user_line.h"

#include <string_view>

#include "brio/base/error.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

bool is_ours(std::string_view file) {
  return file.find("/brio/") != std::string_view::npos && file.find("site-packages") == std::string_view::npos
             ? file.find("/python/brio/") != std::string_view::npos
             : file.find("site-packages/brio/") != std::string_view::npos;
}

}  // namespace

std::string user_line() {
  PyFrameObject* frame = PyEval_GetFrame();  // borrowed
  nb::object held = frame ? nb::borrow(reinterpret_cast<PyObject*>(frame)) : nb::object();
  for (int depth = 0; held.is_valid() && depth < 32; ++depth) {
    auto* const now = reinterpret_cast<PyFrameObject*>(held.ptr());
    const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(now)));
    Py_ssize_t size = 0;
    const nb::object name = code.attr("co_filename");
    const char* file = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (!file) {
      PyErr_Clear();
      return {};
    }
    const std::string_view path(file, static_cast<size_t>(size));
    if (!is_ours(path)) return cat(path.substr(path.find_last_of('/') + 1), ":", PyFrame_GetLineNumber(now));
    PyFrameObject* const back = PyFrame_GetBack(now);
    held = back ? nb::steal(reinterpret_cast<PyObject*>(back)) : nb::object();
  }
  return {};
}

void LineCounter::look() {
  if (const std::string line = user_line(); !line.empty()) profile::count(profile::row_of(kind_, line), 0);
}

}  // namespace brio::python
