// How the parts of an element are structured: a tensor, a tuple, or named fields, nested to any depth. The parts
// themselves are a flat list, in order from left to right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brio::data {

class Structure {
 public:
  enum class Kind : uint8_t { tensor, tuple, named };

  Structure() = default;  // one tensor
  static Structure tuple(std::vector<Structure> items) { return {Kind::tuple, std::move(items), {}}; }
  static Structure tuple_of(size_t tensors) { return tuple(std::vector<Structure>(tensors)); }
  // Names are unique; throws InvalidArgument otherwise.
  static Structure named(std::vector<std::string> names, std::vector<Structure> items);
  static Structure named_tensors(std::vector<std::string> names);

  Kind kind() const { return kind_; }
  const std::vector<Structure>& items() const { return items_; }
  const std::vector<std::string>& names() const { return names_; }
  size_t parts() const;                      // tensors in it
  size_t first_part(size_t i) const;         // number of the first tensor of item i
  size_t find(std::string_view) const;       // the item of that name; throws InvalidArgument with the existing names
  std::string part_name(size_t part) const;  // "image", "1", "0.label"; "" if there is one tensor
  std::string str() const;                   // "(·, {image: ·, label: ·})"
  bool operator==(const Structure&) const = default;

 private:
  Structure(Kind kind, std::vector<Structure> items, std::vector<std::string> names)
      : kind_(kind), items_(std::move(items)), names_(std::move(names)) {}

  Kind kind_ = Kind::tensor;
  std::vector<Structure> items_;
  std::vector<std::string> names_;
};

}  // namespace brio::data
