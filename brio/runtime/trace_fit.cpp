// Traces of a function in several sizes → one trace for all sizes.
#include <algorithm>
#include <cmath>
#include <optional>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/ir/outline.h"
#include "brio/runtime/saved_trace.h"

namespace brio {
namespace {

// Nothing is computed when a function is traced, so that sizes cost nothing. These are unlike those of layers: what
// is equal to a size by chance would be taken for it. Forms are fitted to the first two and checked with the others,
// which leave other remainders.
constexpr int64_t kFirst[] = {47, 53, 59}, kSecond[] = {61, 67, 71}, kChecks[][3] = {{74, 82, 86}, {105, 111, 118}};
constexpr int64_t kMostElements = 1024;  // of a captured tensor that follows sizes

// The whole number that the bits stand for.
std::optional<int64_t> whole(uint64_t bits, DType dtype) {
  if (!is_real(dtype)) return std::nullopt;
  return visit(dtype, [&](auto t) -> std::optional<int64_t> {
    using T = decltype(t);
    const T value = from_bits<T>(bits);
    if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(value);
    } else {
      const auto number = static_cast<double>(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(value));
      if (!(std::abs(number) < 0x1p53) || number != std::floor(number)) return std::nullopt;
      return static_cast<int64_t>(number);
    }
  });
}

uint64_t element_bits(const Tensor& tensor, size_t i) {
  uint64_t bits = 0;
  const size_t size = size_of(tensor.dtype());
  std::memcpy(&bits, static_cast<const char*>(data_of(tensor)) + i * size, size);
  return bits;
}

// The op that a size or a number, by its place in the outline, belongs to.
class OpAtPlace {
 public:
  OpAtPlace(const Graph& graph, bool of_sizes, size_t place) : left_(place), of_sizes_(of_sizes) { visit(graph); }
  const std::string& name() const { return name_; }

 private:
  void visit(const Graph& graph) {
    for (const Graph::Input& input : graph.inputs)
      if (of_sizes_)
        for (int i = 0; i < graph.values[input.value].shape.rank(); ++i) count("an input of a body");
    for (const Node& node : graph.nodes) {
      for_each_word(
          node, std::span(node.attrs), [](int64_t) {},
          [&](int64_t) {
            if (of_sizes_) count(node.op->name);
          },
          [&](int64_t) {
            if (!of_sizes_) count(node.op->name);
          });
      for (const auto& body : node.graphs) {
        if (std::ranges::find(seen_, body.get()) != seen_.end()) continue;
        seen_.push_back(body.get());
        visit(*body);
      }
    }
  }
  void count(std::string_view name) {
    if (left_-- == 0) name_ = name;
  }

  size_t left_;
  bool of_sizes_;
  std::string name_;
  std::vector<const Graph*> seen_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw InvalidArgument(cat("[saved function] ", what,
                            ", so that it is not one graph for every size; give the sizes that are None, or write it "
                            "with ops that follow them"));
}

}  // namespace

class TraceFit {
 public:
  // `symbol_of`: per unknown size, in order.
  TraceFit(const BodyFn& body, std::span<const SizedAs> arguments, std::span<const size_t> symbol_of)
      : body_(body), arguments_(arguments), symbol_of_(symbol_of) {
    symbols_ = *std::ranges::max_element(symbol_of) + 1;
  }

  SavedTrace run() {
    const size_t corners = size_t{1} << symbols_;
    for (size_t corner = 0; corner < corners; ++corner)
      trace([&](size_t i) { return corner >> i & 1 ? kSecond[i] : kFirst[i]; });
    for (const auto& check : kChecks) trace([&](size_t i) { return check[i]; });
    SavedTrace made(std::move(traces_[0]));
    made.symbols_ = symbols_;
    for (size_t place = 0; place < outlines_[0].extents.size(); ++place) {
      const auto form = fit([&](size_t k) { return std::optional(outlines_[k].extents[place]); });
      if (!form)
        refuse(cat("a size of [", OpAtPlace(made.trace_.graph, true, place).name(),
                   "] follows no sizes of the arguments"));
      if (form->varies()) made.sizes_.push_back({place, *form});
    }
    fit_numbers(made);
    for (size_t i = 0; i < made.trace_.captured.size(); ++i) fit_captured(made, i);
    return made;
  }

 private:
  template <typename SizeOf>
  void trace(SizeOf size_of_symbol) {
    std::vector<Aval> avals;
    size_t unknown = 0;
    symbol_sizes_.emplace_back();
    for (size_t i = 0; i < symbols_; ++i) symbol_sizes_.back().push_back(size_of_symbol(i));
    for (const SizedAs& argument : arguments_) {
      std::vector<int64_t> dims = argument.dims;
      for (int64_t& dim : dims)
        if (dim < 0) dim = size_of_symbol(symbol_of_[unknown++]);
      avals.push_back({Shape(dims), argument.dtype});
    }
    traces_.push_back(trace_graph(body_, avals));
    outlines_.emplace_back(traces_.back().graph, Outline::Bodies{}, Outline::Numbers::everywhere);
    if (traces_.size() == 1) return;
    const auto variables = [](const TracedGraph& t) {
      std::vector<const VariableImpl*> all;
      for (const TracedGraph::Cell& cell : t.cells) all.push_back(cell.variable.get());
      return all;
    };
    // The first is moved to the result in the end: compare with it while it is here.
    if (outlines_.back().structure != outlines_[0].structure || traces_.back().results != traces_[0].results ||
        traces_.back().captured.size() != traces_[0].captured.size() ||
        variables(traces_.back()) != variables(traces_[0]))
      refuse("it records other ops when an argument has another size");
  }

  // Through the value of each trace.
  template <typename ValueOf>
  std::optional<SizeForm> fit(ValueOf value_of) const {
    std::vector<int64_t> corners;
    const size_t n = size_t{1} << symbols_;
    for (size_t k = 0; k < n; ++k) {
      const std::optional<int64_t> value = value_of(k);
      if (!value) return std::nullopt;
      corners.push_back(*value);
    }
    const auto form = SizeForm::fit(std::move(corners), std::span(kFirst, symbols_), std::span(kSecond, symbols_));
    for (size_t k = n; form && k < symbol_sizes_.size(); ++k)
      if (value_of(k) != form->at(symbol_sizes_[k])) return std::nullopt;
    return form;
  }
  template <typename BitsOf>
  bool same_in_all(BitsOf bits_of) const {
    for (size_t k = 1; k < symbol_sizes_.size(); ++k)
      if (bits_of(k) != bits_of(0)) return false;
    return true;
  }

  void fit_numbers(SavedTrace& made) {
    const std::vector<DType> dtypes = dtypes_of_constants(made.trace_.graph);
    for (size_t place = 0; place < outlines_[0].constants.size(); ++place) {
      const auto bits = [&](size_t k) { return outlines_[k].constants[place]; };
      if (same_in_all(bits)) continue;
      const auto form = fit([&](size_t k) { return whole(bits(k), dtypes[place]); });
      if (!form) refuse("a number in it follows no sizes of the arguments");
      made.numbers_.push_back({place, *form});
    }
  }
  static std::vector<DType> dtypes_of_constants(const Graph& graph) {
    std::vector<DType> dtypes;
    std::vector<const Graph*> seen;
    const auto visit = [&](const auto& self, const Graph& g) -> void {
      for (const Node& node : g.nodes) {
        if (node.op->kind == OpKind::constant) dtypes.push_back(static_cast<DType>(node.attrs[0]));
        for (const auto& body : node.graphs) {
          if (std::ranges::find(seen, body.get()) != seen.end()) continue;
          seen.push_back(body.get());
          self(self, *body);
        }
      }
    };
    visit(visit, graph);
    return dtypes;
  }

  void fit_captured(SavedTrace& made, size_t i) {
    const auto tensor = [&](size_t k) -> const Tensor& {
      return k == 0 ? made.trace_.captured[i] : traces_[k].captured[i];
    };
    const Aval& aval = tensor(0).aval();
    const auto equal = [&](size_t k) {
      return tensor(k).impl() == tensor(0).impl() ||
             (tensor(k).aval() == aval && aval.dtype != DType::string &&
              (aval.bytes() == 0 || std::memcmp(data_of(tensor(k)), data_of(tensor(0)), aval.bytes()) == 0));
    };
    bool all_equal = true;
    for (size_t k = 1; k < symbol_sizes_.size(); ++k) all_equal &= equal(k);
    if (all_equal) return;
    for (size_t k = 0; k < symbol_sizes_.size(); ++k)
      if (!(tensor(k).aval() == aval) || aval.shape.elements() > kMostElements || !is_real(aval.dtype))
        refuse(cat("it captured a tensor, of shape ", aval.shape, ", that is another one for other sizes"));
    for (size_t e = 0; e < static_cast<size_t>(aval.shape.elements()); ++e) {
      const auto bits = [&](size_t k) { return element_bits(tensor(k), e); };
      if (same_in_all(bits)) continue;
      const auto form = fit([&](size_t k) { return whole(bits(k), aval.dtype); });
      if (!form) refuse("a number in it follows no sizes of the arguments");
      made.elements_.push_back({i, e, *form});
    }
  }

  const BodyFn& body_;
  std::span<const SizedAs> arguments_;
  std::span<const size_t> symbol_of_;
  size_t symbols_;
  std::vector<TracedGraph> traces_;  // the corners, then the checks
  std::vector<Outline> outlines_;
  std::vector<std::vector<int64_t>> symbol_sizes_;
};

SavedTrace SavedTrace::of(const BodyFn& body, std::span<const SizedAs> arguments) {
  std::vector<size_t> apart, by_axis, one;
  for (const SizedAs& argument : arguments)
    for (size_t axis = 0; axis < argument.dims.size(); ++axis) {
      if (argument.dims[axis] >= 0) continue;
      apart.push_back(apart.size());
      by_axis.push_back(std::min(axis, SizeForm::kMostSymbols - 1));
      one.push_back(0);
    }
  if (apart.empty()) {
    std::vector<Aval> avals;
    for (const SizedAs& argument : arguments) avals.push_back({Shape(argument.dims), argument.dtype});
    return SavedTrace(trace_graph(body, avals));
  }
  // Sizes that have to be equal, such as the batch of two arguments, cannot vary apart: then those of an axis are
  // one.
  std::vector<std::vector<size_t>> ways;
  if (apart.size() <= SizeForm::kMostSymbols) ways.push_back(apart);
  for (auto& way : {by_axis, one}) {
    auto numbered = way;  // from 0, without gaps
    std::vector<size_t> known;
    for (size_t& symbol : numbered) {
      const auto it = std::ranges::find(known, symbol);
      const auto number = static_cast<size_t>(it - known.begin());
      if (it == known.end()) known.push_back(symbol);
      symbol = number;
    }
    if (ways.empty() || numbered != ways.back()) ways.push_back(numbered);
  }
  for (size_t i = 0; i + 1 < ways.size(); ++i) {
    try {
      return TraceFit(body, arguments, ways[i]).run();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception&) {  // the last way says what is wrong
    }
  }
  return TraceFit(body, arguments, ways.back()).run();
}

}  // namespace brio
