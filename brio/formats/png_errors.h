// libpng's errors as a longjmp to who called it. What runs under guarded() holds no object with a destructor.
#pragma once

#include <png.h>

#include <csetjmp>
#include <cstring>

namespace brio::formats {

struct PngErrors {
  std::jmp_buf jump{};
  char message[128]{};

  // To be given to libpng with this object as its pointer.
  static void fail(png_structp png, png_const_charp text) {
    auto* self = static_cast<PngErrors*>(png_get_error_ptr(png));
    std::strncpy(self->message, text, sizeof self->message - 1);
    std::longjmp(self->jump, 1);
  }
  static void ignore(png_structp, png_const_charp) {}  // warnings are of chunks that say nothing of the pixels

  template <typename Body>
  bool guarded(const Body& body) {
    if (setjmp(jump)) return false;
    body();
    return true;
  }
};

}  // namespace brio::formats
