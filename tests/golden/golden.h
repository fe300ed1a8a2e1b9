// Reads the golden values of tests/golden/*.json, which make_golden.py made with Keras.
//
//   for (const golden::Case& c : golden::load("losses.json")) {
//     const golden::Array& y = c.input("y_true");        // y.shape, y.data
//     if (c.text("loss") == "mean_squared_error") …      // a parameter that is a string
//     double smoothing = c.number("label_smoothing", 0);  // a parameter that is a number; 0 when it is not there
//     EXPECT_NEAR(loss, c.output("sum").data[0], 1e-6) << c.name;
//   }
//
// Flags are the numbers 0 and 1.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tests/source_dir.h"

namespace golden {

struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data;             // row-major
  std::vector<std::string> texts = {};  // instead, of strings
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

// Each character of the JSON text is one byte of a string.
inline std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) bytes += text[i];
    else bytes += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(text.at(++i)) & 0x3f));
  }
  return bytes;
}

inline Array array_of(const nlohmann::json& json) {
  Array array{json.at("shape").get<std::vector<int64_t>>(), {}, {}};
  for (const nlohmann::json& value : json.at("data")) {
    if (value.is_string()) array.texts.push_back(bytes_of(value.get<std::string>()));
    else array.data.push_back(value.get<double>());
  }
  int64_t elements = 1;
  for (const int64_t dim : array.shape) elements *= dim;
  if (elements != static_cast<int64_t>(array.data.size() + array.texts.size()))
    throw std::runtime_error("golden values: an array has not as many values as its shape says");
  return array;
}

inline Case case_of(const nlohmann::json& json) {
  Case c;
  for (const auto& [key, value] : json.items()) {
    if (key == "name") {
      c.name = value.get<std::string>();
    } else if (key == "inputs" || key == "outputs") {
      for (const auto& [name, array] : value.items())
        (key == "inputs" ? c.inputs : c.outputs)[name] = array_of(array);
    } else if (key == "params") {
      for (const auto& [name, param] : value.items()) {
        if (param.is_string()) c.params[name] = param.get<std::string>();
        else c.params[name] = param.get<double>();
      }
    } else {
      throw std::runtime_error("golden values: a case has '" + key + "'");
    }
  }
  return c;
}

inline std::vector<Case> parse(const std::string& text) {
  std::vector<Case> cases;
  const nlohmann::json json = nlohmann::json::parse(text);
  if (!json.is_array()) throw std::runtime_error("golden values: a file is a list of cases");
  for (const nlohmann::json& one : json) cases.push_back(case_of(one));
  return cases;
}

// The cases of tests/golden/FILE.
inline std::vector<Case> load(const std::string& file) {
  std::string path = brio::test::source_dir() + "/tests/golden/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("golden values: cannot read " + path);
  return parse({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
}

}  // namespace golden
