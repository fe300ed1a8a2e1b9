// Stands before the text of a program of kernels when the host's compiler is to make host code of it: what CUDA's
// dialect has and C++ lacks. driver.cpp runs a block's threads in turn and switches between them where they wait.
// Names are CUDA's.
#pragma once

#include <math.h>
#include <string.h>

#include <cmath>
#include <type_traits>
#include <utility>

#include "threads.h"

static brio::emulated::Block emulated_block;
extern "C" brio::emulated::Block* emulated_state() { return &emulated_block; }
#define threadIdx emulated_block.thread
#define blockIdx emulated_block.block
#define gridDim emulated_block.grid
#define blockDim emulated_block.threads

#define __device__
#define __forceinline__ inline
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static  // blocks run one after the other

static inline void wait_for_warp() { emulated_block.wait(brio::emulated::Waits::for_warp); }
static inline void __syncthreads() { emulated_block.wait(brio::emulated::Waits::for_block); }

// Every thread of a warp shows a value, and each takes that of a lane; where there is none, its own.
template <typename T>
static T taken_from(T value, int lane) {
  const unsigned mine = emulated_block.number, warp = mine / 32 * 32;
  unsigned long long word = 0;
  memcpy(&word, &value, sizeof(value));
  emulated_block.shown[mine] = word;
  wait_for_warp();
  if (lane >= 0 && lane < 32)
    memcpy(&value, &emulated_block.shown[warp + static_cast<unsigned>(lane)], sizeof(value));
  wait_for_warp();
  return value;
}
static inline int own_lane() { return static_cast<int>(emulated_block.number % 32); }
template <typename T>
static T __shfl_down_sync(unsigned, T value, int by) {
  return taken_from(value, own_lane() + by);
}
template <typename T>
static T __shfl_xor_sync(unsigned, T value, int by) {
  return taken_from(value, own_lane() ^ by);
}
template <typename T>
static T __shfl_sync(unsigned, T value, int lane) {
  return taken_from(value, lane);
}
static inline unsigned __ballot_sync(unsigned, bool yes) {
  const unsigned mine = emulated_block.number, warp = mine / 32 * 32;
  emulated_block.shown[mine] = yes;
  wait_for_warp();
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (emulated_block.runs[warp + lane] && emulated_block.shown[warp + lane]) votes |= 1u << lane;
  wait_for_warp();
  return votes;
}
static inline int __syncthreads_or(int yes) {
  emulated_block.shown[emulated_block.number] = yes != 0;
  __syncthreads();
  int any = 0;
  for (unsigned i = 0; i < brio::emulated::kMostThreads; ++i)
    any |= emulated_block.runs[i] && emulated_block.shown[i];
  __syncthreads();
  return any;
}

template <typename To, typename From>
static To same_bits(From from) {
  To to;
  static_assert(sizeof(to) == sizeof(from));
  memcpy(&to, &from, sizeof(to));
  return to;
}
static inline float __int_as_float(int x) { return same_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return same_bits<double>(x); }
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline int atomicAdd(int* at, int value) {
  const int before = *at;
  *at += value;
  return before;
}
static inline int atomicMin(int* at, int value) {
  const int before = *at;
  if (value < before) *at = value;
  return before;
}

// Functions of the device's library. Quantiles are not there: the tests of erfinv and ndtri fail.
static inline double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
static inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
static inline double normcdfinv(double) { return NAN; }
static inline float normcdfinvf(float) { return NAN; }
static inline double erfinv(double) { return NAN; }
static inline float erfinvf(float) { return NAN; }
static inline double bessel_i(double order, double x) { return x > 700 ? HUGE_VAL : std::cyl_bessel_i(order, x); }
static inline double cyl_bessel_i0(double x) { return bessel_i(0, std::fabs(x)); }
static inline double cyl_bessel_i1(double x) { return std::copysign(bessel_i(1, std::fabs(x)), x); }
static inline float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
static inline float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }

// What compiler.cpp puts in the place of instructions.
static inline float emulated_from_f16(unsigned short bits) { return static_cast<float>(same_bits<_Float16>(bits)); }
static inline unsigned short emulated_to_f16(float x) { return same_bits<unsigned short>(static_cast<_Float16>(x)); }
static inline unsigned short emulated_to_bf16(float x) {
  const unsigned u = same_bits<unsigned>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>(u >> 16 | 0x40u);
  return static_cast<unsigned short>((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

// A kernel, called as the driver hands over its arguments: by their addresses.
template <typename... Args, size_t... I>
static void call_with(void (*kernel)(Args...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<Args>*>(arguments[I])...);
}
template <typename... Args>
static void call_with(void (*kernel)(Args...), void** arguments) {
  call_with(kernel, arguments, std::index_sequence_for<Args...>());
}
