#include "brio/backends/cuda/libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "brio/base/error.h"

namespace brio::cuda {
namespace {

namespace fs = std::filesystem;

// The folder `nvidia` of Python wheels, where this code is itself part of a package beside it; else empty.
fs::path wheels_beside_us() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&wheels_beside_us), &here) == 0 || !here.dli_fname) return {};
  return fs::path(here.dli_fname).parent_path().parent_path() / "nvidia";
}

using Folders = std::vector<fs::path>;

void add(Folders& folders, const fs::path& root) {
  std::error_code ignored;
  for (const char* sub : {"", "lib", "lib64"})
    if (fs::is_directory(root / sub, ignored)) folders.push_back(root / sub);
  if (root.filename() != "nvidia") return;
  for (fs::directory_iterator it(root, ignored), end; !ignored && it != end; it.increment(ignored))
    if (fs::is_directory(it->path() / "lib", ignored)) folders.push_back(it->path() / "lib");
}

// Before the system's: what BRIO_CUDA_PATH names (folders of libraries, or a folder `nvidia` of wheels, split by
// colons), and NVIDIA's Python wheels. Libraries are to be of one set: those of two releases do not always agree.
Folders chosen_folders() {
  Folders found;
  if (const char* paths = std::getenv("BRIO_CUDA_PATH")) {
    std::string_view rest = paths;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end != 0) add(found, fs::path(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  add(found, wheels_beside_us());
  return found;
}
// After it: the toolkit's.
Folders toolkit_folders() {
  Folders found;
  for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* path = std::getenv(home)) add(found, path);
  add(found, "/usr/local/cuda");
  return found;
}

void* open(const char* name) {
  constexpr int kHow = RTLD_NOW | RTLD_LOCAL;
  for (const fs::path& folder : chosen_folders())
    if (void* library = dlopen((folder / name).c_str(), kHow)) return library;
  if (void* library = dlopen(name, kHow)) return library;
  for (const fs::path& folder : toolkit_folders())
    if (void* library = dlopen((folder / name).c_str(), kHow)) return library;
  return nullptr;
}

void* open_or_throw(const char* name, const char* what) {
  if (void* library = open(name)) return library;
  std::string looked = "where the system keeps libraries";
  for (const Folders& folders : {chosen_folders(), toolkit_folders()})
    for (const fs::path& folder : folders) looked += cat(", ", folder.string());
  throw ResourceError(
      cat("[cuda] ", name, " (", what, ") was not found; looked in: ", looked,
          ". Install CUDA 13's, or `pip install 'brio[cuda]'`, or name its folder in BRIO_CUDA_PATH"));
}

void* symbol(void* library, const char* name) {
  if (void* function = dlsym(library, name)) return function;
  throw ResourceError(cat("[cuda] a library of NVIDIA's lacks the function ", name, ": it is too old for CUDA 13"));
}

#define BRIO_NAME(function) #function
#define BRIO_LOAD(function) \
  table.function = reinterpret_cast<decltype(table.function)>(symbol(library, BRIO_NAME(function)));

// What Brio was compiled with is what it asks for.
constexpr int kNeededDriver = 13000;

std::string find_obstacle() {
  // Without the driver's device file there is no GPU, and nothing to load.
  if (access("/dev/nvidiactl", F_OK) != 0) return "no NVIDIA driver is running on this machine";
  void* const library = open("libcuda.so.1");
  if (!library) return "the driver's library libcuda.so.1 was not found";
  const Driver& d = driver();
  if (const CUresult result = d.cuInit(0); result != CUDA_SUCCESS) {
    const char* text = nullptr;
    d.cuGetErrorString(result, &text);
    return cat("the driver does not start: ", text ? text : "unknown error");
  }
  int version = 0, count = 0;
  d.cuDriverGetVersion(&version);
  if (version < kNeededDriver)
    return cat("the driver is for CUDA ", version / 1000, ".", version % 1000 / 10,
               ", and 13.0 is needed: update it");
  if (d.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) return "the driver shows no GPU";
  return {};
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = [] {
    void* const library = open_or_throw("libcuda.so.1", "the driver's library");
    Driver table;
    BRIO_DRIVER_FUNCTIONS(BRIO_LOAD)
    return table;
  }();
  return loaded;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = [] {
    void* const library = open_or_throw("libnvrtc.so.13", "NVIDIA's run-time compiler");
    Nvrtc table;
    BRIO_NVRTC_FUNCTIONS(BRIO_LOAD)
    return table;
  }();
  return loaded;
}

const CublasLt& cublas() {
  static const CublasLt loaded = [] {
    void* const library = open_or_throw("libcublasLt.so.13", "NVIDIA's matrix products");
    CublasLt table;
    BRIO_CUBLASLT_FUNCTIONS(BRIO_LOAD)
    return table;
  }();
  return loaded;
}

const Cudnn& cudnn() {
  static const Cudnn loaded = [] {
    nvrtc();  // which it opens itself, by its name: the one that is there already is taken
    cublas();
    void* const library = open_or_throw("libcudnn.so.9", "NVIDIA's convolutions");
    Cudnn table;
    BRIO_CUDNN_FUNCTIONS(BRIO_LOAD)
    return table;
  }();
  return loaded;
}

const Nvjpeg& nvjpeg() {
  static const Nvjpeg loaded = [] {
    void* const library = open_or_throw("libnvjpeg.so.13", "NVIDIA's decoder of JPEGs");
    Nvjpeg table;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol(library, name));
    };
    load(table.get_property, "nvjpegGetProperty");
    load(table.create, "nvjpegCreateEx");
    load(table.destroy, "nvjpegDestroy");
    load(table.hardware_info, "nvjpegGetHardwareDecoderInfo");
    load(table.create_state, "nvjpegJpegStateCreate");
    load(table.create_stream, "nvjpegJpegStreamCreate");
    load(table.parse_header, "nvjpegJpegStreamParseHeader");
    load(table.batch_supports, "nvjpegDecodeBatchedSupported");
    load(table.begin_batch, "nvjpegDecodeBatchedInitialize");
    load(table.decode_batch, "nvjpegDecodeBatched");
    return table;
  }();
  return loaded;
}

std::string obstacle() {
  static const std::string found = find_obstacle();
  return found;
}

void throw_failed(CUresult result, std::string_view doing) {
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  const std::string message =
      cat("[cuda] ", doing, ": ", text ? text : "unknown error", " (", name ? name : "?", ")");
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw ResourceError(message);
  throw InternalError(message);
}
void throw_failed(cublasStatus_t status, std::string_view doing) {
  throw InternalError(cat("[cuda] ", doing, ": ", cublas().cublasLtGetStatusString(status)));
}
void throw_failed(cudnnStatus_t status, std::string_view doing) {
  char last[512] = "";
  cudnn().cudnnGetLastErrorString(last, sizeof(last));
  throw InternalError(cat("[cuda] ", doing, ": ", cudnn().cudnnGetErrorString(status), *last ? ": " : "", last));
}

std::string_view text_of(NvjpegStatus status) {
  constexpr std::string_view kTexts[] = {"success",
                                         "not started",
                                         "an argument is not valid",
                                         "a file is no good JPEG",
                                         "a file is of a kind that it does not decode",
                                         "no memory",
                                         "the device failed",
                                         "not for this device",
                                         "an error of its own",
                                         "this way to decode is not there",
                                         "a file ends too early"};
  const auto i = static_cast<size_t>(status);
  return i < std::size(kTexts) ? kTexts[i] : "an unknown error";
}

}  // namespace brio::cuda
