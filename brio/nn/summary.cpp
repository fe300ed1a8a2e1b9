#include "brio/nn/summary.h"

#include <array>
#include <cstdio>

#include "brio/base/error.h"

namespace brio::nn {
namespace {

constexpr std::array<int, 3> kWidths = {31, 22, 13};  // of the text in each column; 76 with rules and margins

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

std::string rule(std::string_view left, std::string_view line, std::string_view cross, std::string_view right) {
  std::string out(left);
  for (size_t i = 0; i < kWidths.size(); ++i) {
    if (i != 0) out += cross;
    out += repeated(line, static_cast<size_t>(kWidths[i]) + 2);
  }
  return out + std::string(right) + "\n";
}

std::string row(std::string_view bar, const std::array<std::string, 3>& cells) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto width = static_cast<size_t>(kWidths[i]);
    const std::string gap(width - std::min(width, width_of(cells[i])), ' ');
    out += cat(bar, " ", i == 2 ? gap + cells[i] : cells[i] + gap, " ");
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

std::string shape_text(const Shape& shape) {
  std::string out = "(None";
  for (int i = 1; i < shape.rank(); ++i) out += cat(", ", shape[i]);
  return out + (shape.rank() == 1 ? ",)" : ")");
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

std::string summary_table(const Module& module, const Shape& input, std::span<const Variable> optimizer) {
  std::string out = cat("Model: \"", module.name(), "\"\n");
  out += rule("┏", "━", "┳", "┓");
  out += row("┃", {"Layer (type)", "Output Shape", "Param #"});
  out += rule("┡", "━", "╇", "┩");
  Shape shape = input;
  bool first = true;
  for (const Layer& layer : module.modules()) {
    if (!first) out += rule("├", "─", "┼", "┤");
    first = false;
    const Module& m = layer.module();
    std::string shown = "?", params = m.has_weights() && !m.built() ? "0 (unbuilt)" : thousands(m.count_params());
    if (input.rank() > 0) {
      shape = m.output_shape(shape);
      shown = shape_text(shape);
    }
    const auto names = wrapped(cat(m.name(), " (", m.kind(), ")"), static_cast<size_t>(kWidths[0]));
    for (size_t i = 0; i < names.size(); ++i) out += row("│", {names[i], i == 0 ? shown : "", i == 0 ? params : ""});
  }
  out += rule("└", "─", "┴", "┘");
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
