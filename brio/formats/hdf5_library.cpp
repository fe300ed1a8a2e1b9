#include "brio/formats/hdf5_library.h"

#include <dlfcn.h>

#include <string>

#include "brio/base/error.h"

namespace brio::formats {
namespace {

// As Debian and others name the library of one thread, newest last form first: 1.10, 1.12, 1.14.
constexpr const char* kLibraryNames[] = {
    "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103", "libhdf5.so.200",
    "libhdf5.so.310",        "libhdf5_serial.so",     "libhdf5.so"};
constexpr Hdf5Id kDefaultList = 0;

struct Loaded {
  Hdf5Library library;
  std::string unusable;

  Loaded() {
    void* handle = nullptr;
    for (const char* name : kLibraryNames)
      if (!handle) handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
      unusable = "libhdf5 is not there";
      return;
    }
    const auto find = [&](auto*& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      if (!function) unusable = cat("the libhdf5 that is there has no ", name);
    };
#define BRIO_HDF5_FIND(result, name, arguments) find(library.name, #name);
    BRIO_HDF5_FUNCTIONS(BRIO_HDF5_FIND)
#undef BRIO_HDF5_FIND
    if (!unusable.empty()) return;
    if (library.H5open() < 0 || library.H5Eset_auto2(kDefaultList, nullptr, nullptr) < 0) {
      unusable = "the libhdf5 that is there cannot be opened";
      return;
    }
    const auto read = [&](Hdf5Id& number, const char* name) {
      const auto* at = static_cast<const Hdf5Id*>(dlsym(handle, name));
      if (at) number = *at;
      else unusable = cat("the libhdf5 that is there has no ", name);
    };
#define BRIO_HDF5_FIND(name) read(library.name, #name);
    BRIO_HDF5_NUMBERS(BRIO_HDF5_FIND)
#undef BRIO_HDF5_FIND
  }
};

}  // namespace

const Hdf5Library& hdf5_library() {
  static const auto* const loaded = new Loaded();
  if (!loaded->unusable.empty())
    throw ResourceError(cat("HDF5 files (.keras, .h5) cannot be read or written: ", loaded->unusable,
                            "; on Debian, apt-get install libhdf5-dev. safetensors files need no library"));
  return loaded->library;
}

}  // namespace brio::formats
