#include "brio/backends/cuda/product_tuning.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "brio/base/cache_folder.h"
#include "brio/base/error.h"

namespace brio::cuda {
namespace {

namespace fs = std::filesystem;

// Memory that is gone after the trial, not kept for others: operands are as large as they are.
class TrialMemory {
 public:
  explicit TrialMemory(size_t bytes) {
    if (bytes != 0 && driver().cuMemAlloc(&data_, bytes) != CUDA_SUCCESS) data_ = 0;
  }
  ~TrialMemory() {
    if (data_) driver().cuMemFree(data_);
  }
  TrialMemory(const TrialMemory&) = delete;
  CUdeviceptr address() const { return data_; }
  void* pointer() const { return reinterpret_cast<void*>(data_); }

 private:
  CUdeviceptr data_ = 0;
};

// Numbers of any sign around 1/16, as f16, bf16 and f32 alike: words of 32 bits, of which each half is such a number.
// A product of zeros takes less power, and so less time, than one of numbers that differ.
std::vector<uint32_t> some_words() {
  std::vector<uint32_t> words(size_t{1} << 20);
  uint64_t state = 0x9e3779b97f4a7c15ull;
  for (uint32_t& word : words) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    word = (static_cast<uint32_t>(state) & 0x83ff83ffu) | 0x2c002c00u;
  }
  return words;
}

class Trial {
 public:
  Trial(CudaDevice& device, const ProductTrial& trial)
      : device_(device),
        trial_(trial),
        first_(trial.first_bytes),
        second_(trial.second_bytes),
        result_(trial.result_bytes),
        bias_(trial.bias_bytes),
        scratch_(scratch_bytes()) {
    check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
    for (CUevent* event : {&before_, &after_})
      check(driver().cuEventCreate(event, CU_EVENT_DEFAULT), "making an event");
  }
  ~Trial() {
    driver().cuStreamSynchronize(stream_);
    for (CUevent event : {before_, after_}) driver().cuEventDestroy(event);
    driver().cuStreamDestroy(stream_);
  }
  Trial(const Trial&) = delete;

  bool has_memory() const {
    return first_.address() && second_.address() && result_.address() &&
           (trial_.bias_bytes == 0 || bias_.address()) && (scratch_bytes() == 0 || scratch_.address());
  }
  // Microseconds of each way; those whose bits are others have none.
  size_t run() {
    fill(first_, trial_.first_bytes);
    fill(second_, trial_.second_bytes);
    if (trial_.bias_bytes != 0) {
      fill(bias_, trial_.bias_bytes);
      const void* const bias = bias_.pointer();
      check(cublas().cublasLtMatmulDescSetAttribute(trial_.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                                    sizeof(bias)),
            "adding a bias");
    }
    std::vector<size_t> equal;
    const std::vector<char> expected = some_bits_of(0);
    if (expected.empty()) return 0;
    for (size_t i = 0; i < trial_.ways.size(); ++i)
      if (i == 0 || some_bits_of(i) == expected) equal.push_back(i);
    std::vector<float> best(trial_.ways.size(), 1e30f);
    if (equal.size() > 1)
      for (int round = 0; round < 4; ++round)  // in turns: clocks change
        for (size_t i : equal) best[i] = std::min(best[i], time_of(i));
    // A difference that is no more than noise is no reason.
    const auto quickest = static_cast<size_t>(std::ranges::min_element(best) - best.begin());
    return best[quickest] < 0.98f * best[0] ? quickest : 0;
  }

 private:
  size_t scratch_bytes() const {
    size_t most = 0;
    for (const auto& way : trial_.ways) most = std::max(most, way.workspaceSize);
    return most;
  }
  void fill(const TrialMemory& memory, size_t bytes) const {
    static const std::vector<uint32_t> words = some_words();
    size_t done = std::min(bytes, words.size() * sizeof(uint32_t));
    check(driver().cuMemcpyHtoDAsync(memory.address(), words.data(), done, stream_), "filling memory");
    for (; done < bytes; done = std::min(bytes, 2 * done))
      check(driver().cuMemcpyDtoDAsync(memory.address() + done, memory.address(), std::min(done, bytes - done),
                                       stream_),
            "filling memory");
  }
  bool start(size_t i) const {
    const float one[2] = {1, 0}, zero[2] = {0, 0};
    const auto& way = trial_.ways[i];
    return cublas().cublasLtMatmul(device_.products(), trial_.operation, one, first_.pointer(), trial_.first,
                                   second_.pointer(), trial_.second, trial_.adds ? one : zero, result_.pointer(),
                                   trial_.result, result_.pointer(), trial_.result, &way.algo, scratch_.pointer(),
                                   way.workspaceSize, stream_) == CUBLAS_STATUS_SUCCESS;
  }
  // Pieces of the result, from all over it: tiles at the end may be computed otherwise than those before.
  std::vector<char> some_bits_of(size_t i) const {
    constexpr size_t kPieces = 16384, kPiece = 64;
    check(driver().cuMemsetD8Async(result_.address(), 0x3c, trial_.result_bytes, stream_), "clearing memory");
    if (!start(i)) return {};
    if (trial_.adds && !start(i)) return {};  // onto what the first made
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = result_.address();
    copy.srcPitch = std::max(kPiece, trial_.result_bytes / kPieces / kPiece * kPiece);
    copy.WidthInBytes = kPiece;
    copy.Height = trial_.result_bytes / copy.srcPitch;
    std::vector<char> bits(copy.Height * kPiece);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = bits.data();
    copy.dstPitch = kPiece;
    check(driver().cuMemcpy2DAsync(&copy, stream_), "reading a product");
    check(driver().cuStreamSynchronize(stream_), "trying a product");
    return bits;
  }
  float time_of(size_t i) const {
    constexpr int kRuns = 3;
    check(driver().cuEventRecord(before_, stream_), "timing a product");
    for (int run = 0; run < kRuns; ++run)
      if (!start(i)) return 1e30f;
    check(driver().cuEventRecord(after_, stream_), "timing a product");
    check(driver().cuEventSynchronize(after_), "timing a product");
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, before_, after_), "timing a product");
    return milliseconds * 1000 / kRuns;
  }

  CudaDevice& device_;
  const ProductTrial& trial_;
  const TrialMemory first_, second_, result_, bias_, scratch_;
  CUstream stream_ = nullptr;
  CUevent before_ = nullptr, after_ = nullptr;
};

// Ways by names, of this process and of those before it: a line of the file for each.
class Choices {
 public:
  explicit Choices(fs::path file) : file_(std::move(file)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      const size_t space = line.rfind(' ');
      if (space == line.npos || space + 2 != line.size()) continue;  // a digit
      const int way = line[space + 1] - '0';
      if (way >= 0 && way < kProductWays) known_[line.substr(0, space)] = static_cast<size_t>(way);
    }
  }
  const size_t* find(const std::string& name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : &found->second;
  }
  void add(const std::string& name, size_t way) {
    known_[name] = way;
    if (file_.empty()) return;
    std::error_code failed;  // what cannot be written is measured again
    fs::create_directories(file_.parent_path(), failed);
    std::ofstream(file_, std::ios::app) << cat(name, " ", way, "\n");
  }

 private:
  const fs::path file_;
  std::map<std::string, size_t> known_;
};

}  // namespace

bool tunes_products() {
  static const char* const setting = std::getenv("BRIO_CUDA_TUNE");
  return setting && *setting == '1';  // it makes the first step of a machine wait
}

size_t quickest_way(CudaDevice& device, const ProductTrial& trial) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static auto* const choices =
      new Choices(cache_folder().empty() ? fs::path() : cache_folder() / "cuda" / "products.txt");
  const std::string name =
      cat("cuBLASLt ", cublas().cublasLtGetVersion(), ", ", device.description(), ": ", trial.name);
  if (const size_t* const known = choices->find(name)) return *known < trial.ways.size() ? *known : 0;
  device.enter();
  size_t way = 0;
  {
    Trial measured(device, trial);
    if (!measured.has_memory()) return 0;
    way = measured.run();
  }
  choices->add(name, way);
  return way;
}

}  // namespace brio::cuda
