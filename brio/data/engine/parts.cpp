#include "brio/data/engine/parts.h"

#include "brio/base/error.h"
#include "brio/tensor/strings.h"

namespace brio::data {

Parts parts_of(const Element& element) {
  Parts parts;
  for (size_t i = 0; i < element.size(); ++i) parts.push_back(element.array(i));
  return parts;
}

Parts copy_parts(const Element& element, Owner owner) {
  Parts parts;
  for (size_t i = 0; i < element.size(); ++i) {
    const Aval& aval = element.aval(i);
    if (aval.dtype == DType::string) {
      parts.push_back(copy_strings(element.data(i), aval.shape));
      parts.back().buffer->set_owner(owner);
      continue;
    }
    parts.push_back(Array::allocate(aval, owner));
    std::memcpy(parts.back().data(), element.data(i), aval.bytes());
  }
  return parts;
}

void share_parts(const Parts& parts, Element& out) {
  out.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) out.share(i, parts[i]);
}

int64_t bytes_of(const Parts& parts) {
  size_t sum = 0;
  for (const Array& part : parts) sum += part.buffer->bytes();
  return static_cast<int64_t>(sum);
}

Array rows_of(const Array& array, int64_t begin, int64_t end) {
  Array rows = array;
  rows.aval.shape.set(0, end - begin);
  const Shape row(array.aval.shape.dims().subspan(1));
  rows.offset += static_cast<size_t>(begin * row.elements()) * size_of(array.aval.dtype);
  return rows;
}

void write_parts(const Parts& parts, StateWriter& to) {
  to.number(parts.size());
  for (const Array& part : parts) {
    to.number(static_cast<uint64_t>(part.aval.dtype));
    to.number(static_cast<uint64_t>(part.aval.shape.rank()));
    for (const int64_t dim : part.aval.shape) to.number(static_cast<uint64_t>(dim));
    if (part.aval.dtype == DType::string)
      for (int64_t i = 0; i < part.aval.shape.elements(); ++i) to.text(string_at(part, i));
    else to.text({part.as<char>(), part.aval.bytes()});
  }
}

Parts read_parts(StateReader& from, size_t expected) {
  Parts parts = read_parts(from);
  if (parts.size() != expected)
    StateReader::refuse(cat("an element in it has ", parts.size(), " parts, not ", expected));
  return parts;
}

Parts read_parts(StateReader& from) {
  Parts parts;
  for (int64_t left = from.count(); left > 0; --left) {
    const auto dtype = static_cast<DType>(from.count(kDTypeCount - 1));
    std::vector<int64_t> dims(static_cast<size_t>(from.count(kMaxRank)));
    for (int64_t& dim : dims) dim = from.count();
    const Aval aval{Shape(dims), dtype};
    if (dtype == DType::string) {
      std::vector<std::string_view> texts;  // each takes a byte at least: what is not there is found missing
      for (int64_t i = 0; i < aval.shape.elements(); ++i) texts.push_back(from.text());
      parts.push_back(string_array(texts, aval.shape));
      continue;
    }
    const std::string_view bytes = from.text();
    // The product may have overflowed where there are more elements than bytes.
    if (aval.shape.elements() > static_cast<int64_t>(bytes.size()) || aval.bytes() != bytes.size())
      StateReader::refuse("a part has not as many bytes as its shape says");
    if (dtype == boolean && bytes.find_first_not_of(std::string_view("\0\1", 2)) != std::string_view::npos)
      StateReader::refuse("a truth value is neither false nor true");
    parts.push_back(Array::allocate(aval, Owner::input));
    std::memcpy(parts.back().data(), bytes.data(), bytes.size());
  }
  return parts;
}

}  // namespace brio::data
