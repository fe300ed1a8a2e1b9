// The policy "auto": what it is to layers, that fit tries both precisions, says what it took, and that a run that
// goes on takes the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "brio/brio.h"
#include "brio/train/run_state.h"

namespace brio {
namespace {

struct GlobalPolicy {
  explicit GlobalPolicy(const char* name) { nn::set_global_policy(name); }
  ~GlobalPolicy() { nn::set_global_policy("float32"); }
  GlobalPolicy(const GlobalPolicy&) = delete;
};

TEST(AutoPolicy, ComputesInFloat32UnlessSomebodyChose) {
  const nn::Policy policy("auto");
  EXPECT_EQ(policy.name(), "auto");
  EXPECT_TRUE(policy.automatic());
  EXPECT_FALSE(policy.mixed());
  EXPECT_EQ(policy.compute(), f32);
  {
    const nn::AutomaticPrecision chosen(bf16);
    EXPECT_EQ(policy.compute(), bf16);
    EXPECT_EQ(policy.variable(), f32);
    EXPECT_TRUE(policy.mixed());
    EXPECT_EQ(policy.name(), "auto");
    EXPECT_EQ(nn::Policy("float32").compute(), f32);  // others are what they say
  }
  EXPECT_EQ(policy.compute(), f32);
  EXPECT_NE(policy, nn::Policy("float32"));
}

TEST(TriedPrecision, IsThatOfAllLayersThatKeepFloat32) {
  const nn::Policy plain("float32"), mixed("mixed_bfloat16"), wide("float64"), automatic("auto");
  {
    const nn::TriedPrecision narrow(bf16);
    EXPECT_EQ(plain.compute(), bf16);
    EXPECT_EQ(plain.variable(), f32);
    EXPECT_TRUE(plain.mixed());
    EXPECT_EQ(automatic.compute(), bf16);
    EXPECT_EQ(wide.compute(), f64);  // its weights are others
    {
      const nn::TriedPrecision full(f32);
      EXPECT_EQ(mixed.compute(), f32);
      EXPECT_FALSE(mixed.mixed());
    }
    EXPECT_EQ(mixed.compute(), bf16);
    DType elsewhere = bf16;
    std::thread([&] { elsewhere = plain.compute(); }).join();
    EXPECT_EQ(elsewhere, f32);  // another thread's layers are as they are
  }
  EXPECT_EQ(plain.compute(), f32);
  EXPECT_EQ(mixed.compute(), bf16);
}

TEST(AutoPolicy, LayersCastAsTheMixedPolicyDoes) {
  const GlobalPolicy global("auto");
  EXPECT_EQ(nn::global_policy().name(), "auto");
  const nn::Dense automatic(3);
  const nn::Dense mixed(3, {.dtype = "mixed_bfloat16"});
  const Tensor x = random::normal({2, 4}, {.seed = 1});
  EXPECT_EQ(automatic(x).dtype(), f32);
  (void)mixed(x);
  mixed.kernel().assign(automatic.kernel());
  const nn::AutomaticPrecision chosen(bf16);
  const Tensor a = automatic(x), b = mixed(x);
  EXPECT_EQ(a.dtype(), bf16);
  EXPECT_EQ(cast(a, f32).to_vector<float>(), cast(b, f32).to_vector<float>());
  EXPECT_EQ(automatic.kernel().dtype(), f32);
}

TEST(AutoPolicy, AnUnknownNameIsToldWithIt) {
  try {
    const nn::Policy policy("automatic");
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("auto"), std::string::npos) << error.what();
  }
}

struct Rows {
  Tensor x = random::normal({64, 8}, {.seed = 1}), y = cast(random::uniform({64, 1}, {.seed = 2}) > 0.5f, f32);
};
nn::Sequential network() {
  set_random_seed(5);
  nn::Sequential model({nn::InputLayer({8}), nn::Dense(16, {.activation = "relu"}), nn::Dropout(0.25),
                        nn::Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  return model;
}

// What it says, and the precision that it says.
std::string said(const std::string& err) {
  const size_t at = err.find("brio: [fit] precision: ");
  return at == std::string::npos ? "" : err.substr(at, err.find('\n', at) - at);
}

TEST(AutoPolicy, FitTriesBothAndSaysWhatItTook) {
  const Rows rows;
  const GlobalPolicy global("auto");
  nn::Sequential model = network();
  ::testing::internal::CaptureStderr();
  const train::History history = model.fit(rows.x, rows.y, {.epochs = 2, .batch_size = 16, .verbose = 0});
  const std::string line = said(::testing::internal::GetCapturedStderr());
  EXPECT_NE(line.find("a step takes "), std::string::npos) << line;
  EXPECT_NE(line.find("in mixed_bfloat16"), std::string::npos) << line;
  EXPECT_NE(line.find("the loss is "), std::string::npos) << line;
  ::testing::internal::CaptureStderr();
  model.fit(rows.x, rows.y, {.epochs = 1, .batch_size = 16, .verbose = 0});
  EXPECT_EQ(said(::testing::internal::GetCapturedStderr()), "");  // once
}

TEST(AutoPolicy, OtherModelsAreToldNothing) {
  const Rows rows;
  nn::Sequential model = network();
  ::testing::internal::CaptureStderr();
  model.fit(rows.x, rows.y, {.epochs = 1, .batch_size = 16, .verbose = 0});
  EXPECT_EQ(said(::testing::internal::GetCapturedStderr()), "");
}

// Trying changes nothing: with the choice that was made, the run has the bits of one under that policy.
TEST(AutoPolicy, TheRunIsThatOfThePolicyThatWasTaken) {
  const Rows rows;
  std::vector<float> taken, named;
  std::string line;
  {
    const GlobalPolicy global("auto");
    nn::Sequential model = network();
    ::testing::internal::CaptureStderr();
    model.fit(rows.x, rows.y, {.epochs = 3, .batch_size = 16, .verbose = 0});
    line = said(::testing::internal::GetCapturedStderr());
    taken = Tensor(model.trainable_variables()[0]).to_vector<float>();
  }
  {
    const GlobalPolicy global(line.find("precision: mixed_bfloat16;") != std::string::npos ? "mixed_bfloat16"
                                                                                           : "float32");
    nn::Sequential model = network();
    model.fit(rows.x, rows.y, {.epochs = 3, .batch_size = 16, .verbose = 0});
    named = Tensor(model.trainable_variables()[0]).to_vector<float>();
  }
  EXPECT_EQ(taken, named) << line;
}

TEST(AutoPolicy, ARunThatGoesOnTakesThePrecisionOfItsCheckpoint) {
  const Rows rows;
  const GlobalPolicy global("auto");
  const auto directory = std::filesystem::path(::testing::TempDir()) / "auto_precision";
  for (const char* precision : {"float32", "mixed_bfloat16"}) {
    std::filesystem::remove_all(directory);
    {
      nn::Sequential model = network();
      model.fit(rows.x, rows.y,
                {.epochs = 1, .batch_size = 16, .verbose = 0, .checkpoint = {.directory = directory.string()}});
    }
    // As if that had been chosen, whatever this machine measured.
    std::string name;
    for (const auto& file : std::filesystem::directory_iterator(directory))
      if (file.path().extension() == ".json") name = (directory / file.path().stem()).string();
    ASSERT_FALSE(name.empty());
    train::RunState state = train::read_run_state(name);
    ASSERT_TRUE(state.precision.has_value());
    state.precision = precision;
    state.finished = false;
    train::write_run_state(name, state);
    EXPECT_EQ(train::read_run_state(name).precision, precision);
    nn::Sequential model = network();
    ::testing::internal::CaptureStderr();
    model.fit(rows.x, rows.y,
              {.epochs = 2,
               .batch_size = 16,
               .verbose = 0,
               .checkpoint = {.directory = directory.string()},
               .resume = true});
    const std::string line = said(::testing::internal::GetCapturedStderr());
    EXPECT_NE(line.find(cat("precision: ", precision, ", as the run chose")), std::string::npos) << line;
    EXPECT_EQ(model.predict(rows.x).dtype(), std::string(precision) == "float32" ? f32 : bf16);
  }
}

}  // namespace
}  // namespace brio
