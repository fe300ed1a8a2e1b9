#include "brio/backends/cuda/loop.h"

#include <algorithm>

#include "brio/backends/cuda/compiler.h"
#include "brio/backends/cuda/kernel_text.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::cuda {
namespace {

const Shape& space_of(const Graph& graph, const Node& node) {
  return graph.values[node.op->kind == OpKind::reduction ? node.in[0] : node.out[0]].shape;
}

std::string_view fold_of(const OpDef* op) {
  if (op == &op::reduce_sum) return "Sum";
  if (op == &op::reduce_prod) return "Prod";
  if (op == &op::reduce_max) return "Max";
  if (op == &op::reduce_min) return "Min";
  return op == &op::reduce_any ? "Any" : "All";
}

// Its result is one of its operands, but for the sign, and as short as they are.
bool gives_an_operand(const OpDef* op) {
  return op == &op::select || op == &op::relu || op == &op::neg || op == &op::abs || op == &op::min || op == &op::max;
}

// Of results that are rounded to 16 bits: is there a function that computes little more than these?
bool has_short_form(const OpDef* op, DType dtype) {
  return size_of(dtype) == 2 && is_floating(dtype) &&
         device_source("short_functions").find(cat(" short_", op->name, "(")) != std::string_view::npos;
}

// NumPy's rule: axes are aligned at the last.
std::vector<int64_t> strides_in(const Shape& space, const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(space.rank()), 0);
  const Strides own = row_major(shape);
  const int shift = space.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1) strides[static_cast<size_t>(i + shift)] = own[i];
  return strides;
}

// Some of the axes of a space, neighbours merged where every operand steps through both as through one.
LoopDims merged(const Shape& space, uint32_t axes, const std::vector<std::vector<int64_t>>& strides) {
  LoopDims dims;
  dims.strides.resize(strides.size());
  int before = -1;  // the axis that the last dim ends with
  for (int axis = 0; axis < space.rank(); ++axis) {
    if (!(axes >> axis & 1) || space[axis] == 1) continue;
    const auto a = static_cast<size_t>(axis);
    bool joins = before >= 0;
    for (int between = before + 1; joins && between < axis; ++between) joins = space[between] == 1;
    for (size_t o = 0; joins && o < strides.size(); ++o)
      joins = dims.strides[o].back() == strides[o][a] * static_cast<int64_t>(space[axis]);
    if (joins) dims.sizes.back() *= static_cast<int64_t>(space[axis]);
    else dims.sizes.push_back(space[axis]);
    for (size_t o = 0; o < strides.size(); ++o) {
      if (joins) dims.strides[o].back() = strides[o][a];
      else dims.strides[o].push_back(strides[o][a]);
    }
    before = axis;
  }
  return dims;
}

}  // namespace

int64_t LoopDims::elements() const {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

DType Loop::operand_dtype(size_t i) const {
  const size_t inputs = body->inputs.size();
  return body->values[i < inputs ? body->inputs[i].value : body->outputs[elementwise_outputs[i - inputs]]].dtype;
}

bool Loop::is_spread(size_t operand) const {
  return std::ranges::any_of(spreads, [&](const LoopSpread& s) { return s.rows == operand || s.places == operand; });
}

Loop Loop::of(std::shared_ptr<const Graph> graph) {
  Loop loop;
  loop.body = std::move(graph);
  const Graph& body = *loop.body;
  loop.space = space_of(body, body.nodes[0]);
  for (const Node& node : body.nodes)
    if (node.op->kind == OpKind::reduction) loop.reduced = reduced_axes(Attrs(node.attrs));
  for (size_t k = 0; k < body.outputs.size(); ++k) {
    const auto made = std::ranges::find_if(body.nodes, [&](const Node& n) { return n.out[0] == body.outputs[k]; });
    if (made->op->kind == OpKind::reduction)
      loop.reductions.push_back({made->in[0], k, fold_of(made->op), body.values[made->out[0]].dtype});
    else loop.elementwise_outputs.push_back(k);
  }
  const auto number_of = [&](ValueId v) {
    return static_cast<size_t>(std::ranges::find(body.inputs, v, &Graph::Input::value) - body.inputs.begin());
  };
  for (const Node& node : body.nodes)
    if (node.op == &op::spread_rows)
      loop.spreads.push_back(
          {number_of(node.in[0]), number_of(node.in[1]), static_cast<int64_t>(body.values[node.in[0]].shape[0]) - 1});
  // Rows lie as the table would, but for where one begins; places go with the first axis, which so stays by itself.
  std::vector<std::vector<int64_t>> strides;
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    if (!loop.is_spread(i)) {
      strides.push_back(strides_in(loop.space, body.values[body.inputs[i].value].shape));
      continue;
    }
    strides.push_back(strides_in(loop.space, loop.space));
    if (std::ranges::find(loop.spreads, i, &LoopSpread::places) == loop.spreads.end()) continue;
    std::ranges::fill(strides.back(), 0);
    strides.back()[0] = 1;
  }
  for (size_t i = 0; i < loop.elementwise_outputs.size(); ++i) strides.push_back(strides_in(loop.space, loop.space));
  const uint32_t all = (1u << loop.space.rank()) - 1;
  loop.kept = merged(loop.space, all & ~loop.reduced, strides);
  loop.folded = merged(loop.space, loop.reduced, strides);
  loop.wide = static_cast<int64_t>(loop.space.elements()) >= int64_t{1} << 31;

  // A thread moves as many neighbours as fit into 16 bytes of the widest operand, where these lie beside each other.
  // Operands that are read again and again, such as one number a channel, come out of a cache and do not count.
  int last = loop.space.rank() - 1;
  while (last > 0 && loop.space[last] == 1) --last;
  loop.by_rows = !loop.reductions.empty() && last >= 0 && (loop.reduced >> last & 1);
  const LoopDims& inner = loop.inner();
  if (inner.sizes.empty()) return loop;
  const auto repeats = [&](size_t o) {
    return std::ranges::count(loop.kept.strides[o], 0) + std::ranges::count(loop.folded.strides[o], 0) != 0;
  };
  size_t widest = 0, widest_repeated = 1;
  for (size_t o = 0; o < loop.operand_count(); ++o) {
    if (inner.strides[o].back() != 1) continue;
    size_t& of = repeats(o) ? widest_repeated : widest;
    of = std::max(of, size_of(loop.operand_dtype(o)));
  }
  if (widest == 0) widest = widest_repeated;
  int vector = static_cast<int>(std::min<size_t>(8, 16 / widest));
  if (!loop.reductions.empty() && !loop.by_rows)  // each thread folds into so many numbers, in shared memory at last
    while (vector > 1 && static_cast<size_t>(vector) * loop.reductions.size() > 16) vector /= 2;
  const auto fits = [&](int v) {
    // Without reductions a space of one dim may have a rest; others are whole rows of vectors.
    if ((!loop.reductions.empty() || inner.sizes.size() > 1) && inner.sizes.back() % v != 0) return false;
    for (size_t o = 0; o < loop.operand_count(); ++o) {
      if (inner.strides[o].back() != 1) continue;
      for (const LoopDims* dims : {&loop.kept, &loop.folded})
        for (size_t d = 0; d < dims->sizes.size(); ++d)
          if (!(dims == &inner && d + 1 == dims->sizes.size()) && dims->strides[o][d] % v != 0) return false;
    }
    return true;
  };
  while (vector > 1 && !fits(vector)) vector /= 2;
  loop.vector = vector;
  return loop;
}

bool Loop::moves_vectors(size_t operand, int of) const {
  return of > 1 && !inner().sizes.empty() && inner().strides[operand].back() == 1;
}

std::string node_obstacle(const Graph& graph, const Node& node) {
  for (const auto* values : {&node.in, &node.out})
    for (ValueId v : *values)
      if (!is_real(graph.values[v].dtype)) return cat("no loop over ", graph.values[v].dtype);
  if (node.op->kind == OpKind::reduction || node.op == &op::broadcast_to || node.op == &op::cast) return {};
  if (node.op == &op::spread_rows) {
    const Shape& table = graph.values[node.out[0]].shape;
    if (!table.known() || !graph.values[node.in[0]].shape.known()) return "a table of unknown size";
    // Rows of whole vectors: then a sum over the loop has the order, and the bits, that it has over the table. Of one
    // row the first axis would be no dim of the loop.
    const bool usual = table[0] > 1 && table.elements() / table[0] % 8 == 0;
    return usual && graph.values[node.in[1]].dtype == i32 ? "" : "no loop for such a table";
  }
  if (node.op->kind != OpKind::elementwise && node.op->name != "softsign")
    return cat("no loop holds ", node.op->name);
  const std::string_view source = device_source("elementwise");
  for (const char* form : {"op_", "UNARY(", "BINARY(", "TEST(", "COMPARE(", "LIBRARY("}) {
    const bool function = std::string_view(form) == "op_";
    if (source.find(cat(form, node.op->name, function ? "(" : ",")) != source.npos) return {};
  }
  return cat("no device function for ", node.op->name);
}

std::string loop_obstacle(const Graph& body) {
  if (is_concat(body)) return "a concat is no loop";
  for (const Node& node : body.nodes)
    if (std::string why = node_obstacle(body, node); !why.empty()) return why;
  for (const Node& spread : body.nodes) {
    if (spread.op != &op::spread_rows) continue;
    for (const Node& other : body.nodes) {
      const bool same = other.op == &op::spread_rows && other.in[1] == spread.in[1] &&
                        (&other == &spread || other.in[0] != spread.in[0]);
      if (!same && std::ranges::find_first_of(other.in, spread.in) != other.in.end())
        return "rows that are spread are read otherwise too";
    }
  }
  return {};
}

namespace {

// Writes the body of one loop. Parts of a text that need an operand ask it how it lies.
class Writer {
 public:
  Writer(const Loop& loop, int vector)
      : loop_(loop),
        in_columns_(!loop.reductions.empty() && !loop.by_rows),
        body_(*loop.body),
        vector_(vector),
        index_(loop.wide ? "i64" : "u32"),
        divider_(loop.wide ? "i64" : "Divider") {}

  const std::string& index() const { return index_; }

  // struct of parameters: pointers of operands, of reductions' results, of partial results; sizes; strides.
  std::string parameters() const {
    std::string text = cat("struct NAME_P {\n  const void* in[", std::max<size_t>(1, body_.inputs.size()),
                           "];\n  void* out[", std::max<size_t>(1, loop_.elementwise_outputs.size()), "];\n");
    if (!loop_.reductions.empty())
      text +=
          cat("  void* result[", loop_.reductions.size(), "];\n  void* partial[", loop_.reductions.size(), "];\n");
    text += cat("  ", index_, " kept, folded, per_block;\n");
    if (!loop_.spreads.empty()) text += cat("  ", index_, " last[", loop_.spreads.size(), "];\n");
    for (const auto& [dims, name] : {std::pair(&loop_.kept, "k"), std::pair(&loop_.folded, "f")}) {
      const size_t rank = dims->sizes.size();
      if (rank > 1) text += cat("  ", divider_, " ", name, "d[", rank - 1, "];\n");
      if (rank > 0)
        text += cat("  ", index_, " ", name, "s[", std::max<size_t>(1, loop_.operand_count()), "][", rank, "];\n");
    }
    return text + "};\n";
  }

  // Coordinates of the number `from` in the dims, innermost last: k0, k1, …
  std::string coordinates(const LoopDims& dims, std::string_view name, std::string_view from) const {
    const size_t rank = dims.sizes.size();
    if (rank == 0) return {};
    std::string text, rest = std::string(from);
    for (size_t d = rank; d-- > 1;) {
      text += cat("    const ", index_, " ", name, "q", d, " = quotient(", rest, ", p.", name, "d[", d - 1, "]);\n");
      text += cat("    const ", index_, " ", name, d, " = ", rest, " - ", name, "q", d, " * divisor(p.", name, "d[",
                  d - 1, "]);\n");
      rest = cat(name, "q", d);
    }
    text += cat("    const ", index_, " ", name, "0 = ", rest, ";\n");
    if (!holds_rows(dims)) return text;
    for (size_t k = 0; k < loop_.spreads.size(); ++k) {
      const LoopSpread& spread = loop_.spreads[k];
      text += cat("    const ", index_, " row", spread.rows, " = row_at(((const i32*)p.in[", spread.places, "])[",
                  name, "0], p.last[", k, "]);\n");
    }
    return text;
  }
  // The operand's offset by the coordinates in these dims.
  std::string offset(size_t operand, const LoopDims& dims, std::string_view name) const {
    std::string sum;
    for (size_t d = 0; d < dims.sizes.size(); ++d) {
      const int64_t stride = dims.strides[operand][d];
      if (stride == 0) continue;
      const bool by_place = d == 0 && holds_rows(dims) && is_rows(operand);
      sum += cat(sum.empty() ? "" : " + ", by_place ? cat("row", operand) : cat(name, d));
      if (stride != 1) sum += cat(" * p.", name, "s[", operand, "][", d, "]");
    }
    return sum.empty() ? "0" : sum;
  }
  bool is_scalar(size_t operand) const {
    for (const LoopDims* dims : {&loop_.kept, &loop_.folded})
      for (int64_t stride : dims->strides[operand])
        if (stride != 0) return false;
    return true;
  }
  std::string type(size_t operand) const { return std::string(type_name(loop_.operand_dtype(operand))); }

  // The first axis of all is the first of these dims: which row of a table it is.
  bool holds_rows(const LoopDims& dims) const {
    return !loop_.spreads.empty() && (&dims == &loop_.folded) == ((loop_.reduced & 1) != 0);
  }
  bool is_rows(size_t operand) const {
    return std::ranges::find(loop_.spreads, operand, &LoopSpread::rows) != loop_.spreads.end();
  }
  bool is_places(size_t operand) const { return loop_.is_spread(operand) && !is_rows(operand); }

  std::string scalars() const {  // before the loop
    std::string text;
    for (size_t i = 0; i < body_.inputs.size(); ++i)
      if (is_scalar(i))
        text += cat("  const ", wide_name(loop_.operand_dtype(i)), " x", i, " = wide(*(const ", type(i), "*)p.in[", i,
                    "]);\n");
    return text;
  }
  // Reads the operands of `vector` elements. at(i) is an operand's offset; `inner` is its stride between neighbours.
  template <typename At>
  std::string loads(At at, const LoopDims& inner, std::string_view inner_name, std::string_view rest_guard) {
    std::string text;
    for (size_t i = 0; i < body_.inputs.size(); ++i) {
      if (is_scalar(i) || is_places(i)) continue;
      const std::string pointer = cat("((const ", type(i), "*)p.in[", i, "] + (", at(i), "))");
      const int64_t step = inner.sizes.empty() ? 0 : inner.strides[i].back();
      if (vector_ == 1 || step == 0) {
        text += cat("    const ", wide_name(loop_.operand_dtype(i)), " x", i, " = wide(*", pointer, ");\n");
        continue;
      }
      const std::string pack = cat("Pack<", type(i), ", ", vector_, ">");
      text += cat("    ", pack, " r", i, ";\n");
      if (step == 1) {
        const std::string whole = cat("r", i, " = *(const ", pack, "*)", pointer, ";\n");
        if (rest_guard.empty()) text += cat("    ", whole);
        else
          text += cat("    if (whole) ", whole, "    else {\n#pragma unroll\n      for (int v = 0; v < ", vector_,
                      "; ++v) r", i, ".v[v] = ", pointer, "[", rest_guard, " ? v : 0];\n    }\n");
      } else {
        text += cat("#pragma unroll\n    for (int v = 0; v < ", vector_, "; ++v) r", i, ".v[v] = ", pointer,
                    "[v * p.", inner_name, "s[", i, "][", inner.sizes.size() - 1, "]];\n");
      }
      packed_.push_back(i);
    }
    return text;
  }
  // The ops, on one element; x… are there. Values are named by their number: t7.
  std::string ops() const {
    std::string text;
    for (size_t i : packed_)
      text += cat("      const ", wide_name(loop_.operand_dtype(i)), " x", i, " = wide(r", i, ".v[v]);\n");
    std::vector<std::string> name(body_.values.size());
    for (size_t i = 0; i < body_.inputs.size(); ++i) name[body_.inputs[i].value] = cat("x", i);
    for (const Node& node : body_.nodes) {
      if (node.op->kind == OpKind::reduction) continue;
      std::string& result = name[node.out[0]];
      if (node.op == &op::broadcast_to || node.op == &op::spread_rows) {
        result = name[node.in[0]];
        continue;
      }
      const DType dtype = body_.values[node.out[0]].dtype;
      result = cat("t", node.out[0]);
      std::string call = cat(has_short_form(node.op, dtype) ? "short_" : "op_", node.op->name);
      if (node.op == &op::cast) call += cat("<", type_name(dtype), ">");
      call += "(";
      for (size_t i = 0; i < node.in.size(); ++i) call += cat(i ? ", " : "", name[node.in[i]]);
      call += ")";
      if (!gives_an_operand(node.op)) call = cat("rounded<", type_name(dtype), ">(", call, ")");
      text += cat("      const ", wide_name(dtype), " ", result, " = ", call, ";\n");
    }
    for (size_t k = 0; k < loop_.elementwise_outputs.size(); ++k) {
      const ValueId v = body_.outputs[loop_.elementwise_outputs[k]];
      text += cat("      w", k, ".v[v] = narrow<", type_name(body_.values[v].dtype), ">(", name[v], ");\n");
    }
    for (size_t k = 0; k < loop_.reductions.size(); ++k)
      text += cat("      ", sum(k), " = ", fold(k), "::join(", sum(k), ", ", name[loop_.reductions[k].value], ");\n");
    return text;
  }
  std::string element_loop() const {
    std::string text;
    for (size_t k = 0; k < loop_.elementwise_outputs.size(); ++k)
      text += cat("    Pack<", type(body_.inputs.size() + k), ", ", vector_, "> w", k, ";\n");
    return text + cat("#pragma unroll\n    for (int v = 0; v < ", vector_, "; ++v) {\n", ops(), "    }\n");
  }
  template <typename At>
  std::string stores(At at, std::string_view rest_guard) const {
    std::string text;
    for (size_t k = 0; k < loop_.elementwise_outputs.size(); ++k) {
      const size_t operand = body_.inputs.size() + k;
      const std::string pointer = cat("((", type(operand), "*)p.out[", k, "] + (", at(operand), "))");
      const std::string whole = cat("*(Pack<", type(operand), ", ", vector_, ">*)", pointer, " = w", k, ";\n");
      if (rest_guard.empty()) text += cat("    ", whole);
      else
        text += cat("    if (whole) ", whole, "    else {\n#pragma unroll\n      for (int v = 0; v < ", vector_,
                    "; ++v) if (", rest_guard, ") ", pointer, "[v] = w", k, ".v[v];\n    }\n");
    }
    return text;
  }

  std::string accumulator(size_t k) const { return std::string(wide_name(loop_.reductions[k].dtype)); }
  std::string fold(size_t k) const { return cat("Fold", loop_.reductions[k].fold, "<", accumulator(k), ">"); }
  // Of columns a thread has one for each element of a vector.
  std::string sum(size_t k) const { return cat("a", k, in_columns_ ? "[v]" : ""); }
  std::string starts() const {
    std::string text;
    for (size_t k = 0; k < loop_.reductions.size(); ++k)
      text += cat("  ", accumulator(k), " a", k, " = ", fold(k), "::start();\n");
    return text;
  }
  std::string column_starts() const {
    std::string text;
    for (size_t k = 0; k < loop_.reductions.size(); ++k)
      text += cat("  ", accumulator(k), " a", k, "[", vector_, "];\n#pragma unroll\n  for (int v = 0; v < ", vector_,
                  "; ++v) a", k, "[v] = ", fold(k), "::start();\n");
    return text;
  }
  // Result or partial result of a kept element.
  std::string results(std::string_view indent, std::string_view at) const {
    std::string text;
    for (size_t k = 0; k < loop_.reductions.size(); ++k)
      text += cat(indent, "if (gridDim.y == 1) ((", type_name(loop_.reductions[k].dtype), "*)p.result[", k, "])[", at,
                  "] = narrow<", type_name(loop_.reductions[k].dtype), ">(", sum(k), ");\n", indent, "else ((",
                  accumulator(k), "*)p.partial[", k, "])[blockIdx.y * p.kept + ", at, "] = ", sum(k), ";\n");
    return text;
  }

 private:
  const Loop& loop_;
  const bool in_columns_;
  const Graph& body_;
  int vector_;
  std::string index_, divider_;
  std::vector<size_t> packed_;
};

}  // namespace

std::string elementwise_text(const Loop& loop, int vector) {
  Writer w(loop, vector);
  const bool flat = loop.kept.sizes.size() <= 1;
  const std::string guard = flat && vector > 1 ? "i + v < p.kept" : "";
  const auto at = [&](size_t operand) {
    return operand >= loop.body->inputs.size() || (flat && !w.is_scalar(operand)) ? std::string("i")
                                                                                  : w.offset(operand, loop.kept, "k");
  };
  std::string text = w.parameters();
  text += cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ NAME_P p) {\n",
              w.scalars());
  text += cat("  const ", w.index(), " step = (", w.index(), ")gridDim.x * 256 * ", vector, ";\n");
  text += cat("  for (", w.index(), " i = ((", w.index(), ")blockIdx.x * 256 + threadIdx.x) * ", vector,
              "; i < p.kept; i += step) {\n");
  if (!guard.empty()) text += cat("    const bool whole = i + ", vector, " <= p.kept;\n");
  if (!flat) text += w.coordinates(loop.kept, "k", "i");
  text += w.loads(at, loop.kept, "k", guard);
  text += w.element_loop();
  text += w.stores(at, guard);
  return text + "  }\n}\n";
}

std::string row_fold_text(const Loop& loop, int vector, int group) {
  Writer w(loop, vector);
  const auto at = [&](size_t operand) { return cat("b", operand, " + ", w.offset(operand, loop.folded, "f")); };
  std::string text = w.parameters();
  text += cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ NAME_P p) {\n",
              w.scalars());
  text += cat("  const ", w.index(), " k = (", w.index(), ")blockIdx.x * ", 256 / group, " + threadIdx.x / ", group,
              ";\n");
  text += cat("  const ", w.index(), " begin = blockIdx.y * p.per_block;\n  const ", w.index(),
              " end = begin + p.per_block < p.folded ? begin + p.per_block : p.folded;\n", w.starts());
  text += "  if (k < p.kept) {\n" + w.coordinates(loop.kept, "k", "k");
  for (size_t o = 0; o < loop.operand_count(); ++o)
    text += cat("    const ", w.index(), " b", o, " = ", w.offset(o, loop.kept, "k"), ";\n");
  text += cat("    for (", w.index(), " r = begin + (threadIdx.x % ", group, ") * ", vector,
              "; r < end; r += ", group * vector, ") {\n");
  text += w.coordinates(loop.folded, "f", "r");
  text += w.loads(at, loop.folded, "f", "");
  text += w.element_loop();
  text += w.stores(at, "");
  text += "    }\n  }\n";
  for (size_t k = 0; k < loop.reductions.size(); ++k) {
    if (group > 32)
      text += cat("  __shared__ ", w.accumulator(k), " s", k, "[32];\n  a", k, " = fold_block<", w.fold(k), ">(a", k,
                  ", s", k, ", 256);\n");
    else text += cat("  a", k, " = fold_threads<", w.fold(k), ">(a", k, ", ", group, ");\n");
  }
  return text + cat("  if (k < p.kept && threadIdx.x % ", group, " == 0) {\n", w.results("    ", "k"), "  }\n}\n");
}

std::string column_fold_text(const Loop& loop, int vector, int width) {
  Writer w(loop, vector);
  const auto at = [&](size_t operand) { return cat("b", operand, " + ", w.offset(operand, loop.folded, "f")); };
  const int rows = 256 / width;
  std::string text = w.parameters();
  text += cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ NAME_P p) {\n",
              w.scalars());
  text +=
      cat("  const ", w.index(), " k = ((", w.index(), ")blockIdx.x * ", width, " + threadIdx.x) * ", vector, ";\n");
  text += cat("  const ", w.index(), " begin = blockIdx.y * p.per_block;\n  const ", w.index(),
              " end = begin + p.per_block < p.folded ? begin + p.per_block : p.folded;\n", w.column_starts());
  text += "  if (k < p.kept) {\n" + w.coordinates(loop.kept, "k", "k");
  for (size_t o = 0; o < loop.operand_count(); ++o)
    text += cat("    const ", w.index(), " b", o, " = ", w.offset(o, loop.kept, "k"), ";\n");
  // Enough rows at once to keep memory busy, and few enough to be compiled soon.
  size_t bytes = 0;
  for (size_t o = 0; o < loop.body->inputs.size(); ++o)
    if (std::ranges::any_of(loop.folded.strides[o], [](int64_t stride) { return stride != 0; }))
      bytes += static_cast<size_t>(vector) * size_of(loop.operand_dtype(o));
  const size_t at_once = std::clamp<size_t>(96 / std::max<size_t>(1, bytes), 2, 6);
  text += cat("#pragma unroll ", at_once, "\n    for (", w.index(), " r = begin + threadIdx.y; r < end; r += ", rows,
              ") {\n");
  text += w.coordinates(loop.folded, "f", "r");
  text += w.loads(at, loop.kept, "k", "");
  text += w.element_loop();
  text += w.stores(at, "");
  text += "    }\n  }\n";
  const std::string each = cat("#pragma unroll\n  for (int v = 0; v < ", vector, "; ++v) ");
  for (size_t k = 0; k < loop.reductions.size(); ++k)
    text += cat("  __shared__ ", w.accumulator(k), " s", k, "[", vector, "][256];\n", each, "s", k,
                "[v][threadIdx.y * ", width, " + threadIdx.x] = a", k, "[v];\n");
  text += cat("  for (int half = ", rows / 2, "; half > 0; half /= 2) {\n    __syncthreads();\n",
              "    if (threadIdx.y < half) {\n");
  for (size_t k = 0; k < loop.reductions.size(); ++k)
    text += cat(each, "s", k, "[v][threadIdx.y * ", width, " + threadIdx.x] = a", k, "[v] = ", w.fold(k), "::join(a",
                k, "[v], s", k, "[v][(threadIdx.y + half) * ", width, " + threadIdx.x]);\n");
  text += cat("    }\n  }\n  if (threadIdx.y != 0 || k >= p.kept) return;\n", each, "{\n");
  return text + w.results("    ", "k + v") + "  }\n}\n";
}

std::string join_text(const Loop& loop) {
  Writer w(loop, 1);
  const size_t n = loop.reductions.size();
  std::string text = cat("struct NAME_P {\n  void* result[", n, "];\n  void* partial[", n, "];\n  ", w.index(),
                         " kept, parts;\n};\n");
  // Blocks of 32 results × 32 threads that share the parts of one.
  text +=
      cat("extern \"C\" __global__ void __launch_bounds__(1024) NAME(const __grid_constant__ NAME_P p) {\n  const ",
          w.index(), " k = (", w.index(), ")blockIdx.x * 32 + threadIdx.x;\n", w.starts());
  text += cat("  if (k < p.kept) {\n#pragma unroll 8\n    for (", w.index(),
              " i = threadIdx.y; i < p.parts; i += 32) {\n");
  for (size_t k = 0; k < n; ++k)
    text += cat("      a", k, " = ", w.fold(k), "::join(a", k, ", ((const ", w.accumulator(k), "*)p.partial[", k,
                "])[i * p.kept + k]);\n");
  text += "    }\n  }\n";
  // A warp has the parts of one result, then: 33 keeps its reads in different banks.
  text += cat("  __shared__ u64 shared[32 * 33];\n  const ", w.index(), " mine = (", w.index(),
              ")blockIdx.x * 32 + threadIdx.y;\n");
  for (size_t k = 0; k < n; ++k)
    text += cat("  {\n    ", w.accumulator(k), "* const s = (", w.accumulator(k),
                "*)shared;\n    __syncthreads();\n    s[threadIdx.y * 33 + threadIdx.x] = a", k,
                ";\n    __syncthreads();\n    a", k, " = fold_threads<", w.fold(k),
                ">(s[threadIdx.x * 33 + threadIdx.y], 32);\n    if (threadIdx.x == 0 && mine < p.kept) ((",
                type_name(loop.reductions[k].dtype), "*)p.result[", k, "])[mine] = narrow<",
                type_name(loop.reductions[k].dtype), ">(a", k, ");\n  }\n");
  return text + "}\n";
}

}  // namespace brio::cuda
