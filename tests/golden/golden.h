// Reads the golden values of tests/golden/*.json, which make_golden.py made with Keras.
//
//   for (const golden::Case& c : golden::load("losses.json")) {
//     const golden::Array& y = c.input("y_true");        // y.shape, y.data
//     if (c.text("loss") == "mean_squared_error") …      // a parameter that is a string
//     double smoothing = c.number("label_smoothing", 0);  // a parameter that is a number; 0 when it is not there
//     EXPECT_NEAR(loss, c.output("sum").data[0], 1e-6) << c.name;
//   }
//
// The reader knows the part of JSON that those files use (no escapes in strings, no null); flags are the numbers 0
// and 1.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace golden {

struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data;  // row-major
};

struct Case {
  std::string name;
  std::map<std::string, Array> inputs;
  std::map<std::string, std::variant<double, std::string>> params;
  std::map<std::string, Array> outputs;

  const Array& input(const std::string& key) const { return find(inputs, key, "input"); }
  const Array& output(const std::string& key) const { return find(outputs, key, "output"); }
  bool has(const std::string& param) const { return params.count(param) != 0; }
  double number(const std::string& param) const { return std::get<double>(find(params, param, "parameter")); }
  double number(const std::string& param, double otherwise) const { return has(param) ? number(param) : otherwise; }
  const std::string& text(const std::string& param) const {
    return std::get<std::string>(find(params, param, "parameter"));
  }

 private:
  template <typename Map>
  const typename Map::mapped_type& find(const Map& map, const std::string& key, const char* what) const {
    auto found = map.find(key);
    if (found == map.end()) throw std::out_of_range("golden case " + name + " has no " + what + " " + key);
    return found->second;
  }
};

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  std::vector<Case> cases() {
    std::vector<Case> result;
    list([&] { result.push_back(one_case()); });
    if (peek() != '\0') fail("the end");
    return result;
  }

 private:
  Case one_case() {
    Case c;
    object([&](const std::string& key) {
      if (key == "name") c.name = string();
      else if (key == "inputs") object([&](const std::string& name) { c.inputs[name] = array(); });
      else if (key == "outputs") object([&](const std::string& name) { c.outputs[name] = array(); });
      else if (key == "params") object([&](const std::string& name) { c.params[name] = param(); });
      else fail("name, inputs, params or outputs");
    });
    return c;
  }

  Array array() {
    Array a;
    object([&](const std::string& key) {
      if (key == "shape") list([&] { a.shape.push_back(static_cast<int64_t>(number())); });
      else if (key == "data") list([&] { a.data.push_back(number()); });
      else fail("shape or data");
    });
    int64_t elements = 1;
    for (int64_t dim : a.shape) elements *= dim;
    if (elements != static_cast<int64_t>(a.data.size())) fail("as many numbers as the shape says");
    return a;
  }

  std::variant<double, std::string> param() {
    if (peek() == '"') return string();
    return number();
  }

  // Calls item() at each element of a list.
  template <typename F>
  void list(F item) {
    expect('[');
    if (take(']')) return;
    do item();
    while (take(','));
    expect(']');
  }

  // Calls member(key) at each value of an object.
  template <typename F>
  void object(F member) {
    expect('{');
    if (take('}')) return;
    do {
      std::string key = string();
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }

  std::string string() {
    expect('"');
    size_t end = text_.find_first_of("\"\\", at_);
    if (end == std::string::npos || text_[end] == '\\') fail("a string without escapes");
    std::string result = text_.substr(at_, end - at_);
    at_ = end + 1;
    return result;
  }

  double number() {
    const char* begin = text_.c_str() + (peek(), at_);
    char* end = nullptr;
    double value = std::strtod(begin, &end);
    if (end == begin) fail("a number");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  // The next character that is not white space; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(std::string(1, wanted));
  }
  [[noreturn]] void fail(const std::string& wanted) {
    throw std::runtime_error("golden values: at byte " + std::to_string(at_) + " should be " + wanted);
  }

  std::string text_;
  size_t at_ = 0;
};

inline std::vector<Case> parse(std::string text) { return Parser(std::move(text)).cases(); }

// The cases of tests/golden/FILE.
inline std::vector<Case> load(const std::string& file) {
  std::string path = std::string(BRIO_SOURCE_DIR "/tests/golden/") + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("golden values: cannot read " + path);
  return parse({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

}  // namespace golden
