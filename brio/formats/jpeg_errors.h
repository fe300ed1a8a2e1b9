// libjpeg's errors as a longjmp to who called it. What runs under guarded() holds no object with a destructor.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// libjpeg's header needs size_t and FILE.
#include <jpeglib.h>

namespace brio::formats {

struct JpegErrors {
  jpeg_error_mgr manager{};  // first: libjpeg's pointer to it is a pointer to this
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX]{};
  char warning[JMSG_LENGTH_MAX]{};
  bool warnings_are_errors = false;

  JpegErrors() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr info) {
      auto* self = reinterpret_cast<JpegErrors*>(info->err);
      self->manager.format_message(info, self->message);
      std::longjmp(self->jump, 1);
    };
    manager.output_message = [](j_common_ptr) {};  // nothing goes to stderr
    manager.emit_message = [](j_common_ptr info, int level) {
      auto* self = reinterpret_cast<JpegErrors*>(info->err);
      if (level >= 0) return;  // a trace
      if (self->warnings_are_errors) self->manager.error_exit(info);
      if (self->manager.num_warnings++ == 0) self->manager.format_message(info, self->warning);
    };
  }
  JpegErrors(const JpegErrors&) = delete;
  JpegErrors& operator=(const JpegErrors&) = delete;

  // False where libjpeg gave up; `message` says why then.
  template <typename Body>
  bool guarded(const Body& body) {
    if (setjmp(jump)) return false;
    body();
    return true;
  }
};

}  // namespace brio::formats
