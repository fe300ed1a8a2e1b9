// A saved trace as text:
//
//   brio trace 2
//   arguments 1 results 1 effects 0
//   captured 2  bytes 3f800000  constant 0
//   cells 2  0 read  3 assigned
//   draws 0
//   recipes 1  2
//   graph
//   (%0: f32[n0,3], …) { … }
//
// Words are separated by spaces or new lines. In the graph, n0, n1, … are sizes of arguments that are not known.
// Recipes are constants from whose text code of the host is made again: the vocabulary of a look-up. Without them
// there is no such line.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "brio/base/error.h"
#include "brio/ir/sizes.h"
#include "brio/ops/control/effects.h"
#include "brio/runtime/saved_trace.h"
#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

constexpr size_t kSmallBytes = 64;  // a captured tensor of as many is part of the text
constexpr std::string_view kNoBytes = "none";

std::string hex(const void* data, size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(data)[i];
    text += {digits[byte >> 4], digits[byte & 15]};
  }
  return text;
}

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

// A body of code that has a recipe is named by the position of the recipe in the file.
constexpr std::string_view kRecipe = "recipe ";

// f(node, body) for each body of host code of a graph, and of the graphs in it; the result takes its place.
template <typename F>
Graph with_host_bodies(const Graph& graph, F f) {
  Graph made = graph;
  for (Node& node : made.nodes)
    for (auto& body : node.graphs) body = body->host ? f(made, node, body) : intern(with_host_bodies(*body, f));
  return made;
}

// The graph as it is written. The recipes of its code are added to `recipes`.
Graph with_recipes(const Graph& graph, std::vector<std::string>& recipes) {
  std::map<std::shared_ptr<const HostCode>, std::shared_ptr<const Graph>> known;
  return with_host_bodies(graph, [&](const Graph&, const Node&, const std::shared_ptr<const Graph>& body) {
    if (!body->host->recipe) return body;
    auto& named = known[body->host];
    if (!named) {
      HostCode code;
      code.name = cat(kRecipe, recipes.size());
      recipes.push_back(body->host->recipe());
      Graph copy = *body;
      copy.host = std::make_shared<const HostCode>(std::move(code));
      named = std::make_shared<const Graph>(std::move(copy));
    }
    return named;
  });
}

// The position of the constant that holds a text. Traces that need the same one share it.
size_t place_of_text(std::string_view text, std::vector<Tensor>& constants) {
  const Aval aval{Shape{static_cast<int64_t>(text.size())}, u8};
  const auto found = std::ranges::find_if(constants, [&](const Tensor& constant) {
    return constant.aval() == aval && std::memcmp(data_of(constant), text.data(), text.size()) == 0;
  });
  const auto place = static_cast<size_t>(found - constants.begin());
  if (found == constants.end()) constants.push_back(Tensor::from_bytes(text.data(), aval));
  return place;
}

// The text that stands for the code of a body that was read.
std::string_view text_of(const HostCode& code, std::span<const std::string> recipes) {
  const std::string_view name = code.name;
  if (!name.starts_with(kRecipe)) return name;
  size_t i = 0;
  const auto [end, error] = std::from_chars(name.data() + kRecipe.size(), name.data() + name.size(), i);
  if (error != std::errc() || end != name.data() + name.size() || i >= recipes.size())
    throw InvalidArgument(cat("there is no ", name));
  return recipes[i];
}

// A graph that was read, with code in its bodies.
Graph revived(const Graph& graph, std::span<const std::string> recipes) {
  return with_host_bodies(graph,
                          [&](const Graph& around, const Node& node, const std::shared_ptr<const Graph>& body) {
                            const bool token = node.op->kind == OpKind::effect;
                            std::vector<Aval> in, out;
                            for (size_t i = token; i < node.in.size(); ++i) in.push_back(around.values[node.in[i]]);
                            for (const ValueId value : body->outputs) out.push_back(body->values[value]);
                            return revived_body(*node.op, text_of(*body->host, recipes), in, out);
                          });
}

}  // namespace

std::string SavedTrace::write(std::span<const VariableRef> variables, std::vector<Tensor>& constants) const {
  refuse_host_code(trace_.graph);
  const bool effects =
      trace_.graph.outputs.size() >
      trace_.results + static_cast<size_t>(std::ranges::count_if(
                           trace_.cells, [](const TracedGraph::Cell& cell) { return cell.assigned; }));
  std::string text = cat("brio trace 2\narguments ", trace_.arguments.size(), " results ", trace_.results,
                         " effects ", effects ? 1 : 0, "\ncaptured ", trace_.captured.size());
  for (const Tensor& tensor : trace_.captured) {
    const Aval& aval = tensor.aval();
    if (aval.dtype != DType::string && aval.bytes() <= kSmallBytes) {
      text += cat("\n  bytes ", aval.bytes() == 0 ? std::string(kNoBytes) : hex(data_of(tensor), aval.bytes()));
      continue;
    }
    const auto it = std::ranges::find(constants, tensor.impl(), &Tensor::impl);
    text += cat("\n  constant ", it - constants.begin());
    if (it == constants.end()) constants.push_back(tensor);
  }
  text += cat("\ncells ", trace_.cells.size());
  for (const TracedGraph::Cell& cell : trace_.cells) {
    const auto it = std::ranges::find(variables, cell.variable);
    if (it == variables.end())
      throw InvalidArgument(cat("[saved function] variable '", cell.variable->name,
                                "' is not an attribute of what is saved, or of an object in it; make it one"));
    text += cat("\n  ", it - variables.begin(), cell.assigned ? " assigned" : " read");
  }
  text += cat("\ndraws ", trace_.draws.size());
  for (const TracedGraph::Draw& draw : trace_.draws) text += cat(" ", draw.drawn);
  std::vector<std::string> recipes;
  const Graph graph = with_recipes(trace_.graph, recipes);
  if (!recipes.empty()) text += cat("\nrecipes ", recipes.size());
  for (const std::string& recipe : recipes) text += cat("\n  ", place_of_text(recipe, constants));
  return text + "\ngraph\n" + graph.str() + "\n";
}

class TraceReader {
 public:
  TraceReader(std::string_view text, std::span<const VariableRef> variables, std::span<const Tensor> constants)
      : text_(text), variables_(variables), constants_(constants) {}

  SavedTrace run() {
    expect("brio");
    expect("trace");
    if (const size_t version = number("version"); version != 2)
      fail(cat("it was written by another version, ", version));
    const size_t arguments = number("arguments");
    made_.trace_.results = number("results");
    const size_t effects = number("effects");
    if (effects > 1) fail("effects is 0 or 1");
    read_captured();
    read_cells();
    for (size_t left = count("draws"); left > 0; --left) made_.trace_.draws.push_back({nullptr, number()});
    read_recipes();
    expect("graph");
    try {
      made_.trace_.graph = revived(Graph::parse(text_.substr(at_)), recipes_);
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
    check(arguments, effects);
    return std::move(made_);
  }

 private:
  void read_captured() {
    for (size_t left = count("captured"); left > 0; --left) {
      const std::string_view kind = word();
      if (kind == "constant") {
        const size_t i = number();
        if (i >= constants_.size()) fail(cat("there is no constant ", i));
        made_.trace_.captured.push_back(constants_[i]);
        bytes_.emplace_back();
        continue;
      }
      if (kind != "bytes") fail("'bytes' or 'constant' is expected");
      std::string_view digits = word();
      if (digits.empty()) fail("bytes are expected");
      if (digits == kNoBytes) digits = {};
      if (digits.size() % 2 != 0 || digits.size() > 2 * kSmallBytes) fail("these are no bytes");
      std::string bytes;
      for (size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0) fail("these are no bytes");
        bytes += static_cast<char>(high << 4 | low);
      }
      made_.trace_.captured.emplace_back();  // the graph says what they are
      bytes_.push_back(std::move(bytes));
    }
  }

  void read_cells() {
    for (size_t left = count("cells"); left > 0; --left) {
      const size_t i = number();
      if (i >= variables_.size()) fail(cat("there is no variable ", i));
      const std::string_view how = word();
      if (how != "read" && how != "assigned") fail("'read' or 'assigned' is expected");
      made_.trace_.cells.push_back({variables_[i], how == "assigned", 0});
    }
  }

  // Files of graphs whose code needs none have no list of them.
  void read_recipes() {
    const size_t before = at_;
    if (word() != "recipes") {
      at_ = before;
      return;
    }
    at_ = before;
    for (size_t left = count("recipes"); left > 0; --left) {
      const size_t i = number();
      if (i >= constants_.size()) fail(cat("there is no constant ", i));
      const Aval& aval = constants_[i].aval();
      if (aval.dtype != u8 || aval.shape.rank() != 1)
        fail(cat("constant ", i, " is ", format_aval(aval), ", which is no text of a recipe"));
      recipes_.emplace_back(static_cast<const char*>(data_of(constants_[i])), aval.bytes());
    }
  }

  // Does all of it belong together?
  void check(size_t arguments, size_t effects) {
    TracedGraph& trace = made_.trace_;
    const Graph& graph = trace.graph;
    if (arguments > graph.inputs.size() ||
        graph.inputs.size() != arguments + trace.captured.size() + trace.cells.size() + 2 * trace.draws.size())
      fail(cat("the graph has ", graph.inputs.size(), " inputs"));
    if (trace.results > graph.outputs.size()) fail(cat("the graph has ", graph.outputs.size(), " outputs"));
    const auto input = [&](size_t i) -> const Aval& { return graph.values[graph.inputs[i].value]; };
    size_t next = 0;
    for (; next < arguments; ++next) trace.arguments.push_back(input(next));
    for (size_t i = 0; i < trace.captured.size(); ++i, ++next) take_captured(i, input(next));
    auto output = static_cast<uint32_t>(trace.results);
    for (TracedGraph::Cell& cell : trace.cells) {
      if (!(input(next++) == cell.variable->aval))
        fail(cat("variable '", cell.variable->name, "' is ", format_aval(cell.variable->aval), ", but input ",
                 next - 1, " of the graph is ", format_aval(input(next - 1))));
      if (cell.assigned) cell.output = output++;
    }
    for (; next < graph.inputs.size(); ++next)
      if (!(input(next) == Aval{Shape(), u64})) fail("a seed or counter is no u64[]");
    if (graph.outputs.size() != output + effects) fail(cat("the graph has ", graph.outputs.size(), " outputs"));
    for (const TracedGraph::Cell& cell : trace.cells)
      if (cell.assigned && !(graph.values[graph.outputs[cell.output]] == cell.variable->aval))
        fail(cat("what is assigned to variable '", cell.variable->name, "' is of another kind"));
    if (effects && !is_token(graph.values[graph.outputs.back()])) fail("the last output is no token");
    check_sizes();
  }

  void take_captured(size_t i, const Aval& aval) {
    Tensor& tensor = made_.trace_.captured[i];
    if (!tensor.defined()) {
      if (aval.dtype == DType::string || bytes_[i].size() != aval.bytes())
        fail(cat("captured tensor ", i, " has ", bytes_[i].size(), " bytes, which is no ", format_aval(aval)));
      tensor = Tensor::from_bytes(bytes_[i].data(), aval);
    }
    if (!(tensor.aval() == aval))
      fail(cat("captured tensor ", i, " is ", format_aval(tensor.aval()), ", but the graph takes ",
               format_aval(aval)));
  }

  // Every size that is not known follows from those of arguments.
  void check_sizes() {
    TracedGraph& trace = made_.trace_;
    const uint32_t symbols = count_symbols(trace.graph);
    trace.open = symbols > 0;
    std::vector<bool> bound(symbols);
    for (const Aval& aval : trace.arguments)
      for (const Size size : aval.shape)
        if (const auto symbol = as_symbol(size)) bound[*symbol] = true;
    if (std::ranges::count(bound, true) != symbols) fail("a size in the graph is that of no argument");
  }

  std::string_view word() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
    return text_.substr(start, at_ - start);
  }
  void expect(std::string_view wanted) {
    if (word() != wanted) fail(cat("'", wanted, "' is expected"));
  }
  uint64_t number() {
    const std::string_view text = word();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail("a number is expected");
    return value;
  }
  uint64_t number(std::string_view name) {
    if (name != "version") expect(name);
    return number();
  }
  // Of things that take two bytes at least, so that there cannot be more.
  size_t count(std::string_view name) {
    const uint64_t n = number(name);
    if (n > text_.size() / 2) fail(cat("there are not so many ", name));
    return n;
  }
  [[noreturn]] void fail(const std::string& why) {
    const auto line = 1 + std::ranges::count(text_.substr(0, std::min(at_, text_.size())), '\n');
    throw InvalidArgument(cat("[saved function] line ", line, ": ", why));
  }

  std::string_view text_;
  std::span<const VariableRef> variables_;
  std::span<const Tensor> constants_;
  size_t at_ = 0;
  SavedTrace made_;
  std::vector<std::string> bytes_, recipes_;
};

SavedTrace SavedTrace::read(std::string_view text, std::span<const VariableRef> variables,
                            std::span<const Tensor> constants) {
  return TraceReader(text, variables, constants).run();
}

}  // namespace brio
