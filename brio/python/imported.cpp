#include "brio/python/imported.h"

#include <iterator>

namespace brio::python {
namespace {

struct Row {
  Imported which;
  const char* name;
};
constexpr Row kRows[] = {
    {Imported::atexit, "atexit"},
    {Imported::builtins, "builtins"},
    {Imported::inspect, "inspect"},
    {Imported::sys, "sys"},
    {Imported::weakref, "weakref"},
    {Imported::numpy, "numpy"},
    {Imported::errors, "brio.errors"},
    {Imported::function, "brio._function"},
    {Imported::numpy_dtypes, "brio.experimental.numpy._dtypes"},
    {Imported::numpy_helpers, "brio._numpy"},
    {Imported::shape, "brio._shape"},
    {Imported::variable_methods, "brio._variable_methods"},
};

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].which != static_cast<Imported>(i)) return false;
  return true;
}
static_assert(in_order());

}  // namespace

nanobind::module_ imported(Imported which) {
  return nanobind::module_::import_(kRows[static_cast<size_t>(which)].name);
}

}  // namespace brio::python
