// The oneDNN library as this room uses it: one engine, no threads of its own, an instruction set that works.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <string>

namespace brio::cpu {

// While an object of this class lives, OpenMP regions of this thread have one thread; afterwards as many as before.
// Use one wherever a primitive is made or run: the library remembers the number from when it was made.
class OpenMpSingleThread {
 public:
  OpenMpSingleThread();
  ~OpenMpSingleThread();
  OpenMpSingleThread(const OpenMpSingleThread&) = delete;
  OpenMpSingleThread& operator=(const OpenMpSingleThread&) = delete;

 private:
  int before_;
};

// Empty if the library may be used for kernels of the current instruction set, otherwise the reason. The library
// fixes its own instruction set at its first use, so it serves only the one that was current then.
std::string onednn_unusable();

const dnnl::engine& onednn_engine();
const dnnl::stream& onednn_stream();  // one per thread

// Multiplies bfloat16 with instructions made for it.
bool onednn_has_bf16();

}  // namespace brio::cpu
