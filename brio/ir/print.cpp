// Printing as TensorFlow prints: tf.Tensor([[1. 2.] [3. 4.]], shape=(2, 2), dtype=float32).
#include <charconv>
#include <cmath>
#include <ostream>

#include "brio/ir/tensor.h"
#include "brio/tensor/complex.h"
#include "brio/tensor/strings.h"

namespace brio {
namespace {

constexpr int64_t kSummarizeFrom = 1000, kEdgeItems = 3;

// NumPy's shortest text that reads back as the same number; whole numbers keep their point.
template <typename T>
std::string number(T value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else {
    const auto x = [&] {
      if constexpr (std::same_as<T, double>) return value;
      else return static_cast<float>(value);
    }();
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    char text[40];
    const auto magnitude = std::fabs(x);
    const bool plain = magnitude == 0 || (magnitude >= static_cast<decltype(magnitude)>(1e-4) &&
                                          magnitude < static_cast<decltype(magnitude)>(1e16));
    const auto end =
        std::to_chars(text, text + sizeof text, x, plain ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    std::string result(text, end);
    if (result.find_first_of(".e") == std::string::npos) result += ".";
    return result;
  }
}

// Floats line up at the point: pad the fraction, then the whole.
void align(std::vector<std::string>& items) {
  const auto fraction_of = [](const std::string& item) {
    const size_t point = item.find('.');
    return point == std::string::npos || item.find('e') != std::string::npos ? 0 : item.size() - point;
  };
  size_t fraction = 0, width = 0;
  for (const std::string& item : items) fraction = std::max(fraction, fraction_of(item));
  for (std::string& item : items) {
    if (const size_t own = fraction_of(item)) item.append(fraction - own, ' ');
    width = std::max(width, item.size());
  }
  for (std::string& item : items) item.insert(0, width - item.size(), ' ');
}

// NumPy's columns of real and of imaginary parts, the latter with their sign and a j behind the last digit.
template <typename T>
std::vector<std::string> complex_items(const std::complex<T>* data, int64_t n) {
  std::vector<std::string> items, imaginary;
  for (int64_t i = 0; i < n; ++i) {
    items.push_back(number(data[i].real()));
    const std::string im = number(data[i].imag());
    imaginary.push_back(im[0] == '-' ? im : std::string(1, '+') + im);
  }
  align(items);
  align(imaginary);
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t end = imaginary[i].find_last_not_of(' ') + 1;
    items[i] += imaginary[i].substr(0, end) + 'j' + imaginary[i].substr(end);
  }
  return items;
}

// One number as Python writes it: (1+2j), 2j.
template <typename T>
std::string complex_scalar(std::complex<T> value) {
  const auto part = [](T x) {
    std::string text = number(x);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  std::string imaginary = part(value.imag()) + "j";
  if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
  return std::string(1, '(') + part(value.real()) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
}

struct Layout {
  const Shape& shape;
  const std::vector<std::string>& items;
  size_t width;
};

// NumPy pads the numbers of an array to one width, so that columns line up.
void print(std::string& out, const Layout& layout, int axis, size_t& at, int indent) {
  if (axis == layout.shape.rank()) {
    const std::string& item = layout.items[at++];
    out.append(layout.width - std::min(layout.width, item.size()), ' ');
    out += item;
    return;
  }
  out += "[";
  const int64_t n = layout.shape[axis];
  const bool cut = layout.shape.elements() > kSummarizeFrom && n > 2 * kEdgeItems;
  size_t stride = 1;
  for (int i = axis + 1; i < layout.shape.rank(); ++i) stride *= static_cast<size_t>(layout.shape[i]);
  const bool last = axis == layout.shape.rank() - 1;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) {
      if (last) out += " ";
      else
        out += std::string(static_cast<size_t>(layout.shape.rank() - axis - 1), '\n') +
               std::string(static_cast<size_t>(indent) + 1, ' ');
    }
    if (cut && i == kEdgeItems) {
      out += "...";
      at += stride * static_cast<size_t>(n - 2 * kEdgeItems);
      i = n - kEdgeItems - 1;
      continue;
    }
    print(out, layout, axis + 1, at, indent + 1);
  }
  out += "]";
}

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "None";
  const Array& value = array();
  std::vector<std::string> items;
  size_t width = 0;
  const bool text_like = value.aval.dtype == DType::string;
  if (text_like) {
    for (int64_t i = 0; i < value.aval.shape.elements(); ++i) items.push_back(bytes_literal(string_at(value, i)));
  } else {
    brio::visit_any(value.aval.dtype, [&](auto t) {
      using T = decltype(t);
      const T* data = value.as<T>();
      const int64_t n = value.aval.shape.elements();
      if constexpr (is_complex_number<T>) {
        if (rank() == 0) items.push_back(complex_scalar(*data));
        else items = complex_items(data, n);
      } else {
        items.reserve(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) items.push_back(number(data[i]));
      }
    });
  }
  if (is_floating(value.aval.dtype)) align(items);
  if (!text_like)
    for (const std::string& item : items) width = std::max(width, item.size());
  std::string text = "tf.Tensor(";
  if (rank() >= 2 || (rank() == 1 && size() > 20)) text += "\n";
  if (rank() == 0) {
    text += items[0];
  } else {
    size_t at = 0;
    print(text, {value.aval.shape, items, width}, 0, at, 0);
  }
  if (rank() >= 2 || (rank() == 1 && size() > 20)) text += "";
  return text + ", shape=" + value.aval.shape.str() + ", dtype=" + std::string(info(value.aval.dtype).name) + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.str(); }

}  // namespace brio
