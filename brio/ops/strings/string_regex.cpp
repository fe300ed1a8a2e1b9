// Regular expressions over strings: RE2, as in TensorFlow.
#include <re2/re2.h>

#include "brio/ops/strings/string_parts.h"
#include "brio/ops/strings/strings.h"

namespace brio::strings {
namespace {

std::shared_ptr<const RE2> compiled(std::string_view function, std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex->ok()) throw_invalid(function, cat("the pattern ", quoted(pattern), " is invalid: ", regex->error()));
  return regex;
}

}  // namespace

Tensor regex_replace(const Tensor& x, std::string_view pattern, std::string_view rewrite, bool replace_global) {
  const std::string_view self = "strings.regex_replace";
  if (!ShapesOnly::lacks_data(text(self, x))) known_text(self, x);
  const auto regex = compiled(self, pattern);
  const re2::StringPiece with(rewrite.data(), rewrite.size());
  if (std::string error; !regex->CheckRewriteString(with, &error))
    throw_invalid(
        self, cat("the rewrite ", quoted(rewrite), " does not go with the pattern ", quoted(pattern), ": ", error));
  return each_text(self, x, [&](std::string_view s, std::string& out) {
    std::string text(s);
    if (replace_global) RE2::GlobalReplace(&text, *regex, with);
    else RE2::Replace(&text, *regex, with);
    out += text;
  });
}

Tensor regex_full_match(const Tensor& x, std::string_view pattern) {
  const std::string_view self = "strings.regex_full_match";
  text(self, x);
  auto run = [regex = compiled(self, pattern)](const HostRun& r) {
    bool* out = static_cast<bool*>(r.out[0]);
    for_each_element(r.out_avals[0].shape.elements(), [&](int64_t i) {
      const std::string_view s = string_at(r.in[0], i);
      out[i] = RE2::FullMatch(re2::StringPiece(s.data(), s.size()), *regex);
    });
  };
  auto recipe = [text = cat(self, " ", pattern)] { return text; };
  return host_compute(std::make_shared<const HostCode>(
                          HostCode{cat(self, " ", bytes_literal(pattern)), std::move(run), true, std::move(recipe)}),
                      {x}, {x.shape(), boolean});
}

namespace {
[[maybe_unused]] const bool regexes_registered = [] {
  register_host_call("strings.regex_full_match", [](std::string_view pattern, std::span<const Tensor> in) -> Tensor {
    if (in.size() != 1) throw_invalid("strings.regex_full_match", cat("takes one input, but got ", in.size()));
    return regex_full_match(in[0], pattern);
  });
  return true;
}();
}  // namespace

}  // namespace brio::strings
