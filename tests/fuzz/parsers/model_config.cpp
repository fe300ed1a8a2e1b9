// The config of a model, and what compile() was given, from a .keras file. What is accepted is written again.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

#include "brio/brio.h"
#include "brio/nn/settings_json.h"
#include "brio/train/compile_config.h"

using namespace brio;

namespace {

// Layers make their weights when they know their input: what a file asks for may rightly be too much here.
bool has_large_number(std::string_view text) {
  constexpr int kMostDigits = 3;
  int digits = 0;
  bool fraction = false;
  return std::ranges::any_of(text, [&](unsigned char c) {
    const bool digit = std::isdigit(c);
    fraction = c == '.' || (fraction && digit);
    digits = digit && !fraction ? digits + 1 : 0;
    return digits > kMostDigits;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = (register_runtime(), std::cerr.setstate(std::ios::failbit), true);
  (void)ready;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (has_large_number(text)) return 0;
  try {
    const nn::Model model = nn::model_from_json(text);
    (void)nn::layer_from_json(nn::to_json(model));
    const nn::Json json = nn::Json::parse(text);
    if (const auto found = json.find("compile_config"); found != json.end() && found->is_object())
      model.compile(train::compile_options(*found));
  } catch (const Error&) {
  } catch (const nn::Json::exception&) {  // load_model() takes it for a compile() that has to be said again
  }
  flush();
  return 0;
}
