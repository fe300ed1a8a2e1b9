#include "brio/tensor/strings.h"

#include "brio/base/error.h"

namespace brio {
namespace {

// Elements whose characters follow them in order.
struct Layout {
  Array array;
  StringElement* element;
  char* at;

  Layout(const Shape& shape, size_t characters) {
    const Aval aval{shape, DType::string};
    array = {aval, BufferRef::allocate(aval.bytes() + characters, Owner::other), 0};
    element = array.as<StringElement>();
    at = array.as<char>() + aval.bytes();
  }
  void put(std::string_view text) {
    *element = {at - reinterpret_cast<char*>(element), text.size()};
    ++element;
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += text.size();
  }
};

}  // namespace

Array StringWriter::finish(std::span<const StringWriter> parts, const Shape& shape) {
  int64_t strings = 0;
  size_t characters = 0;
  for (const StringWriter& part : parts) {
    strings += part.size();
    characters += part.characters_.size();
  }
  BRIO_CHECK(strings == shape.elements(), "there are ", strings, " strings for shape ", shape);
  Layout layout(shape, characters);
  for (const StringWriter& part : parts) {
    size_t begin = 0;
    for (const size_t end : part.ends_) {
      layout.put(std::string_view(part.characters_).substr(begin, end - begin));
      begin = end;
    }
  }
  return layout.array;
}

Array string_array(std::span<const std::string_view> values, const Shape& shape) {
  BRIO_CHECK(static_cast<int64_t>(values.size()) == shape.elements(), "there are ", values.size(),
             " strings for shape ", shape);
  size_t characters = 0;
  for (const std::string_view text : values) characters += text.size();
  Layout layout(shape, characters);
  for (const std::string_view text : values) layout.put(text);
  return layout.array;
}

Array take_strings(const Array& from, std::span<const int64_t> positions, const Shape& shape) {
  size_t characters = 0;
  for (const int64_t i : positions) characters += string_at(from, i).size();
  Layout layout(shape, characters);
  for (const int64_t i : positions) layout.put(string_at(from, i));
  return layout.array;
}

Array copy_strings(const void* elements, const Shape& shape) {
  size_t characters = 0;
  for (int64_t i = 0; i < shape.elements(); ++i) characters += string_at(elements, i).size();
  Layout layout(shape, characters);
  for (int64_t i = 0; i < shape.elements(); ++i) layout.put(string_at(elements, i));
  return layout.array;
}

bool strings_are_sound(const Array& array) {
  const auto bytes = static_cast<int64_t>(array.buffer->bytes()), offset = static_cast<int64_t>(array.offset);
  const auto* elements = array.as<StringElement>();
  for (int64_t i = 0; i < array.aval.shape.elements(); ++i) {
    const int64_t left = bytes - offset - 16 * i;  // from the element to the end of the buffer
    const auto [at, size] = elements[i];
    if (left < 16 || at > left || at < left - bytes || size > static_cast<uint64_t>(left - at)) return false;
  }
  return true;
}

std::string bytes_literal(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out{'b', quote};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') out += {'\\', c};
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (byte < 0x20 || byte > 0x7e) out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    else out += c;
  }
  return out + quote;
}

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? bytes_literal(text) : bytes_literal(text.substr(0, kShown)) + "…";
}

}  // namespace brio
