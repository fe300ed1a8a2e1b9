#include "brio/formats/crc32c.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace brio::formats {

namespace {

// Polynomials over GF(2) of a degree below 32, the bit of x^0 on the left.
constexpr uint32_t kPolynomial = 0x82f63b78U;
constexpr uint32_t times_x(uint32_t p) { return (p >> 1) ^ ((p & 1) != 0 ? kPolynomial : 0); }

// Table k: the effect of a byte that k bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> make_tables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t p = byte;
    for (int i = 0; i < 8; ++i) p = times_x(p);
    tables[0][byte] = p;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t p = tables[k - 1][byte];
      tables[k][byte] = (p >> 8) ^ tables[0][p & 0xff];
    }
  return tables;
}
constexpr auto kTables = make_tables();

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

uint32_t crc32c_by_tables(std::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const uint64_t word = load<uint64_t>(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 0xff];
  }
  for (; left > 0; ++at, --left) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)

namespace {

constexpr uint32_t power_of_x(uint64_t exponent) {
  uint32_t result = 0x80000000U;
  uint32_t square = 0x40000000U;  // x^1, x^2, x^4, …
  for (; exponent > 0; exponent >>= 1) {
    uint32_t product = 0, shifted = square, times = result;
    uint32_t squared = 0, factor = square;
    for (int i = 0; i < 32; ++i, shifted = times_x(shifted), times <<= 1, factor <<= 1) {
      if ((times & 0x80000000U) != 0) product ^= shifted;
      if ((factor & 0x80000000U) != 0) squared ^= shifted;
    }
    if ((exponent & 1) != 0) result = product;
    square = squared;
  }
  return result;
}

// The instruction takes three cycles and starts every cycle: three blocks side by side, then their checksums joined.
// Moving a checksum over N bytes multiplies it by x^8N; a product of two polynomials that then goes through the
// instruction comes out multiplied by x^33 as well.
template <size_t kBlock>
__attribute__((target("sse4.2,pclmul"))) inline uint64_t three_blocks(uint64_t crc, const char*& at, size_t& left) {
  constexpr auto kOver1 = static_cast<int64_t>(power_of_x(8 * kBlock - 33));
  constexpr auto kOver2 = static_cast<int64_t>(power_of_x(16 * kBlock - 33));
  const __m128i over = _mm_set_epi64x(kOver2, kOver1);
  for (; left >= 3 * kBlock; at += 3 * kBlock, left -= 3 * kBlock) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kBlock; i += 8) {
      crc = _mm_crc32_u64(crc, load<uint64_t>(at + i));
      second = _mm_crc32_u64(second, load<uint64_t>(at + kBlock + i));
      third = _mm_crc32_u64(third, load<uint64_t>(at + 2 * kBlock + i));
    }
    const __m128i moved =
        _mm_xor_si128(_mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(crc)), over, 0x10),
                      _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(second)), over, 0));
    crc = _mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(moved))) ^ third;
  }
  return crc;
}

__attribute__((target("sse4.2,pclmul"))) uint32_t crc32c_by_instruction(std::string_view bytes, uint32_t before) {
  uint64_t crc = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  crc = three_blocks<4096>(crc, at, left);
  crc = three_blocks<512>(crc, at, left);
  crc = three_blocks<64>(crc, at, left);
  for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, load<uint64_t>(at));
  auto narrow = static_cast<uint32_t>(crc);
  for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
  return ~narrow;
}

using Crc = uint32_t (*)(std::string_view, uint32_t);

Crc choose() {
  const char* const isa = std::getenv("BRIO_ISA");
  const bool portable = isa && std::string_view(isa) == "portable";
  const bool has_instruction = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
  return has_instruction && !portable ? crc32c_by_instruction : crc32c_by_tables;
}

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t before) {
  static const Crc chosen = choose();
  return chosen(bytes, before);
}

#else

uint32_t crc32c(std::string_view bytes, uint32_t before) { return crc32c_by_tables(bytes, before); }

#endif

}  // namespace brio::formats
