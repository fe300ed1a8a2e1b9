// Plain definitions of the operations on one element, for the loops that the compiler vectorises by itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace brio::cpu::scalar {

// Integers wrap: computed in an unsigned type that is at least as wide as int, so that nothing is promoted to signed.
template <typename T>
using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

struct Add {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(Wide<T>(a) + Wide<T>(b));
  }
};
struct Sub {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(Wide<T>(a) - Wide<T>(b));
  }
};
struct Mul {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(Wide<T>(a) * Wide<T>(b));
  }
};
struct Max {
  template <typename T>
  static T run(T a, T b) {
    return a > b ? a : b;
  }
};
struct Min {
  template <typename T>
  static T run(T a, T b) {
    return a < b ? a : b;
  }
};
struct And {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// A shift by more bits than there are, or by fewer than none, has no meaning in C++: it is limited.
template <typename T>
T shift_within(T bits) {
  return std::clamp<T>(bits, 0, 8 * sizeof(T) - 1);
}
struct LeftShift {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(Wide<T>(a) << shift_within(b));
  }
};
struct RightShift {
  template <typename T>
  static T run(T a, T b) {
    return static_cast<T>(a >> shift_within(b));
  }
};
struct SquaredDifference {
  template <typename T>
  static T run(T a, T b) {
    return Mul::run(Sub::run(a, b), Sub::run(a, b));
  }
};

struct FloorDiv {
  template <typename T>
  static T run(T a, T b) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Sub::run(T{0}, a);  // the smallest integer has no positive twin: it wraps
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(quotient - ((a % b != 0) && ((a < 0) != (b < 0))));
    } else {
      return static_cast<T>(a / b);
    }
  }
};
struct FloorMod {
  template <typename T>
  static T run(T a, T b) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      const T remainder = static_cast<T>(a % b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
    } else {
      return static_cast<T>(a % b);
    }
  }
};
struct Pow {
  template <typename T>
  static T run(T base, T exponent) {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == -1) return exponent % 2 == 0 ? T{1} : T{-1};
        return 0;
      }
    }
    T result = 1;
    for (auto e = static_cast<std::make_unsigned_t<T>>(exponent); e != 0; e >>= 1) {
      if (e & 1) result = Mul::run(result, base);
      base = Mul::run(base, base);
    }
    return result;
  }
};

struct Neg {
  template <typename T>
  static T run(T a) {
    return Sub::run(T{0}, a);
  }
};
struct Abs {
  template <typename T>
  static T run(T a) {
    return a < 0 ? Sub::run(T{0}, a) : a;
  }
};
struct AbsUnsigned {
  template <typename T>
  static T run(T a) {
    return a;
  }
};
struct Sign {
  template <typename T>
  static T run(T a) {
    return static_cast<T>((a > 0) - (a < 0));
  }
};
struct Square {
  template <typename T>
  static T run(T a) {
    return Mul::run(a, a);
  }
};
struct Relu {
  template <typename T>
  static T run(T a) {
    return a > 0 ? a : T{0};
  }
};

// Results are bytes 0 and 1: the storage of bool.
struct Equal {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <typename T>
  static uint8_t run(T a, T b) {
    return a >= b;
  }
};
struct IsNan {
  template <typename T>
  static uint8_t run(T a) {
    return a != a;
  }
};
struct IsFinite {
  template <typename T>
  static uint8_t run(T a) {
    return a - a == 0;
  }
};
struct IsInf {
  template <typename T>
  static uint8_t run(T a) {
    return std::fabs(a) == std::numeric_limits<T>::infinity();
  }
};
struct LogicalNot {
  static uint8_t run(uint8_t a) { return a ^ 1; }
};

// float → integer that is never undefined: out of range gives the nearest end, NaN gives 0.
template <typename To, typename From>
To float_to_integer(From x) {
  // Both bounds are powers of two (or zero), hence exact in From; the upper one is the first value too large.
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  // NOLINTNEXTLINE(bugprone-integer-division): the halves are whole
  constexpr From high = From(2) * static_cast<From>(std::numeric_limits<To>::max() / 2 + 1);
  if (!(x >= low)) return x != x ? To{0} : std::numeric_limits<To>::min();
  if (x >= high) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

}  // namespace brio::cpu::scalar
