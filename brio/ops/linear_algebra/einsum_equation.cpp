#include "brio/ops/linear_algebra/einsum_equation.h"

#include <algorithm>

#include "brio/ops/check.h"

namespace brio {
namespace {

constexpr char kEllipsis = '.';

class EquationReader {
 public:
  explicit EquationReader(std::string_view text) : text_(text) {}

  [[noreturn]] void refuse(const std::string& message) const {
    throw_invalid("einsum", cat("equation '", text_, "': ", message));
  }

  // The labels of one term; an ellipsis becomes a single '.'.
  std::string term(std::string_view part) const {
    std::string labels;
    for (size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if (c == ' ') continue;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        labels += c;
      } else if (part.substr(i, 3) == "...") {
        if (labels.find(kEllipsis) != std::string::npos) refuse(cat("'", part, "' has two ellipses; one is allowed"));
        labels += kEllipsis;
        i += 2;
      } else {
        refuse(cat("'", c, "' in '", part, "' is no label; labels are letters, and axes without names are '...'"));
      }
    }
    return labels;
  }

 private:
  std::string_view text_;
};

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(',', begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// Ellipsis axis i from the end, as a label; 0 would end strings in messages.
char ellipsis_label(int from_end) { return static_cast<char>(from_end + 1); }

std::string expanded(const std::string& term, int ellipsis_axes) {
  const size_t at = term.find(kEllipsis);
  if (at == std::string::npos) return term;
  std::string axes;
  for (int i = ellipsis_axes - 1; i >= 0; --i) axes += ellipsis_label(i);
  return term.substr(0, at) + axes + term.substr(at + 1);
}

}  // namespace

EinsumEquation::EinsumEquation(std::string_view text, const std::vector<Shape>& shapes) {
  const EquationReader reader(text);
  const size_t arrow = text.find("->");
  const auto parts = split_at_commas(text.substr(0, arrow));
  if (parts.size() != shapes.size())
    reader.refuse(cat("it names ", parts.size(), " operands, but got ", shapes.size()));
  size.fill(-1);
  int most = 0;  // axes of the longest ellipsis
  std::array<int, 128> seen{};
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string term = reader.term(parts[i]);
    const Shape& shape = shapes[i];
    const bool ellipsis = term.find(kEllipsis) != std::string::npos;
    const int named = static_cast<int>(term.size()) - ellipsis, left = shape.rank() - named;
    if (left < 0 || (left > 0 && !ellipsis))
      reader.refuse(cat("'", parts[i], "' has ", named, " labels, but operand ", i, " has shape ", shape,
                        left > 0 ? "; give every axis a label, or write '...' for the others" : ""));
    most = std::max(most, left);
    std::string& labels = operands.emplace_back(expanded(term, left));
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const char label = labels[static_cast<size_t>(axis)];
      Size& known = size[static_cast<unsigned char>(label)];
      ++seen[static_cast<unsigned char>(label)];
      if (known == -1) known = shape[axis];
      const bool spreads = broadcasts(label) && (known == 1 || shape[axis] == 1);
      if (known != shape[axis] && !spreads)
        reader.refuse(broadcasts(label) ? cat("the axes of '...' do not broadcast: operand ", i, " of shape ", shape,
                                              " has ", shape[axis], " where another has ", known)
                                        : cat("label '", label, "' has size ", known, ", but axis ", axis,
                                              " of operand ", i, " of shape ", shape, " has ", shape[axis]));
      known = broadcast(known, shape[axis]);
    }
  }
  if (arrow == std::string_view::npos) {
    output = expanded(std::string(1, kEllipsis), most);
    for (int c = kFirstLetter; c < 128; ++c)
      if (seen[static_cast<size_t>(c)] == 1) output += static_cast<char>(c);
    return;
  }
  const std::string term = reader.term(text.substr(arrow + 2));
  if (most > 0 && term.find(kEllipsis) == std::string::npos)
    reader.refuse(cat("an operand has '...' with ", most, " axes, but the output has none; write it there too"));
  output = expanded(term, most);
  for (const char label : output) {
    if (size_of(label) < 0) reader.refuse(cat("the output has label '", label, "', which no operand has"));
    if (std::count(output.begin(), output.end(), label) > 1)
      reader.refuse(cat("the output has label '", label, "' more than once"));
  }
}

}  // namespace brio
