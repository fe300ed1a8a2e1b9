// ONNX files, read back by a small reader of protobuf.
#include "brio/formats/onnx.h"

#include <gtest/gtest.h>

#include "brio/formats/file.h"
#include "brio/formats/wire.h"
#include "brio/ir/tensor.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

// The parts of a message that are messages or texts, by the numbers of their fields.
std::vector<std::pair<uint32_t, std::string_view>> parts_of(std::string_view bytes) {
  static const Origin origin{"onnx"};
  const wire::Message message{bytes.data(), origin, "onnx"};
  std::vector<std::pair<uint32_t, std::string_view>> parts;
  for (wire::Reader reader(bytes, message); reader.next();) {
    if ((reader.tag() & 7) == wire::kBytes) parts.emplace_back(reader.tag() >> 3, reader.bytes());
    else reader.skip();
  }
  return parts;
}
std::string_view part_of(std::string_view bytes, uint32_t field) {
  for (const auto& [number, part] : parts_of(bytes))
    if (number == field) return part;
  return {};
}

TEST(Onnx, HoldsNodesWeightsAndOpenSizes) {
  const Scratch scratch;
  onnx::Model model;
  model.graph.name = "small";
  model.graph.inputs.push_back({"x", f32, {std::string("batch"), int64_t{2}}});
  model.graph.outputs.push_back({"y", f32, {std::string("batch"), int64_t{1}}});
  model.graph.weights.emplace_back("w", Tensor({{2}, {3}}).array());
  model.graph.nodes.push_back({.op = "MatMul", .in = {"x", "w"}, .out = {"y"}, .settings = {{"axis", int64_t{-1}}}});
  model.about = {{"brio", "a text"}};
  onnx::write_onnx(scratch / "m.onnx", model);
  const std::string file = read_file(scratch / "m.onnx");

  EXPECT_EQ(part_of(file, 2), "brio");
  EXPECT_EQ(part_of(part_of(file, 14), 2), "a text");
  const std::string_view graph = part_of(file, 7);
  EXPECT_EQ(part_of(graph, 2), "small");
  const std::string_view node = part_of(graph, 1), setting = part_of(node, 5);
  EXPECT_EQ(part_of(node, 4), "MatMul");
  EXPECT_EQ(part_of(node, 1), "x");
  EXPECT_EQ(part_of(setting, 1), "axis");
  const std::string_view weight = part_of(graph, 5), numbers = part_of(weight, 9);
  EXPECT_EQ(part_of(weight, 8), "w");
  ASSERT_EQ(numbers.size(), 8U);
  EXPECT_EQ(wire::load<float>(numbers.data() + 4), 3);
  const std::string_view shape = part_of(part_of(part_of(part_of(graph, 11), 2), 1), 2);
  EXPECT_EQ(part_of(part_of(shape, 1), 2), "batch");
}

TEST(Onnx, HasNoText) { EXPECT_THROW(onnx::number_of(DType::string), InvalidArgument); }

}  // namespace
}  // namespace brio::formats
