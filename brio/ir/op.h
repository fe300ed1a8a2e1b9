// A row of the op table. Everything that Brio knows about an op is here or registered under it: shape rule, gradient
// rule, cost, plain definition. Backends find kernels by op. Passes ask the row and keep no list of ops.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio {

class Tensor;
class GradContext;

enum class OpKind : uint8_t {
  constant,     // no inputs, value in the attributes
  elementwise,  // out[i] = f(in[i]…), NumPy broadcasting
  reduction,    // folds axes
  view,         // same bytes under another shape
  movement,     // moves elements, computes nothing
  contraction,  // products over windows or axes: matrices, convolutions, pooling
  indexed,      // reads or writes at positions that integer inputs give
  random,       // a pure function of seed and counter
  composite,    // a fused form that carries its plain definition
  control,      // runs other graphs
  effect,       // does something on the host: token and inputs → token and outputs
};
std::string_view name_of(OpKind kind);

// An attribute is one word, except lists: a count and that many words. Lists come after single words. `extents` are a
// list of sizes or positions along axes; only they may depend on the shapes of the inputs.
enum class AttrKind : uint8_t { integer, flag, dtype, real, name, list, extents };
inline bool is_list(AttrKind kind) { return kind == AttrKind::list || kind == AttrKind::extents; }
struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  std::span<const std::string_view> names = {};  // kind name: the word is an index into these
};

// A list of extents, whose words are sizes.
class Extents {
 public:
  explicit Extents(std::span<const int64_t> words) : words_(words) {}
  size_t size() const { return words_.size(); }
  Size operator[](size_t i) const { return Size::of_word(words_[i]); }
  Shape shape() const;  // throws InvalidArgument

 private:
  std::span<const int64_t> words_;
};

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::span<const int64_t> words) : words_(words) {}
  int64_t operator[](size_t i) const { return words_[i]; }
  std::span<const int64_t> list(size_t at) const { return words_.subspan(at + 1, static_cast<size_t>(words_[at])); }
  Extents extents(size_t at) const { return Extents(list(at)); }
  size_t after_list(size_t at) const { return at + 1 + static_cast<size_t>(words_[at]); }
  std::span<const int64_t> words() const { return words_; }

 private:
  std::span<const int64_t> words_;
};

class Graph;
struct OpDef;

struct OpCall {
  const OpDef& op;
  std::span<const Aval* const> in;
  Attrs attrs;
  std::span<const Graph* const> graphs;  // bodies of control ops
};

struct Cost {
  double flops = 0;
  double bytes = 0;
};

using InferFn = void (*)(const OpCall& call, std::vector<Aval>& out);  // throws InvalidArgument
using DataCheckFn = void (*)(const OpCall& call, const void* data);    // throws as well
using GradFn = void (*)(GradContext& context);
using CostFn = Cost (*)(const OpCall& call, std::span<const Aval> out);
// Records the plain form of a composite op and returns its outputs.
using PlainFn = std::vector<Tensor> (*)(std::span<const Tensor> in, Attrs attrs);

// Which values a gradient rule reads: bit i for input i (inputs 6 and up share bit 6), kNeedsOutput for outputs.
inline constexpr uint8_t kNeedsOutput = 0x80, kNeedsNothing = 0, kNeedsInputs = 0x7f;
inline constexpr uint8_t kNeedsFirst = 1, kNeedsSecond = 2, kNeedsBoth = 3, kNeedsThree = 7;

// Dtypes that an op takes besides the real ones: OpDef::also_takes.
inline constexpr uint8_t kComplex = 1, kStrings = 2;

struct OpDef {
  std::string_view name;
  std::string_view summary;
  OpKind kind;
  int min_inputs;
  int max_inputs;  // -1: any number
  std::span<const AttrSpec> attrs = {};
  InferFn infer = nullptr;
  GradFn grad = nullptr;
  std::string_view no_grad = {};  // the reason, if grad is null
  CostFn cost = nullptr;
  PlainFn plain = nullptr;  // composite ops only
  bool expands = false;     // plans run its plain form, of ops with one output each, instead of a kernel
  uint8_t grad_needs = kNeedsInputs;
  bool commutative = false;
  bool may_fail = false;  // a kernel may refuse the data (an index out of range); it then runs before in-place writes
  // Checks the second input (indices or labels) as the kernel would. Eager code calls it at the call of the op, if
  // the input is small and known by then.
  DataCheckFn check_second = nullptr;
  // kComplex: infer and the kernels take complex inputs. kStrings: infer does; string results are computed at once,
  // on the numbers of the elements (ir/string_moves.h), and ops that only take strings have a kernel for them.
  uint8_t also_takes = 0;
};

// Throws InvalidArgument for an input with a dtype that the row does not take.
[[noreturn]] void refuse_dtype(const OpDef& op, DType dtype);
inline void check_dtype(const OpDef& op, DType dtype) {
  if (!is_real(dtype) && !(op.also_takes & (is_complex(dtype) ? kComplex : kStrings))) [[unlikely]]
    refuse_dtype(op, dtype);
}

// The table. Families register their rows once; check_op_table() throws InternalError naming every incomplete row.
void register_ops(std::span<const OpDef* const> rows);
std::span<const OpDef* const> op_table();  // by name
const OpDef* find_op(std::string_view name);
void check_op_table();
std::string op_table_markdown();  // docs/ops.md

// For shape rules: "[op] what went wrong".
[[noreturn]] void throw_invalid(const OpDef& op, const std::string& message);

}  // namespace brio
