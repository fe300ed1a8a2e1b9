// Tile programs for tests: guarded runs, and a plain interpreter that runs one element at a time.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "brio/backends/cpu/tiles/tile_program.h"

namespace brio::cpu::testing {

using Bytes = std::vector<unsigned char>;

inline TileFn fn(const char* op, DType dtype = f32) { return find_tile_fn(op, dtype, dtype); }

// A buffer with guard bytes on both sides and a chosen misalignment.
class Guarded {
 public:
  Guarded(size_t bytes, size_t misalignment = 0) : bytes_(bytes), data_(bytes + 256 + 64, 0xab) {
    const size_t address = reinterpret_cast<size_t>(data_.data());
    offset_ = 128 + (64 - address % 64) % 64 + misalignment;
    std::memset(get(), 0, bytes);
  }
  void* get() { return data_.data() + offset_; }
  template <typename T>
  T* as() {
    return static_cast<T*>(get());
  }
  Bytes content() {
    return Bytes(data_.begin() + static_cast<long>(offset_), data_.begin() + static_cast<long>(offset_ + bytes_));
  }
  bool intact() const {
    for (size_t i = 0; i < offset_; ++i)
      if (data_[i] != 0xab) return false;
    for (size_t i = offset_ + bytes_; i < data_.size(); ++i)
      if (data_[i] != 0xab) return false;
    return true;
  }

 private:
  size_t bytes_, offset_;
  Bytes data_;
};

struct Outcome {
  std::vector<Bytes> outputs;  // then the reductions
};

inline int64_t kept_elements(const TileProgram& program) {
  int64_t n = 1;
  for (int i = 0; i < program.space.rank(); ++i)
    if (!(program.reduced_mask >> i & 1)) n *= program.space[i];
  return n;
}

inline DType dtype_of_register(const TileProgram& program, int32_t reg) {
  size_t r = static_cast<size_t>(reg);
  if (r < program.inputs.size()) return program.inputs[r].dtype;
  r -= program.inputs.size();
  if (r < program.constants.size()) return program.constants[r].dtype;
  return program.steps[r - program.constants.size()].dtype;
}

inline Outcome run(const TileProgram& program, const std::vector<const void*>& inputs, size_t misalignment = 0) {
  TileKernel kernel(program);
  std::vector<Guarded> buffers;
  std::vector<void*> pointers;
  for (const auto& output : program.outputs)
    buffers.emplace_back(
        static_cast<size_t>(program.space.elements()) * size_of(dtype_of_register(program, output.reg)),
        misalignment);
  for (const auto& reduction : program.reductions)
    buffers.emplace_back(
        static_cast<size_t>(kept_elements(program)) * size_of(dtype_of_register(program, reduction.reg)),
        misalignment);
  for (Guarded& buffer : buffers) pointers.push_back(buffer.get());
  Guarded scratch(kernel.scratch_bytes());
  kernel.run(inputs.data(), pointers.data(), scratch.get());
  EXPECT_TRUE(scratch.intact());
  Outcome outcome;
  for (Guarded& buffer : buffers) {
    EXPECT_TRUE(buffer.intact());
    outcome.outputs.push_back(buffer.content());
  }
  return outcome;
}

inline double to_double(const void* element, DType dtype) {
  return visit(dtype, [&](auto t) {
    std::memcpy(&t, element, sizeof t);
    if constexpr (std::is_arithmetic_v<decltype(t)>) return static_cast<double>(t);
    else return static_cast<double>(static_cast<float>(t));
  });
}

// Outputs exactly; reductions as double values.
struct Reference {
  std::vector<Bytes> outputs;
  std::vector<std::vector<double>> reductions, magnitudes;
};

inline Reference interpret(const TileProgram& program, const std::vector<const void*>& inputs) {
  Reference reference;
  const int64_t n = program.space.elements(), kept = kept_elements(program);
  for (const auto& output : program.outputs)
    reference.outputs.emplace_back(static_cast<size_t>(n) * size_of(dtype_of_register(program, output.reg)));
  for (const auto& reduction : program.reductions) {
    const double inf = std::numeric_limits<double>::infinity();
    double identity = 0;
    switch (reduction.kind) {
      case ReduceKind::sum:
      case ReduceKind::any: identity = 0; break;
      case ReduceKind::prod:
      case ReduceKind::all: identity = 1; break;
      case ReduceKind::max: identity = -inf; break;
      case ReduceKind::min: identity = inf; break;
    }
    reference.reductions.emplace_back(static_cast<size_t>(kept), identity);
    reference.magnitudes.emplace_back(static_cast<size_t>(kept), 0.0);
  }
  const size_t leaves = program.inputs.size() + program.constants.size();
  std::vector<std::array<unsigned char, 8>> registers(leaves + program.steps.size());
  for (int64_t i = 0; i < n; ++i) {
    int64_t at[kMaxRank], rest = i, kept_index = 0, kept_stride = 1;
    for (int d = program.space.rank() - 1; d >= 0; --d) {
      at[d] = rest % program.space[d];
      rest /= program.space[d];
      if (!(program.reduced_mask >> d & 1)) {
        kept_index += at[d] * kept_stride;
        kept_stride *= program.space[d];
      }
    }
    for (size_t k = 0; k < program.inputs.size(); ++k) {
      int64_t offset = 0;
      for (int d = 0; d < program.space.rank(); ++d) offset += at[d] * program.inputs[k].strides[d];
      const size_t size = size_of(program.inputs[k].dtype);
      std::memcpy(registers[k].data(), static_cast<const char*>(inputs[k]) + offset * static_cast<int64_t>(size),
                  size);
    }
    for (size_t k = 0; k < program.constants.size(); ++k)
      std::memcpy(registers[program.inputs.size() + k].data(), &program.constants[k].bits, 8);
    for (size_t k = 0; k < program.steps.size(); ++k) {
      const auto& step = program.steps[k];
      const auto source = [&](int s) {
        return step.src[s] < 0 ? nullptr : registers[static_cast<size_t>(step.src[s])].data();
      };
      step.fn(registers[leaves + k].data(), source(0), source(1), source(2), 1);
    }
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      const size_t size = size_of(dtype_of_register(program, program.outputs[o].reg));
      std::memcpy(reference.outputs[o].data() + static_cast<size_t>(i) * size,
                  registers[static_cast<size_t>(program.outputs[o].reg)].data(), size);
    }
    for (size_t r = 0; r < program.reductions.size(); ++r) {
      const auto& reduction = program.reductions[r];
      const double x =
          to_double(registers[static_cast<size_t>(reduction.reg)].data(), dtype_of_register(program, reduction.reg));
      double& acc = reference.reductions[r][static_cast<size_t>(kept_index)];
      reference.magnitudes[r][static_cast<size_t>(kept_index)] += std::fabs(x);
      switch (reduction.kind) {
        case ReduceKind::sum: acc += x; break;
        case ReduceKind::prod: acc *= x; break;
        case ReduceKind::max:
        case ReduceKind::any: acc = std::isnan(x) || x > acc ? x : acc; break;
        case ReduceKind::min:
        case ReduceKind::all: acc = std::isnan(x) || x < acc ? x : acc; break;
      }
    }
  }
  return reference;
}

inline void expect_matches(const TileProgram& program, const std::vector<const void*>& inputs, const Outcome& got) {
  const Reference reference = interpret(program, inputs);
  for (size_t o = 0; o < program.outputs.size(); ++o)
    EXPECT_EQ(got.outputs[o], reference.outputs[o]) << "output " << o << " over " << program.space;
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const DType dtype = dtype_of_register(program, program.reductions[r].reg);
    const Bytes& bytes = got.outputs[program.outputs.size() + r];
    const bool exact =
        program.reductions[r].kind != ReduceKind::sum && program.reductions[r].kind != ReduceKind::prod;
    for (size_t k = 0; k < reference.reductions[r].size(); ++k) {
      const double expected = reference.reductions[r][k];
      const double value = to_double(bytes.data() + k * size_of(dtype), dtype);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << k;
        continue;
      }
      const double unit = dtype == f64 ? 1e-14 : dtype == f32 ? 1e-6 : dtype == f16 ? 1e-3 : 8e-3;
      const double tolerance = exact ? 0 : unit * (reference.magnitudes[r][k] + std::fabs(expected));
      ASSERT_NEAR(value, expected, tolerance)
          << "reduction " << r << " at " << k << " over " << program.space << " mask " << int{program.reduced_mask};
    }
  }
}

inline std::vector<float> random_floats(size_t n, uint32_t seed, float low = -2, float high = 2) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> x(n);
  for (float& v : x) v = uniform(generator);
  return x;
}

inline TileProgram::Input dense(const Shape& space, DType dtype = f32) {
  TileProgram::Input input{dtype, {}};
  const Strides strides = row_major(space);
  for (int i = 0; i < space.rank(); ++i) input.strides[i] = strides[i];
  return input;
}
inline TileProgram::Input scalar_input(DType dtype = f32) { return TileProgram::Input{dtype, {}}; }

inline uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }

// y = relu(a * b + 0.5) - a
inline TileProgram chain(const Shape& space) {
  TileProgram program;
  program.space = space;
  program.inputs = {dense(space), dense(space)};
  program.constants = {{f32, bits(0.5f)}};
  program.steps = {{fn("mul"), f32, {0, 1, -1}},
                   {fn("add"), f32, {3, 2, -1}},
                   {fn("relu"), f32, {4, -1, -1}},
                   {fn("sub"), f32, {5, 0, -1}}};
  program.outputs = {{6}};
  return program;
}

}  // namespace brio::cpu::testing
