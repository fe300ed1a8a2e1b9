// Strings from strings.
#include "brio/ops/strings/strings.h"

#include <algorithm>

#include "brio/base/utf8.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/string_parts.h"

namespace brio {
namespace {

template <typename List>
Tensor tensor_of(const List& values, const Shape& shape) {
  check_element_count(values.size(), shape);
  const std::vector<std::string_view> views(values.begin(), values.end());
  return Tensor(string_array(views, shape));
}
template <typename List>
Shape in_a_row(const List& values) {
  return Shape{static_cast<int64_t>(values.size())};
}

}  // namespace

Tensor string_tensor(std::string_view value) { return Tensor(string_array({&value, 1}, {})); }
Tensor string_tensor(std::initializer_list<std::string_view> values) { return tensor_of(values, in_a_row(values)); }
Tensor string_tensor(std::initializer_list<std::string_view> values, const Shape& shape) {
  return tensor_of(values, shape);
}
Tensor string_tensor(const std::vector<std::string>& values) { return tensor_of(values, in_a_row(values)); }
Tensor string_tensor(const std::vector<std::string>& values, const Shape& shape) { return tensor_of(values, shape); }

std::vector<std::string> to_strings(const Tensor& tensor) {
  const Array& array = strings::text("to_strings", tensor).array();
  std::vector<std::string> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.emplace_back(string_at(array, i));
  return values;
}

namespace strings {
namespace {

// f(text, writer) writes the list of each.
template <typename F>
Ragged lists(std::string_view function, const Tensor& x, F f) {
  const Array& array = known_text(function, x);
  StringWriter writer;
  std::vector<int64_t> splits{0};
  for (int64_t i = 0; i < x.size(); ++i) {
    f(string_at(array, i), writer);
    splits.push_back(writer.size());
  }
  return {Tensor(writer.finish({writer.size()})), Tensor::from(splits, {x.size() + 1}), x.shape()};
}

// ASCII letters from `first` to `last`, moved in the alphabet. Sizes stay, so all characters are gone through as one
// text.
template <char first, char last, int by>
Tensor changed_letters(std::string_view function, const Tensor& x) {
  if (ShapesOnly::lacks_data(text(function, x))) return unknown_text(x.shape());
  const Array& array = known_text(function, x);
  Array out = copy_strings(array.data(), x.shape());
  char* const characters = out.as<char>() + out.aval.bytes();
  parallel_for(static_cast<int64_t>(out.buffer->bytes() - out.aval.bytes()), 1 << 16,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const char c = characters[i];
                   characters[i] = static_cast<char>(c + (c >= first && c <= last ? by : 0));
                 }
               });
  return Tensor(std::move(out));
}

void split_at_spaces(std::string_view s, int64_t maxsplit, StringWriter& out) {
  int64_t found = 0;
  for (;; ++found) {
    while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
    if (found == maxsplit) return out.add(s);  // also where nothing is left, as TensorFlow
    if (s.empty()) return;
    size_t size = 0;
    while (size < s.size() && !is_space(s[size])) ++size;
    out.add(s.substr(0, size));
    s.remove_prefix(size);
  }
}

void split_at(std::string_view s, std::string_view sep, int64_t maxsplit, StringWriter& out) {
  for (int64_t found = 0; found != maxsplit; ++found) {
    const size_t at = s.find(sep);
    if (at == s.npos) break;
    out.add(s.substr(0, at));
    s.remove_prefix(at + sep.size());
  }
  out.add(s);
}

// Where a text is cut: bytes, for which pos and len count units. None: pos lies outside.
std::optional<std::string_view> part(std::string_view s, int64_t pos, int64_t len, Unit unit) {
  if (unit == Unit::byte) {
    const auto size = static_cast<int64_t>(s.size());
    if (pos < -size || pos > size) return {};
    s.remove_prefix(static_cast<size_t>(pos < 0 ? pos + size : pos));
    return s.substr(0, len < 0 ? s.npos : static_cast<size_t>(len));  // TensorFlow takes all for a negative one
  }
  std::vector<size_t> starts;
  for (size_t i = 0; i < s.size(); ++i)
    if (!continues_character(s[i]) || i == 0) starts.push_back(i);
  const auto size = static_cast<int64_t>(starts.size());
  if (pos < -size || pos > size) return {};
  const int64_t first = pos < 0 ? pos + size : pos;
  const int64_t last = len < 0 ? first : len > size - first ? size : first + len;
  const auto place = [&](int64_t i) { return i == size ? s.size() : starts[static_cast<size_t>(i)]; };
  return s.substr(place(first), place(last) - place(first));
}

}  // namespace

int64_t Ragged::longest() const {
  const std::vector<int64_t> splits = row_splits.to_vector<int64_t>();
  int64_t most = 0;
  for (size_t i = 1; i < splits.size(); ++i) most = std::max(most, splits[i] - splits[i - 1]);
  return most;
}

Tensor Ragged::to_tensor(std::string_view default_value, std::optional<int64_t> length) const {
  if (length && *length < 0) throw_invalid("strings.to_tensor", cat("the length is ", *length, "; it must be ≥ 0"));
  const int64_t n = length ? *length : longest();
  std::vector<int64_t> dims(rows.begin(), rows.end());
  dims.push_back(n);
  const Shape shape = checked_shape(std::string_view("strings.to_tensor"), dims);
  const std::vector<int64_t> splits = row_splits.to_vector<int64_t>();
  const Array& array = values.array();
  std::vector<std::string_view> all;
  for (size_t i = 1; i < splits.size(); ++i)
    for (int64_t k = 0; k < n; ++k)
      all.push_back(splits[i - 1] + k < splits[i] ? string_at(array, splits[i - 1] + k) : default_value);
  return Tensor(string_array(all, shape));
}

Tensor join(const std::vector<Tensor>& inputs, std::string_view separator) {
  const std::string_view self = "strings.join";
  if (inputs.empty()) throw_invalid(self, "there is nothing to join");
  std::vector<Array> arrays;
  Shape shape;
  bool lack_data = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    lack_data |= ShapesOnly::lacks_data(text(self, inputs[i], static_cast<int>(i)));
    if (!lack_data) arrays.push_back(known_text(self, inputs[i], static_cast<int>(i)));
    const Shape& own = inputs[i].shape();
    if (own.rank() == 0) continue;
    if (shape.rank() != 0 && !(own == shape))
      throw_invalid(self, cat("input ", i, " has shape ", own, ", but one before it ", shape,
                              "; shapes must be equal, or those of scalars"));
    shape = own;
  }
  if (lack_data) return unknown_text(shape);
  StringWriter writer;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    for (size_t k = 0; k < arrays.size(); ++k) {
      if (k > 0) writer.characters() += separator;
      writer.characters() += string_at(arrays[k], arrays[k].aval.shape.rank() == 0 ? 0 : i);
    }
    writer.end();
  }
  return Tensor(writer.finish(shape));
}

Tensor reduce_join(const Tensor& x, const ReduceJoinOptions& options) {
  const std::string_view self = "strings.reduce_join";
  const bool lacks_data = ShapesOnly::lacks_data(text(self, x));
  if (!lacks_data) known_text(self, x);
  const int rank = x.rank();
  std::vector<int> axes;
  if (options.axis)
    for (const int axis : *options.axis) axes.push_back(positive_axis(self, axis, rank));
  else
    for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  std::vector<int> order;
  Shape result;
  int64_t inner = 1;
  for (int i = 0; i < rank; ++i) {
    const auto times = std::ranges::count(axes, i);
    if (times > 1) throw_invalid(self, cat("axis ", i, " is given ", times, " times; give it once"));
    if (times == 0) order.push_back(i);
    if (times == 0 || options.keepdims) result.push_back(times == 0 ? x.shape()[i] : Size(1));
    if (times == 1 && !lacks_data) inner *= x.shape()[i];
  }
  if (lacks_data) return unknown_text(result);
  order.insert(order.end(), axes.rbegin(), axes.rend());
  const Array array = transpose(x, order).array();
  StringWriter writer;
  for (int64_t i = 0; i < result.elements(); ++i) {
    for (int64_t k = 0; k < inner; ++k) {
      if (k > 0) writer.characters() += options.separator;
      writer.characters() += string_at(array, i * inner + k);
    }
    writer.end();
  }
  return Tensor(writer.finish(result));
}

Ragged split(const Tensor& x, std::string_view sep, int64_t maxsplit) {
  return lists("strings.split", x, [&](std::string_view s, StringWriter& out) {
    if (maxsplit == 0) out.add(s);
    else if (sep.empty()) split_at_spaces(s, maxsplit, out);
    else split_at(s, sep, maxsplit, out);
  });
}

Ragged bytes_split(const Tensor& x) {
  return lists("strings.bytes_split", x, [](std::string_view s, StringWriter& out) {
    for (size_t i = 0; i < s.size(); ++i) out.add(s.substr(i, 1));
  });
}

Ragged unicode_split(const Tensor& x) {
  return lists("strings.unicode_split", x, [](std::string_view s, StringWriter& out) {
    while (!s.empty()) {
      const auto [size, valid] = first_character(s);
      out.add(valid ? s.substr(0, size) : kReplacement);
      s.remove_prefix(size);
    }
  });
}

Ragged ngrams(const Ragged& x, const std::vector<int64_t>& widths, std::string_view separator) {
  const std::string_view self = "strings.ngrams";
  if (widths.empty()) throw_invalid(self, "there are no widths; give one or more");
  for (const int64_t width : widths)
    if (width < 1) throw_invalid(self, cat("a width is ", width, "; it must be ≥ 1"));
  const Array& array = known_text(self, x.values);
  const std::vector<int64_t> rows = x.row_splits.to_vector<int64_t>();
  StringWriter writer;
  std::vector<int64_t> splits{0};
  for (size_t row = 1; row < rows.size(); ++row) {
    for (const int64_t width : widths)
      for (int64_t i = rows[row - 1]; width <= rows[row] - i; ++i) {
        for (int64_t k = 0; k < width; ++k) {
          if (k > 0) writer.characters() += separator;
          writer.characters() += string_at(array, i + k);
        }
        writer.end();
      }
    splits.push_back(writer.size());
  }
  return {Tensor(writer.finish({writer.size()})), Tensor::from(splits, x.row_splits.shape()), x.rows};
}

Tensor lower(const Tensor& x) { return changed_letters<'A', 'Z', 'a' - 'A'>("strings.lower", x); }
Tensor upper(const Tensor& x) { return changed_letters<'a', 'z', 'A' - 'a'>("strings.upper", x); }
Tensor strip(const Tensor& x) {
  return each_text("strings.strip", x, [](std::string_view s, std::string& out) { out += stripped(s); });
}

Tensor substr(const Tensor& x, int64_t pos, int64_t len, Unit unit) {
  return substr(x, Tensor::from(&pos, {}), Tensor::from(&len, {}), unit);
}
Tensor substr(const Tensor& x, const Tensor& pos, const Tensor& len, Unit unit) {
  const std::string_view self = "strings.substr";
  const bool lacks_data = ShapesOnly::lacks_data(text(self, x));
  if (!lacks_data) known_text(self, x);
  Shape shape = x.shape();
  for (const Tensor* numbers : {&pos, &len}) {
    if (!is_integer(required(self, *numbers, numbers == &pos ? 1 : 2).dtype()))
      throw_invalid(self, cat("positions and lengths are integers, but got ", numbers->dtype(), "; cast it first"));
    const Shape before = shape;
    if (!broadcast(before, numbers->shape(), shape))
      throw_invalid(self, cat("shapes ", before, " and ", numbers->shape(),
                              " do not broadcast: sizes must be equal or 1 from the right"));
    if (!lacks_data) known(self, *numbers);
  }
  if (lacks_data) return unknown_text(shape);
  const Array texts = broadcast_to(x, shape).array();
  const Array from = broadcast_to(pos, shape).array(), sizes = broadcast_to(len, shape).array();
  StringWriter writer;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const int64_t at = integer_at(from.data(), pos.dtype(), i);
    const auto found = part(string_at(texts, i), at, integer_at(sizes.data(), len.dtype(), i), unit);
    if (!found)
      throw_invalid(
          self, cat("position ", at, " lies outside of the string ", quoted(string_at(texts, i)), " at index ", i));
    writer.add(*found);
  }
  return Tensor(writer.finish(shape));
}

}  // namespace strings
}  // namespace brio
