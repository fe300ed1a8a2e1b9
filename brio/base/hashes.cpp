#include "brio/base/hashes.h"

#include <bit>
#include <cstring>
#include <utility>

namespace brio {
namespace {

static_assert(std::endian::native == std::endian::little, "these hashes read words as little-endian ones");

template <typename T>
T word(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
uint64_t w64(const char* at) { return word<uint64_t>(at); }
uint64_t w32(const char* at) { return word<uint32_t>(at); }

// ---- FarmHash

constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

uint64_t mixed(uint64_t x) { return x ^ (x >> 47); }
uint64_t joined(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = mixed((u ^ v) * factor);
  return mixed((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, size_t n) {
  const uint64_t factor = k2 + 2 * n;
  if (n >= 8) {
    const uint64_t a = w64(s) + k2, b = w64(s + n - 8);
    return joined(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (n >= 4) return joined(n + (w32(s) << 3), w32(s + n - 4), factor);
  if (n == 0) return k2;
  const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(s[i])}; };
  return mixed((byte(0) + (byte(n / 2) << 8)) * k2 ^ (n + (byte(n - 1) << 2)) * k0) * k2;
}

uint64_t up_to_32(const char* s, size_t n) {
  const uint64_t factor = k2 + 2 * n;
  const uint64_t a = w64(s) * k1, b = w64(s + 8), c = w64(s + n - 8) * factor, d = w64(s + n - 16) * k2;
  return joined(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, factor);
}

uint64_t up_to_64(const char* s, size_t n) {
  const uint64_t factor = k2 + 2 * n;
  const uint64_t a = w64(s) * k2, b = w64(s + 8), c = w64(s + n - 8) * factor, d = w64(s + n - 16) * k2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = joined(y, a + std::rotr(b + k2, 18) + c, factor);
  const uint64_t e = w64(s + 16) * factor, f = w64(s + 24);
  const uint64_t g = (y + w64(s + n - 32)) * factor, h = (z + w64(s + n - 24)) * factor;
  return joined(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

Pair of_32(const char* s, uint64_t a, uint64_t b) {
  const uint64_t last = w64(s + 24);
  a += w64(s);
  b = std::rotr(b + a + last, 21);
  const uint64_t c = a;
  a += w64(s + 8) + w64(s + 16);
  return {a + last, b + std::rotr(a, 44) + c};
}

// ---- SipHash

struct Sip {
  uint64_t a, b, c, d;
  void round() {
    a += b, c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b, a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void take(uint64_t m) {
    d ^= m;
    round();
    round();
    a ^= m;
  }
};

uint64_t last_word(const char* at, size_t n) {  // the n < 8 bytes that are left
  uint64_t value = 0;
  if (n != 0) std::memcpy(&value, at, n);
  return value;
}

}  // namespace

uint64_t fingerprint64(std::string_view bytes) {
  const char* s = bytes.data();
  const size_t n = bytes.size();
  if (n <= 16) return up_to_16(s, n);
  if (n <= 32) return up_to_32(s, n);
  if (n <= 64) return up_to_64(s, n);
  constexpr uint64_t kSeed = 81;
  uint64_t y = kSeed * k1 + 113, z = mixed(y * k2 + 113) * k2, x = kSeed * k2 + w64(s);
  Pair v{0, 0}, w{0, 0};
  const char* const end = s + (n - 1) / 64 * 64;
  const char* const tail = s + n - 64;
  const auto step = [&](uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + w64(s + 8), 37) * factor;
    y = std::rotr(y + v.second + w64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + w64(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = of_32(s, v.second * factor, x + w.first);
    w = of_32(s + 32, z + w.second, y + w64(s + 16));
    std::swap(z, x);
  };
  for (; s != end; s += 64) step(k1, 1);
  const uint64_t factor = k1 + ((z & 0xff) << 1);
  s = tail;
  w.first += (n - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  step(factor, 9);
  return joined(joined(v.first, w.first, factor) + mixed(y) * k0 + z, joined(v.second, w.second, factor) + x, factor);
}

uint64_t murmur_hash64(std::string_view bytes, uint64_t seed) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const char* s = bytes.data();
  size_t n = bytes.size();
  uint64_t h = seed ^ n * kFactor;
  for (; n >= 8; n -= 8, s += 8) {
    const uint64_t k = w64(s) * kFactor;
    h = (h ^ (k ^ k >> 47) * kFactor) * kFactor;
  }
  if (n != 0) h = (h ^ last_word(s, n)) * kFactor;
  h = (h ^ h >> 47) * kFactor;
  return h ^ h >> 47;
}

uint64_t sip_hash(std::string_view bytes, std::array<uint64_t, 2> secret) {
  Sip sip{secret[0] ^ 0x736f6d6570736575, secret[1] ^ 0x646f72616e646f6d, secret[0] ^ 0x6c7967656e657261,
          secret[1] ^ 0x7465646279746573};
  const char* s = bytes.data();
  size_t n = bytes.size();
  for (; n >= 8; n -= 8, s += 8) sip.take(w64(s));
  sip.take(last_word(s, n) | uint64_t{bytes.size()} << 56);
  sip.c ^= 0xff;
  for (int i = 0; i < 4; ++i) sip.round();
  return sip.a ^ sip.b ^ sip.c ^ sip.d;
}

}  // namespace brio
