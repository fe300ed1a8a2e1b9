// Hashes of bytes that mean the same on every machine: those by which TensorFlow puts strings into buckets.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace brio {

uint64_t fingerprint64(std::string_view bytes);                             // FarmHash's
uint64_t murmur_hash64(std::string_view bytes, uint64_t seed);              // MurmurHash64A
uint64_t sip_hash(std::string_view bytes, std::array<uint64_t, 2> secret);  // SipHash-2-4

}  // namespace brio
