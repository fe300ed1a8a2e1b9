#include "brio/backends/cpu/linear_algebra/lapack.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// Debian's build with POSIX threads: the one that may be called from several threads at once (the one without any has
// no locks and gives wrong results then).
constexpr const char* kNames[] = {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", "libopenblas.so.0"};
constexpr int kBuiltWithThreads = 1;

// While it lives the calling thread may use one CPU alone. A library that counts CPUs when it is loaded then starts
// no threads of its own.
class OneCpu {
 public:
  OneCpu() : changed_(sched_getaffinity(0, sizeof before_, &before_) == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(std::max(0, sched_getcpu())), &one);
    changed_ = changed_ && sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OneCpu() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

 private:
  cpu_set_t before_;
  bool changed_;
};

bool made_by_amd() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0, &a, &b, &c, &d) && std::memcmp(&c, "cAMD", 4) == 0;
}

// While it lives OpenBLAS, which asks the environment when it is loaded, takes its 256-bit kernels on AMD's
// processors. Its 512-bit ones do the work in halves there and lose up to 1.6 times on matrices of a few hundred rows
// (docs/decisions/linear-algebra.md). What the user has set stands.
class FittingKernels {
 public:
  FittingKernels() : changed_(made_by_amd() && !std::getenv(kVariable) && setenv(kVariable, "Zen", 0) == 0) {}
  ~FittingKernels() {
    if (changed_) unsetenv(kVariable);
  }
  FittingKernels(const FittingKernels&) = delete;
  FittingKernels& operator=(const FittingKernels&) = delete;

 private:
  static constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  bool changed_;
};

struct Library {
  std::string unusable;
  Lapack<float> of_float{};
  Lapack<double> of_double{};

  Library() {
    void* handle = nullptr;
    {
      const OneCpu one_cpu;
      const FittingKernels kernels;
      for (const char* name : kNames)
        if (!handle) handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
    if (!handle) {
      unusable = "lapack: libopenblas.so.0 is not there; on Debian, apt-get install libopenblas0-pthread";
      return;
    }
    const auto kind = reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_parallel"));
    const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
    if (!kind || !set_threads || kind() != kBuiltWithThreads) {
      unusable =
          "lapack: libopenblas.so.0 is not built with POSIX threads; on Debian, apt-get install libopenblas0-pthread";
      return;
    }
    set_threads(1);  // Brio's pool shares the batch out; and one thread gives the same bits whichever runs it
    find_all(handle, 's', of_float);
    find_all(handle, 'd', of_double);
  }

  template <typename T>
  void find_all(void* handle, char kind, Lapack<T>& f) {
    const auto find = [&](auto*& function, const char* name) {
      const std::string symbol = cat(std::string(1, kind), name, "_");
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol.c_str()));
      if (!function) unusable = cat("lapack: the libopenblas.so.0 that is there has no ", symbol);
    };
    find(f.potrf, "potrf");
    find(f.getrf, "getrf");
    find(f.getrs, "getrs");
    find(f.getri, "getri");
    find(f.trsm, "trsm");
    find(f.trsv, "trsv");
    find(f.geqrf, "geqrf");
    find(f.orgqr, "orgqr");
    find(f.geqrt, "geqrt");
    find(f.larfb, "larfb");
    find(f.gesdd, "gesdd");
    find(f.syevd, "syevd");
  }
};
const Library& library() {
  static const Library instance;
  return instance;
}

}  // namespace

const std::string& lapack_unusable() { return library().unusable; }
template <>
const Lapack<float>& lapack<float>() {
  return library().of_float;
}
template <>
const Lapack<double>& lapack<double>() {
  return library().of_double;
}

}  // namespace brio::cpu
