#include "brio/backends/cpu/onednn.h"

#include <dlfcn.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "brio/backends/cpu/gemm/gemm_kernels.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// Found at run time, so that Brio itself links no OpenMP; the library brings it.
struct OpenMp {
  int (*get_max_threads)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  void (*set_num_threads)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
};
const OpenMp& openmp() {
  static const OpenMp functions;
  return functions;
}

// Some virtual machines advertise AMX but hide the description of its tiles; the library's AMX kernels then crash.
bool amx_is_broken() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned amx_tile = 1u << 24;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & amx_tile)) return false;
  return !__get_cpuid_count(0x1d, 1, &a, &b, &c, &d) || (a | b | c | d) == 0;
#else
  return false;
#endif
}

struct OneDnn {
  std::string target = gemm_target_facts().name;
  bool usable = target != "scalar";
  dnnl::engine engine;

  OneDnn() {
    // Must come before anything else is asked of the library.
    dnnl::cpu_isa isa = dnnl::cpu_isa::all;
    if (target == "avx2") isa = dnnl::cpu_isa::avx2;
    else if (target == "sse4") isa = dnnl::cpu_isa::sse41;
    else if (amx_is_broken()) isa = dnnl::cpu_isa::avx512_core_bf16;
    if (isa != dnnl::cpu_isa::all && dnnl::set_max_cpu_isa(isa) != dnnl::status::success) usable = false;
    OpenMpSingleThread scope;
    engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
  }
};
const OneDnn& onednn_library() {
  static const OneDnn instance;
  return instance;
}

}  // namespace

OpenMpSingleThread::OpenMpSingleThread() : before_(openmp().get_max_threads ? openmp().get_max_threads() : 1) {
  if (before_ != 1) openmp().set_num_threads(1);
}
OpenMpSingleThread::~OpenMpSingleThread() {
  if (before_ != 1) openmp().set_num_threads(before_);
}

std::string onednn_unusable() {
  const OneDnn& lib = onednn_library();
  const char* target = gemm_target_facts().name;
  if (lib.target != target) return cat("onednn: was started for ", lib.target, ", not for ", target);
  if (!lib.usable) return cat("onednn: cannot be limited to ", target);
  return {};
}

const dnnl::engine& onednn_engine() { return onednn_library().engine; }

const dnnl::stream& onednn_stream() {
  thread_local const dnnl::stream stream(onednn_engine());
  return stream;
}

bool onednn_has_bf16() {
  const int bf16 = static_cast<int>(dnnl_cpu_isa_avx512_core_bf16);
  onednn_library();
  return (static_cast<int>(dnnl_get_effective_cpu_isa()) & bf16) == bf16;
}

}  // namespace brio::cpu
