// One case definition, five modes. A family's test file lists its ops; each gets a maker of cases, and every case
// runs as
//
//   correct      every implementation that says it can run the node, and the op as a user calls it: as the reference
//   threads      the same bits for any number of threads
//   sizes        shape rules and gradients for sizes that are not known, then filled in: as for the numbers
//   gradient     the tape's gradient, and the gradient of that, against central differences in float64
//   performance  time and bytes per second of the implementation that is chosen (only with BRIO_PERF)
//
// a composite op's plain definition against the reference, and the family's invalid calls, each of which must give an
// InvalidArgument that names the op and the values. Cases are made from fixed seeds; a failure prints the seed and
// the node, which is the reproducer.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "brio/base/philox.h"
#include "brio/ir/graph.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio::testing {

class Rng {
 public:
  explicit Rng(uint64_t seed) : stream_{seed, 0} {}
  uint64_t bits() { return stream_.u64(next_++); }
  int64_t range(int64_t low, int64_t high) {  // both included
    return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1));
  }
  double uniform(double low, double high) { return low + (high - low) * stream_.uniform_f64(next_++); }
  bool chance(double p) { return uniform(0, 1) < p; }

 private:
  RandomStream stream_;
  uint64_t next_ = 0;
};

enum class Fill {
  uniform,  // in [low, high), integers in [low, high]; bool: either
  bits,     // integers over their whole range; floats as uniform
  special,  // floats: zeros, infinities, NaN, extremes among uniform ones; integers as bits
};
struct Input {
  Aval aval;
  double low = -2, high = 2;
  Fill fill = Fill::uniform;
  std::function<void(Array& array)> adjust = nullptr;  // makes of random numbers what the op asks for
};
struct Case {
  std::vector<Input> inputs;
  std::vector<int64_t> attrs = {};
  std::vector<std::shared_ptr<const Graph>> graphs = {};  // bodies of control ops
};

struct OpTest {
  const OpDef* op;
  std::vector<DType> dtypes;                               // the i-th case gets dtypes[i % size]
  std::function<Case(Rng& rng, DType dtype, int i)> make;  // i: 0 … kCases - 1; for gradients with f64
  std::function<Case(DType dtype)> large = nullptr;        // for performance
  bool exact = false;                                      // bit for bit
  std::string no_differences = {};                         // why its gradient is tested elsewhere
  double roundings = 1;                                    // to f16 or bf16 that a device may make on the way
  std::vector<std::pair<size_t, int>> numbers = {};        // inputs and axes, from the end, whose sizes must be known
};
void PrintTo(const OpTest& test, std::ostream* out);
inline constexpr int kCases = 27;  // valid cases per op: ranks 0 to 8, three times
inline constexpr int kGradientCases = 9;

// An invalid call, and what its message must contain besides "[op]".
struct Invalid {
  const OpDef* op;
  std::string what;
  std::function<void()> call;
  std::vector<std::string> fragments;
};

// Families add theirs before main.
struct AddOpTests {
  AddOpTests(std::function<std::vector<OpTest>()> tests, std::function<std::vector<Invalid>()> invalid);
};
const std::vector<OpTest>& op_tests();
const std::vector<Invalid>& invalid_calls();

// ---- for makers

inline const std::vector<DType> kFloats = {f32, f64, f16, bf16};
inline const std::vector<DType> kIntegers = {i8, i16, i32, i64, u8, u16, u32, u64};
inline const std::vector<DType> kNumbers = {f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64};
inline const std::vector<DType> kSigned = {f32, f64, f16, bf16, i8, i16, i32, i64};
inline const std::vector<DType> kAll = {f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean};

// A shape of this rank with a few hundred elements at most; now and then (never where `zeros` is false) an empty one.
Shape random_shape(Rng& rng, int rank, bool zeros = true);
// A shape that broadcasts to `shape`: leading axes missing, others 1.
Shape broadcastable(Rng& rng, const Shape& shape);
std::vector<int64_t> list(std::initializer_list<std::vector<int64_t>> lists);  // attributes: lists one after another

Array make_array(Rng& rng, const Input& input);

// ---- for invalid calls

Tensor tensor(const Shape& shape, DType dtype = f32);  // zeros, computed
Tensor call(const OpDef& op, std::initializer_list<Tensor> in, std::vector<int64_t> attrs = {});

// ---- comparison

double relative_tolerance(DType dtype);  // of one op's results; 0 for what is counted
// How far a number of this size may be off: what cancels in a sum is as small as its largest term allows.
double allowed(double relative, double size, double largest);
// Empty when they agree within the dtype's tolerance, times a factor; else the first element that does not.
std::string difference(const Array& actual, const Array& expected, bool exact = false, double factor = 1);

}  // namespace brio::testing
