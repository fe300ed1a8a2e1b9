// brio export.
#include <filesystem>

#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

using formats::Scratch;

std::string table_model(const Scratch& scratch) {
  std::string text = "a,b,kind\n";
  for (int i = 0; i < 60; ++i) text += cat(i % 7, ",", i % 5, ",", i % 7 > 3 ? "yes" : "no", "\n");
  formats::write_file(scratch / "t.csv", text);
  EXPECT_EQ(brio({"fit", scratch / "t.csv", "--out", scratch / "run", "--epochs", "1"}).code, 0);
  return scratch / "run/model.keras";
}

TEST(Export, WritesEveryForm) {
  const Scratch scratch;
  const std::string model = table_model(scratch);
  for (const auto& [out, format] : {std::pair("m.onnx", "onnx"), std::pair("folder", "savedmodel"),
                                    std::pair("m.safetensors", "safetensors"), std::pair("again.keras", "keras")}) {
    const nlohmann::json json = brio_json({"export", model, scratch / out});
    EXPECT_EQ(json["format"], format);
    EXPECT_GT(json["bytes"], 1000);
  }
  EXPECT_TRUE(std::filesystem::exists(scratch / "folder/saved_model.json"));
  const std::string onnx = formats::read_file(scratch / "m.onnx");
  for (const char* part : {"MatMul", "Softmax", "batch", "brio job 1"}) expect_in(onnx, part);
  // What it was made for goes with a copy.
  EXPECT_EQ(brio({"predict", scratch / "again.keras", scratch / "t.csv"}).code, 0);
}

TEST(Export, SaysWhatIsWrong) {
  const Scratch scratch;
  const std::string model = table_model(scratch);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Outcome outcome = brio(words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    expect_in(outcome.err, why);
  };
  refused({"export", model}, "takes MODEL and OUT");
  refused({"export", model, scratch / "m.bin"}, "does not follow from its ending; --to says it: onnx, keras, h5");
  refused({"export", model, scratch / "m.bin", "--to", "onnx"}, "--to onnx writes files that end in .onnx");
  refused({"export", model, scratch / "m.h5"}, "weights go to files that end in .weights.h5");
  refused({"export", model, model}, "MODEL and OUT are both");
  refused({"export", scratch / "t.csv", scratch / "m.onnx"}, "it is a .keras file");
}

}  // namespace
}  // namespace brio::cli
