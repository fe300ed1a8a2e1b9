// What decoding costs in memory: nothing of ours a picture once it runs, and no more than the limits admit on hostile
// files. A program of its own, since it counts every operator new.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <fstream>
#include <functional>

#include "brio/formats/csv.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/example.h"
#include "brio/formats/example_parser.h"
#include "brio/formats/idx.h"
#include "brio/formats/lines.h"
#include "brio/formats/npy.h"
#include "tests/counting_new.h"

namespace brio::formats {
namespace {

std::string jpeg(int64_t height, int64_t width, const JpegEncodeOptions& options = {}) {
  const PictureSize size{height, width, 3};
  std::vector<uint8_t> pixels(static_cast<size_t>(size.elements()));
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * i / 7);
  return encode_jpeg(pixels.data(), static_cast<size_t>(width * 3), size, options);
}

TEST(Memory, ADecoderAllocatesNothingOnceItRuns) {
  const std::string small = jpeg(40, 50), large = jpeg(90, 80, {.progressive = true});
  std::vector<uint8_t> pixels(90 * 80 * 3);
  PictureDecoder decoder;
  const auto decode = [&] {
    for (const std::string* file : {&small, &large}) {
      decoder.open(*file, {"a.jpg"}, {.channels = 3});
      const PictureSize size = decoder.size();
      decoder.decode(pixels.data(), static_cast<size_t>(size.width * 3));
      decoder.open(*file, {"a.jpg"}, {.apply_orientation = true, .ratio = 2});
      decoder.decode(pixels.data(), static_cast<size_t>(3 * 8), {4, 3, 9, 8});
    }
  };
  decode();
  const uint64_t before = counting_new::count;
  for (int i = 0; i < 20; ++i) decode();
  EXPECT_EQ(counting_new::count - before, 0U);
}

TEST(Memory, RowsOfTextAllocateNothingOnceTheyRun) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += cat(i, ",", i * 0.5, ",\"", i, " \"\"x\"\"\"\n");
  CsvReader reader(in_order(ReadAt(text, Origin{})), {}, {{i32}, {f32}}, {.select_cols = {0, 1}});
  int32_t numbers[100];
  float halves[100];
  const std::vector<CsvBuffer> buffers = {CsvBuffer(static_cast<void*>(numbers)),
                                          CsvBuffer(static_cast<void*>(halves))};
  LineReader lines(in_order(ReadAt(text, Origin{})));
  std::string_view line;
  int64_t rows = reader.read(100, buffers), all = lines.next(line);
  const uint64_t before = counting_new::count;
  while (const int64_t more = reader.read(100, buffers)) rows += more;
  while (lines.next(line)) ++all;
  EXPECT_EQ(counting_new::count - before, 0U);
  EXPECT_EQ(rows, 20000);
  EXPECT_EQ(all, 20000);
}

// As long as it lives, the process cannot get more than `bytes` beyond what it has.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) {
    std::ifstream statm("/proc/self/statm");
    size_t pages = 0;
    statm >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit small{pages * 4096 + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &small);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

std::string chunk(const std::string& kind, const std::string& content) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(content.size() >> shift);
  const std::string body = kind + content;
  const auto crc =
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
  bytes += body;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(crc >> shift);
  return bytes;
}

// Each claims gigabytes in a few bytes, and is refused before they are asked for.
TEST(Memory, HostileHeadersAreRefusedBeforeTheyCost) {
  using namespace std::string_literals;
  std::vector<std::string> pictures;
  for (const bool progressive : {false, true}) {
    std::string file = jpeg(16, 16, {.progressive = progressive});
    const size_t frame = file.find(progressive ? "\xff\xc2" : "\xff\xc0");
    for (const std::string& sides : {"\xff\xdc\xff\xdc"s, "\x3f\xff\x3f\xff"s})
      pictures.push_back(file.replace(frame + 5, 4, sides));
  }
  const std::string sides = "\x00\x00\x3f\xff\x00\x00\x3f\xff"s;
  for (const std::string& kind : {"\x10\x06\0\0\0"s, "\x08\x02\0\0\x01"s})
    pictures.push_back("\x89PNG\r\n\x1a\n" + chunk("IHDR", sides + kind) + chunk("IDAT", "x") + chunk("IEND", ""));
  // A profile that inflates a thousandfold.
  std::string zeros(1 << 20, '\0'), packed(compressBound(zeros.size()), '\0');
  uLongf length = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(zeros.data()),
           zeros.size());
  pictures.push_back("\x89PNG\r\n\x1a\n" + chunk("IHDR", "\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"s) +
                     chunk("iCCP", "n\0\0"s + packed.substr(0, length)) + chunk("IDAT", "x") + chunk("IEND", ""));
  std::string bmp = "BM"s + std::string(52, '\0');
  bmp[10] = 54, bmp[14] = 40, bmp[28] = 24;
  bmp.replace(18, 8, "\xff\x3f\0\0\xff\x3f\0\0"s);
  pictures.push_back(bmp);
  const std::string npy = "\x93NUMPY\x01\0\x40\0{'descr': '<f8', 'fortran_order': True, 'shape': (99999, 99999)}  "s;
  const std::string idx = "\0\0\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff"s;
  // AddressSanitizer reserves terabytes; there the rest of the test is what it checks.
#ifndef __SANITIZE_ADDRESS__
  const MemoryLimit limit(size_t{64} << 20);
#endif
  for (const std::string& file : pictures) {
    try {
      decode_picture(file);
      ADD_FAILURE() << "it was decoded";
    } catch (const DataError& error) {
      EXPECT_EQ(error.reason().find("emory"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(open_npy(ReadAt(npy, Origin{})).read(), DataError);
  EXPECT_THROW(open_idx(ReadAt(idx, Origin{})).read(), DataError);
}

// The most that the process has held since reset_peak(), in bytes.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
size_t field_of_status(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
  return 0;
}

void append_varint(std::string& to, uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}
std::string field(int number, std::string_view content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  append_varint(bytes, content.size());
  return bytes + std::string(content);
}

// Whatever an Example claims, parsing it takes no more than twice what it and its values are, and 64 MB.
TEST(Memory, HostileExamplesCostNoMoreThanTheyHold) {
  constexpr size_t kSize = 16 << 20;
  const auto example = [](const std::string& feature) {
    return field(1, field(1, field(1, "a") + field(2, feature)));
  };
  // The shortest values that there are: empty strings, integers of a byte, features of nothing under short names.
  std::string many, entries;
  while (many.size() < kSize) many += std::string_view("\x0a\0", 2);
  for (int i = 0; entries.size() < kSize; ++i) entries += field(1, field(1, cat(i)));
  std::string lie = example(field(1, "x"));  // a length that the bytes do not have
  lie[lie.size() - 2] = '\x7f';
  const std::string all[] = {example(field(1, many)), example(field(3, field(1, std::string(kSize, '\1')))),
                             field(1, entries), lie};

  const ExampleParser parsers[] = {
      ExampleParser({{"a", FixedLen{{}, i64}}}), ExampleParser({{"a", FixedLen{{1000}, DType::string}}}),
      ExampleParser({{"a", FixedLenSequence{{1000}, f32}}}), ExampleParser({{"a", VarLen{i64}}}),
      ExampleParser({{"a", VarLen{DType::string}}})};
  const auto check = [](const std::string& bytes, const std::function<size_t()>& parse) {
    reset_peak();
    const size_t before = field_of_status("VmRSS:");
    size_t held = 0;
    try {
      held = parse();
    } catch (const DataError&) {
    }
    const size_t peak = std::max(field_of_status("VmHWM:"), before) - before;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr bool kCountsMore = true;  // what was freed a while ago; notes about each word
#else
    constexpr bool kCountsMore = false;
#endif
    if (!kCountsMore) {
      EXPECT_LE(peak, 2 * (bytes.size() + held) + (size_t{64} << 20))
          << bytes.size() << " bytes, " << held << " held";
    }
  };
  for (const std::string& bytes : all) {
    for (const ExampleParser& parser : parsers)
      check(bytes, [&] {
        const ParsedFeature parsed = parser.parse_single(bytes)[0];
        return parsed.values.buffer->bytes();
      });
    check(bytes, [&] {
      size_t held = 0;
      for (const auto& [key, feature] : Example::parse(bytes).features) {
        held += key.size() + sizeof(key) + sizeof(feature);
        if (const auto* texts = std::get_if<Feature::Bytes>(&feature.values))
          held += texts->size() * sizeof(std::string);
        if (const auto* numbers = std::get_if<Feature::Ints>(&feature.values))
          held += numbers->size() * sizeof(int64_t);
      }
      return held;
    });
  }
}

}  // namespace
}  // namespace brio::formats
