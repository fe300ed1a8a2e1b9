// A size as a function of sizes that vary: a sum of products of them with whole factors, "3+2*n0+1*n0*n1".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brio {

class SizeForm {
 public:
  static constexpr size_t kMostSymbols = 3;

  // The symbol itself.
  static SizeForm of_symbol(size_t symbol) { return SizeForm({{1, 1u << symbol}}); }
  // The one through values at all corners: bit i of the index says whether symbol i is second[i] or first[i]. None
  // where that has other factors than whole ones.
  static std::optional<SizeForm> fit(std::vector<int64_t> corners, std::span<const int64_t> first,
                                     std::span<const int64_t> second);
  // Inverse of str(). Throws InvalidArgument.
  static SizeForm parse(std::string_view text, size_t symbols);

  int64_t at(std::span<const int64_t> symbols) const;  // throws InvalidArgument where it exceeds 64 bits
  bool varies() const;
  std::optional<size_t> symbol() const;  // where it is one and nothing else
  std::string str() const;

 private:
  struct Term {
    int64_t factor;
    uint32_t symbols;  // bit i: symbol i is one of its factors
  };
  explicit SizeForm(std::vector<Term> terms) : terms_(std::move(terms)) {}

  std::vector<Term> terms_;
};

}  // namespace brio
