// libnvrtc.so.13 for a machine without a GPU: the host's compiler makes a library of a program. Kernels that use
// tensor cores are no C++ and are refused.
#include <nvrtc.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <string>

namespace {

struct Program {
  std::string text, library, log;
};
Program& program(nvrtcProgram handle) { return *reinterpret_cast<Program*>(handle); }

// Instructions of prelude.cuh, each as C++.
constexpr const char* kInstructions[][2] = {
    {R"(asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits)))", "y = emulated_from_f16(x.bits)"},
    {R"(asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)))", "y.bits = emulated_to_f16(x)"},
    {R"(asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x)))", "y.bits = emulated_to_bf16(x)"},
    {R"(asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(x)))", "pair = emulated_to_f16(x)"},
    {R"(asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x), "f"(0.0f)))",
     "pair = static_cast<u32>(emulated_to_bf16(x)) << 16"},
    {R"(asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)))", "y = exp2f(x)"},
    {R"(asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)))", "y = 1.0f / x"},
};

std::string as_cpp(std::string text) {
  for (const auto& [instruction, cpp] : kInstructions)
    for (size_t at = text.find(instruction); at != std::string::npos; at = text.find(instruction, at))
      text.replace(at, std::strlen(instruction), cpp);
  const std::regex kernel(R"(__global__[^{;]*?\b(brio_\w+)\()");
  std::string calls;
  for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it)
    calls += "extern \"C\" void call_" + (*it)[1].str() + "(void** a) { call_with(&" + (*it)[1].str() + ", a); }\n";
  return "#include \"kernel.h\"\n" + text + "\n" + calls;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 999;  // a part of the key of the cache on disk
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* made, const char* text, const char*, int, const char* const*,
                               const char* const*) {
  *made = reinterpret_cast<nvrtcProgram>(new Program{text, {}, {}});
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* made) {
  delete &program(*made);
  *made = nullptr;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int, const char* const*) {
  Program& p = program(handle);
  const char* const cache = std::getenv("BRIO_CACHE");
  const std::filesystem::path folder = std::filesystem::path(cache ? cache : "/tmp") / "emulated";
  std::filesystem::create_directories(folder);
  const std::string text = as_cpp(p.text);
  const std::string base = (folder / std::to_string(std::hash<std::string>()(text))).string();
  std::ofstream(base + ".cpp") << text;
  p.library = base + ".so";
  const std::string command = "c++ -O1 -fPIC -shared -std=gnu++17 -ffp-contract=off -w -I" EMULATED_GPU_SOURCES
                              " -o " +
                              p.library + " " + base + ".cpp > " + base + ".log 2>&1";
  if (std::system(command.c_str()) == 0) return NVRTC_SUCCESS;
  std::ifstream log(base + ".log");
  p.log = std::string(std::istreambuf_iterator<char>(log), {}).substr(0, 2000);
  return NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram handle, size_t* bytes) {
  *bytes = program(handle).library.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram handle, char* code) {
  std::strcpy(code, program(handle).library.c_str());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram handle, size_t* bytes) {
  *bytes = program(handle).log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram handle, char* log) {
  std::strcpy(log, program(handle).log.c_str());
  return NVRTC_SUCCESS;
}
const char* nvrtcGetErrorString(nvrtcResult) { return "the host's compiler refuses a program"; }

}  // extern "C"
