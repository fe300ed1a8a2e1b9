// Runs a fuzz target on each file of its corpus, and on what a broken disk makes of it: cut off at 64 places, and
// with one byte changed at 64 places. Usage: replay_NAME DIRECTORY. The sanitizers, or a crash, say what is wrong.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kPlaces = 64;

void run(const std::string& bytes, size_t size) {
  // A block of its own of just this size: AddressSanitizer sees a read of the byte behind it.
  const std::unique_ptr<uint8_t[]> block(new uint8_t[size]);
  std::copy_n(bytes.begin(), size, block.get());
  LLVMFuzzerTestOneInput(block.get(), size);
}

void run_damaged(std::string bytes) {
  const size_t step = std::max<size_t>(1, bytes.size() / kPlaces);
  for (size_t at = 0; at < bytes.size(); at += step) {
    run(bytes, at);
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
      run(bytes, bytes.size());
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  if (argc == 2)
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s DIRECTORY, with a seed at least\n", argv[0]);
    return 2;
  }
  std::sort(files.begin(), files.end());
  run("", 0);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
      std::fprintf(stderr, "%s cannot be read\n", file.c_str());
      return 2;
    }
    std::printf("%s\n", file.c_str());
    run(bytes, bytes.size());
    run_damaged(bytes);
  }
}
