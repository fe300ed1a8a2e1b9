// An equation of einsum, read and checked against the operands' shapes.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "brio/tensor/shape.h"

namespace brio {

struct EinsumEquation {
  // One character per axis. The axes of an ellipsis have labels of their own, counted from the last one: those below
  // kFirstLetter.
  std::vector<std::string> operands;
  std::string output;
  std::array<Size, 128> size{};  // by label

  static constexpr char kFirstLetter = 'A';
  static bool broadcasts(char label) { return label < kFirstLetter; }
  Size size_of(char label) const { return size[static_cast<unsigned char>(label)]; }

  // Throws InvalidArgument that names the equation and what is wrong with it.
  EinsumEquation(std::string_view text, const std::vector<Shape>& shapes);
};

}  // namespace brio
