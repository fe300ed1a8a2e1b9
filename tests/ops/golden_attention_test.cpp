// Attention beside keras.ops.dot_product_attention.
#include "tests/ops/golden_call.h"

namespace brio::golden_calls {
namespace {

TEST(GoldenAttention, AgreesWithKeras) {
  const Functions functions = {{"attention", [](const Call& c) {
                                  AttentionOptions options{.causal = c.c.number("is_causal", 0) != 0};
                                  if (c.tensors.count("mask")) options.mask = c["mask"];
                                  if (c.tensors.count("bias")) options.bias = c["bias"];
                                  if (c.c.has("scale")) options.scale = c.c.number("scale");
                                  return Results{
                                      scaled_dot_product_attention(c["query"], c["key"], c["value"], options)};
                                }}};
  for (const char* file : {"attention.json", "attention_causal.json"}) check(file, functions);
}

}  // namespace
}  // namespace brio::golden_calls
