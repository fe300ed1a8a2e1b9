#include "brio/backends/cuda/compiler.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "brio/base/cache_folder.h"
#include "brio/base/error.h"

namespace brio::cuda {
namespace {

namespace fs = std::filesystem;

uint64_t hash_of(std::string_view text, uint64_t seed) {
  uint64_t h = seed;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h ^ h >> 29;
}

std::string hex(uint64_t word) {
  std::ostringstream out;
  out << std::hex << word;
  return out.str();
}

// A file of the cache: the program, a zero, its machine code, and the sum of that. Anything else counts as absent.
std::string read_cached(const fs::path& file, const std::string& program) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  std::string all((std::istreambuf_iterator<char>(in)), {});
  if (all.size() < program.size() + 1 + sizeof(uint64_t) || all.compare(0, program.size(), program) != 0) return {};
  std::string code = all.substr(program.size() + 1, all.size() - program.size() - 1 - sizeof(uint64_t));
  uint64_t sum = 0;
  std::copy_n(all.end() - sizeof(sum), sizeof(sum), reinterpret_cast<char*>(&sum));
  return sum == hash_of(code, 7) ? code : std::string();
}

// Written aside and renamed; a cache that cannot be written is none, and no error.
void write_cached(const fs::path& file, const std::string& program, const std::string& code) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const fs::path aside = file.string() + "." + std::to_string(getpid());
  std::ofstream out(aside, std::ios::binary);
  const uint64_t sum = hash_of(code, 7);
  out << program << '\0' << code;
  out.write(reinterpret_cast<const char*>(&sum), sizeof(sum));
  out.close();
  if (out) fs::rename(aside, file, failed);
  else failed = std::make_error_code(std::errc::io_error);
  if (failed) fs::remove(aside, failed);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

CUfunction Code::compiled() const {
  compiler_->compile_waiting();
  const CUfunction ready = function_.load(std::memory_order_acquire);
  BRIO_CHECK(ready, "no machine code for ", name_);
  return ready;
}

std::shared_ptr<const Code> Compiler::code(std::string_view label, std::string text, std::vector<std::string> parts,
                                           int effort) {
  const std::lock_guard lock(mutex_);
  std::string key = text;
  for (const std::string& part : parts) key += cat("\n", part);
  std::shared_ptr<Code>& code = known_[key];
  if (code) return code;
  code = std::make_shared<Code>();
  code->compiler_ = this;
  code->name_ = cat("brio_", label, "_", hex(hash_of(key, 0xcbf29ce484222325ull)));
  replace_all(text, "NAME", code->name_);
  code->text_ = std::move(text);
  code->parts_ = std::move(parts);
  code->effort_ = effort;
  waiting_.push_back(code);
  return code;
}

std::string Compiler::compile(const std::string& program, int capability) {
  const Nvrtc& n = nvrtc();
  nvrtcProgram handle = nullptr;
  BRIO_CHECK(n.nvrtcCreateProgram(&handle, program.c_str(), "brio.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS,
             "NVRTC takes no program");
  const std::string architecture = cat("--gpu-architecture=sm_", capability);
  // A product and a sum that were recorded apart are rounded apart; denormals count as zero, as on the host. Minimal:
  // without the names of the CUDA runtime, which no kernel uses and which take as long to read as a kernel does.
  const char* options[] = {architecture.c_str(), "--fmad=false", "--ftz=true", "--std=c++17", "--minimal"};
  const nvrtcResult result = n.nvrtcCompileProgram(handle, std::size(options), options);
  size_t bytes = 0;
  if (result != NVRTC_SUCCESS) {
    n.nvrtcGetProgramLogSize(handle, &bytes);
    std::string log(bytes, '\0');
    n.nvrtcGetProgramLog(handle, log.data());
    n.nvrtcDestroyProgram(&handle);
    BRIO_CHECK(false, "NVRTC: ", n.nvrtcGetErrorString(result), "\n", log, "\nin\n", program);
  }
  n.nvrtcGetCUBINSize(handle, &bytes);
  std::string code(bytes, '\0');
  n.nvrtcGetCUBIN(handle, code.data());
  n.nvrtcDestroyProgram(&handle);
  return code;
}

std::string Compiler::machine_code(const std::string& program) {
  int major = 0, minor = 0;
  nvrtc().nvrtcVersion(&major, &minor);
  const std::string keyed = cat("// sm_", capability_, ", NVRTC ", major, ".", minor, "\n", program);
  const fs::path folder = cache_folder();
  const fs::path file = folder / "cuda" / (hex(hash_of(keyed, 1)) + hex(hash_of(keyed, 2)) + ".kernels");
  if (!folder.empty())
    if (std::string code = read_cached(file, keyed); !code.empty()) return code;
  std::string code = compile(keyed, capability_);
  if (!folder.empty()) write_cached(file, keyed, code);
  return code;
}

// Kernels of the same parts stand together, so that a program holds few parts. The programs that take longest come
// first: whoever compiles one of them last would be waited for.
std::vector<Compiler::Program> Compiler::programs_of(std::vector<std::shared_ptr<Code>> codes) {
  std::ranges::stable_sort(codes, [](const auto& a, const auto& b) {
    return a->parts_ != b->parts_ ? a->parts_ < b->parts_ : a->effort_ > b->effort_;
  });
  struct Sized {
    Program program;
    int effort = 0;
  };
  std::vector<Sized> sized;
  for (const auto& code : codes) {
    if (sized.empty() || sized.back().effort + code->effort_ > Effort::program ||
        sized.back().program.back()->parts_ != code->parts_)
      sized.emplace_back();
    sized.back().program.push_back(code);
    sized.back().effort += code->effort_;
  }
  std::ranges::stable_sort(sized, std::greater<>{}, &Sized::effort);
  std::vector<Program> programs;
  for (Sized& each : sized) programs.push_back(std::move(each.program));
  return programs;
}

std::string Compiler::text_of(const Program& program) {
  std::string text(device_source("prelude"));
  for (const std::string& part : program[0]->parts_) text += device_source(part);
  for (const auto& code : program) text += cat("\n", code->text_);
  return text;
}

std::vector<std::string> Compiler::waiting_programs() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (const Program& program : programs_of(waiting_)) texts.push_back(text_of(program));
  return texts;
}

void Compiler::compile_waiting() {
  const std::lock_guard one_at_a_time(compiling_);
  std::vector<std::shared_ptr<Code>> codes;
  {
    const std::lock_guard lock(mutex_);
    codes.swap(waiting_);
  }
  if (codes.empty()) return;
  const std::vector<Program> programs = programs_of(codes);
  std::vector<std::string> machine(programs.size());
  std::vector<std::exception_ptr> errors(programs.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < programs.size(); i = next++) {
      try {
        machine[i] = machine_code(text_of(programs[i]));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> helpers;
  const size_t threads = std::min<size_t>({programs.size(), std::max(1u, std::thread::hardware_concurrency()), 16});
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();

  // Modules stay for as long as the process: their kernels may be under way, and they are small.
  for (size_t i = 0; i < programs.size(); ++i) {
    if (errors[i]) continue;
    CUmodule module = nullptr;
    check(driver().cuModuleLoadData(&module, machine[i].data()), "loading kernels");
    for (const auto& code : programs[i]) {
      CUfunction function = nullptr;
      check(driver().cuModuleGetFunction(&function, module, code->name_.c_str()), code->name_);
      code->function_.store(function, std::memory_order_release);
      code->text_ = {};
    }
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace brio::cuda
