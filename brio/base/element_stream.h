// Random numbers for one element of a tensor, as many as it needs, and what rejection makes of them. Blocks are
// numbered (round, element): what an element gets depends on seed, stream and index alone, however often others were
// rejected and whichever thread makes them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "brio/base/philox.h"
#include "brio/base/special_functions.h"

namespace brio {

class ElementStream {
 public:
  // From this round on: round 0 has the blocks that the plain stream has too.
  ElementStream(const RandomStream& stream, uint64_t element, uint64_t round = 0)
      : stream_(stream), element_(element), round_(round) {}

  uint32_t u32() {
    if (used_ == 4) {
      words_ = stream_.block(element_ | round_++ << kElementBits);
      used_ = 0;
    }
    return words_[used_++];
  }
  uint64_t u64() {
    const uint64_t low = u32();
    return low | uint64_t{u32()} << 32;
  }
  double uniform() { return (static_cast<double>(u64() >> 12) + 0.5) * 0x1p-52; }  // (0, 1)
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  // In [0, range), each equally often (Lemire: "Fast random integer generation in an interval", 2019). range > 0.
  uint64_t below(uint64_t range) {
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{u64()} * range;
    if (static_cast<uint64_t>(product) < range) {
      const uint64_t rest = (0 - range) % range;
      while (static_cast<uint64_t>(product) < rest) product = Wide{u64()} * range;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  // Marsaglia and Tsang: "A simple method for generating gamma variables", 2000. alpha > 0, of scale 1.
  double gamma(double alpha) {
    const double boost = alpha < 1 ? std::pow(uniform(), 1 / alpha) : 1;
    const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return boost * d * v;
    }
  }

  // A rate below 10 by products of uniforms, above it by Hörmann's PTRS ("The transformed rejection method for
  // generating Poisson random variables", 1993).
  double poisson(double rate) {
    if (rate < 10) {
      const double limit = std::exp(-rate);
      double count = 0, product = uniform();
      while (product > limit) {
        ++count;
        product *= uniform();
      }
      return count;
    }
    const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
      const double u = uniform() - 0.5, v = uniform(), us = 0.5 - std::fabs(u);
      const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
      if (us >= 0.07 && v <= quick) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * std::log(rate) - rate - special::lgamma(k + 1))
        return k;
    }
  }

 private:
  static constexpr int kElementBits = 44;
  RandomStream stream_;
  uint64_t element_, round_;
  PhiloxCounter words_ = {};
  size_t used_ = 4;
};

// Element i of integers in [0, range), 0 < range < 2³²: the plain stream's word i, or where that would favour some
// numbers, one from the element's own.
inline uint32_t bounded_u32(const RandomStream& stream, uint64_t i, uint32_t word, uint32_t range) {
  const uint64_t product = uint64_t{word} * range;
  if (static_cast<uint32_t>(product) < range) [[unlikely]]
    if (static_cast<uint32_t>(product) < (0u - range) % range)
      return static_cast<uint32_t>(ElementStream(stream, i, 1).below(range));
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace brio
