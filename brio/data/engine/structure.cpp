#include "brio/data/engine/structure.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio::data {

Structure Structure::named(std::vector<std::string> names, std::vector<Structure> items) {
  if (names.size() != items.size())
    throw InvalidArgument(cat("[dataset] ", names.size(), " names were given for ", items.size(), " fields"));
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw InvalidArgument(cat("[dataset] two fields are called '", *twice, "'; a name stands for one field"));
  return {Kind::named, std::move(items), std::move(names)};
}

Structure Structure::named_tensors(std::vector<std::string> names) {
  std::vector<Structure> items(names.size());
  return named(std::move(names), std::move(items));
}

size_t Structure::parts() const {
  if (kind_ == Kind::tensor) return 1;
  size_t n = 0;
  for (const Structure& item : items_) n += item.parts();
  return n;
}

size_t Structure::first_part(size_t i) const {
  size_t n = 0;
  for (size_t k = 0; k < i; ++k) n += items_[k].parts();
  return n;
}

size_t Structure::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
  std::string known;
  for (const std::string& each : names_) known += cat(known.empty() ? "" : ", ", each);
  throw InvalidArgument(cat("[dataset] an element has no field called '", name, "'; it has ",
                            known.empty() ? "no names at all" : known));
}

std::string Structure::part_name(size_t part) const {
  if (kind_ == Kind::tensor) return "";
  for (size_t i = 0; i < items_.size(); ++i) {
    const size_t n = items_[i].parts();
    if (part >= n) {
      part -= n;
      continue;
    }
    const std::string own = kind_ == Kind::named ? names_[i] : cat(i), rest = items_[i].part_name(part);
    return rest.empty() ? own : cat(own, ".", rest);
  }
  return cat(part);
}

std::string Structure::str() const {
  if (kind_ == Kind::tensor) return "·";
  std::string text = kind_ == Kind::named ? "{" : "(";
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) text += ", ";
    if (kind_ == Kind::named) text += cat(names_[i], ": ");
    text += items_[i].str();
  }
  if (kind_ == Kind::tuple && items_.size() == 1) text += ',';
  return text + (kind_ == Kind::named ? "}" : ")");
}

}  // namespace brio::data
