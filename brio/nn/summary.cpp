#include "brio/nn/summary.h"

#include <cstdio>
#include <map>
#include <set>

#include "brio/base/error.h"
#include "brio/nn/functional.h"

namespace brio::nn {
namespace {

// Widths of the text in each column; with rules and margins the tables are 76 wide.
constexpr int kPlain[] = {31, 22, 13};
constexpr int kConnected[] = {19, 17, 10, 17};
constexpr size_t kParams = 2;  // the column of numbers, which are set to the right
using Widths = std::span<const int>;

// Columns that a UTF-8 text takes on screen, for the letters that names have.
size_t width_of(std::string_view text) {
  size_t n = 0;
  for (char c : text) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

std::string repeated(std::string_view piece, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string rule(Widths widths, std::string_view left, std::string_view line, std::string_view cross,
                 std::string_view right) {
  std::string out(left);
  for (size_t i = 0; i < widths.size(); ++i) {
    if (i != 0) out += cross;
    out += repeated(line, static_cast<size_t>(widths[i]) + 2);
  }
  return out + std::string(right) + "\n";
}

std::string line(Widths widths, std::string_view bar, const std::vector<std::string>& cells) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto width = static_cast<size_t>(widths[i]);
    const std::string gap(width - std::min(width, width_of(cells[i])), ' ');
    out += cat(bar, " ", i == kParams ? gap + cells[i] : cells[i] + gap, " ");
  }
  return out + std::string(bar) + "\n";
}

// Breaks a text at spaces into lines that fit; a word that does not is cut short.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (word.size() > width) word = word.substr(0, width - 1) + "…";
    std::string& line = lines.back();
    if (line.empty()) line = word;
    else if (width_of(line) + 1 + width_of(word) <= width) line.append(1, ' ').append(word);
    else lines.push_back(word);
    at = end + 1;
  }
  return lines;
}

std::string thousands(int64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out.push_back(',');
    out.push_back(digits[i]);
  }
  return out;
}

// A row takes as many lines as its longest cell.
std::string row(Widths widths, std::string_view bar, const std::vector<std::string>& cells) {
  std::vector<std::vector<std::string>> columns;
  size_t lines = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    columns.push_back(wrapped(cells[i], static_cast<size_t>(widths[i])));
    lines = std::max(lines, columns.back().size());
  }
  std::string out;
  for (size_t n = 0; n < lines; ++n) {
    std::vector<std::string> parts;
    for (const auto& column : columns) parts.push_back(n < column.size() ? column[n] : "");
    out += line(widths, bar, parts);
  }
  return out;
}

// "dense[0][0], dense[1][0]": which result of which call goes into a layer.
std::string connections(const FunctionalModule& model, const Module& layer) {
  std::map<const CallNode*, int> call;
  std::map<const Module*, int> calls;
  for (const Symbol& input : model.inputs()) call[input.node().get()] = calls[&input.node()->layer.module()]++;
  for (const auto& node : model.nodes()) call[node.get()] = calls[&called_layer(*node).module()]++;
  std::string text;
  for (const auto& node : model.nodes()) {
    if (&called_layer(*node).module() != &layer) continue;
    for (const Symbol& input : node->inputs)
      text += cat(text.empty() ? "" : ", ", called_layer(*input.node()).name(), "[", call.at(input.node().get()),
                  "][", input.index(), "]");
  }
  return text.empty() ? "-" : text;
}

// One layer after the other, each once: such a model needs no word on what goes where.
bool is_a_line(const FunctionalModule& model) {
  std::set<const Module*> seen;
  const CallNode* before = model.inputs()[0].node().get();
  for (const auto& node : model.nodes()) {
    if (node->inputs.size() != 1 || node->inputs[0].node().get() != before) return false;
    if (!seen.insert(&called_layer(*node).module()).second) return false;
    before = node.get();
  }
  return model.inputs().size() == 1 && model.outputs().size() == 1;
}

struct Total {
  int64_t count = 0;
  double bytes = 0;
  Total& add(std::span<const Variable> variables) {
    for (const Variable& v : variables) {
      count += v.shape().elements();
      bytes += static_cast<double>(v.impl()->aval.bytes());
    }
    return *this;
  }
  std::string str() const {
    constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
    double size = bytes;
    size_t unit = 0;
    for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
    char text[64];
    std::snprintf(text, sizeof(text), "%.2f %s", size, units[unit]);
    return cat(thousands(count), " (", text, ")");
  }
};

}  // namespace

std::string summary_table(Module& module, const std::vector<Spec>& inputs, std::span<const Variable> optimizer) {
  const auto* graph = dynamic_cast<const FunctionalModule*>(&module);
  const bool connected = graph && !is_a_line(*graph);
  const Widths widths = connected ? Widths(kConnected) : Widths(kPlain);
  std::map<const Module*, std::string> shapes;
  if (graph)
    for (const Symbol& input : graph->inputs()) shapes[&input.node()->layer.module()] = input.spec().str();
  if (!inputs.empty())
    for (const Module::Traced& traced : module.trace_inside(inputs)) {
      std::string& text = shapes[traced.module];
      if (const std::string shape = traced.result.str(); text.find(shape) == std::string::npos)
        text += cat(text.empty() ? "" : ", ", shape);
    }
  std::string out = cat("Model: \"", module.name(), "\"\n");
  std::vector<std::string> titles = {"Layer (type)", "Output Shape", "Param #"};
  if (connected) titles.emplace_back("Connected to");
  out += rule(widths, "┏", "━", "┳", "┓") + row(widths, "┃", titles) + rule(widths, "┡", "━", "╇", "┩");
  bool first = true;
  for (const Layer& layer : module.modules()) {
    if (!first) out += rule(widths, "├", "─", "┼", "┤");
    first = false;
    const Module& m = layer.module();
    const auto shape = shapes.find(&m);
    std::vector<std::string> cells = {cat(m.name(), " (", m.kind(), ")"), shape == shapes.end() ? "?" : shape->second,
                                      m.has_weights() && !m.built() ? "0 (unbuilt)" : thousands(m.count_params())};
    if (connected) cells.push_back(connections(*graph, m));
    out += row(widths, "│", cells);
  }
  out += rule(widths, "└", "─", "┴", "┘");
  const Total trainable = Total().add(module.trainable_variables());
  const Total fixed = Total().add(module.non_trainable_variables());
  const Total slots = Total().add(optimizer);
  Total all = Total().add(module.variables()).add(optimizer);
  out += cat(" Total params: ", all.str(), "\n Trainable params: ", trainable.str(),
             "\n Non-trainable params: ", fixed.str(), "\n");
  if (!optimizer.empty()) out += cat(" Optimizer params: ", slots.str(), "\n");
  return out;
}

}  // namespace brio::nn
