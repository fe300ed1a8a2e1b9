// Kernels are text, compiled at run time by NVRTC for the device at hand and kept in a cache on disk. Those that are
// asked for before the first of them runs are compiled together, in programs of about the same effort: reading a
// program takes some 20 ms whatever is in it, one program after the other; what follows runs on all cores.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "brio/backends/cuda/libraries.h"

namespace brio::cuda {

class Compiler;

// What a kernel takes to be compiled, beside the reading of its program: in units of some 25 ms, a plain loop's.
struct Effort {
  static constexpr int loop = 1, fold = 3, usual = 4, program = 16;  // `program`: of as many as are put together
};

// One kernel. Immutable to those who launch it.
class Code {
 public:
  CUfunction function() const {  // waits for the compiler where it must
    CUfunction ready = function_.load(std::memory_order_acquire);
    return ready ? ready : compiled();
  }
  const std::string& name() const { return name_; }

 private:
  friend class Compiler;
  CUfunction compiled() const;

  Compiler* compiler_ = nullptr;
  std::string name_, text_;
  std::vector<std::string> parts_;
  int effort_ = Effort::usual;
  mutable std::atomic<CUfunction> function_{nullptr};
};

// A file of brio/backends/cuda/device, by its name without the ending; throws InternalError.
std::string_view device_source(std::string_view name);

class Compiler {
 public:
  explicit Compiler(int capability) : capability_(capability) {}

  // The kernel that `text` defines. In it NAME stands for the kernel's own name. `parts` are files of device/ that it
  // uses beside prelude.cuh, in the order in which they have to stand.
  std::shared_ptr<const Code> code(std::string_view label, std::string text, std::vector<std::string> parts,
                                   int effort = Effort::usual);

  // The programs that would be compiled now, in this order.
  std::vector<std::string> waiting_programs() const;

  // Machine code of a program for a device of this capability; needs no device. Throws InternalError with the log.
  static std::string compile(const std::string& program, int capability);

 private:
  friend class Code;
  using Program = std::vector<std::shared_ptr<Code>>;
  static std::vector<Program> programs_of(std::vector<std::shared_ptr<Code>> codes);
  static std::string text_of(const Program& program);
  void compile_waiting();
  std::string machine_code(const std::string& program);  // from disk, or compiled and put there

  const int capability_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Code>> known_;  // by text
  std::vector<std::shared_ptr<Code>> waiting_;
  std::mutex compiling_;
};

}  // namespace brio::cuda
