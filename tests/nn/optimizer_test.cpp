// Optimizers against Keras' values, in eager code and inside functions; what they refuse.
#include "brio/nn/optimizers/optimizer.h"

#include "tests/nn/golden_optimizers.h"

namespace brio {
namespace {

constexpr const char* kKinds[] = {"sgd",      "rmsprop",   "adam", "adamw", "adamax", "nadam", "adagrad",
                                  "adadelta", "adafactor", "ftrl", "lion",  "lamb",   "muon"};

DType dtype_of(const golden::Case& c) {
  if (!c.has("dtype")) return f32;
  const std::string& name = c.text("dtype");
  return name == "float64" ? f64 : name == "bfloat16" ? bf16 : f16;
}

// Half precision rounds to 8 or 11 bits after each operation, on both sides; a root or power that differs in the last
// bit shows as much. Newton-Schulz steps enlarge differences of the last bit of their products.
double tolerance(const golden::Case& c) {
  switch (dtype_of(c)) {
    case bf16: return 1.0 / 128;
    case f16: return 1.0 / 1024;
    default: return 1e-5;
  }
}

enum class StepMode { eager, traced, alternating };

void follow_keras(const golden::Case& c, StepMode mode) {
  const nn::Optimizer optimizer = golden::optimizer(c);
  const DType dtype = dtype_of(c);
  std::vector<std::string> names = {"w", "b"};
  if (c.inputs.count("k")) names.push_back("k");
  std::vector<Variable> variables;
  for (const std::string& name : names)
    variables.push_back(Variable(cast(golden::tensor(c.input(name)), dtype), {.name = name}));
  if (c.has("exclude") && c.text("exclude") == "names") optimizer.exclude_from_weight_decay({std::string("^b")});
  else if (c.has("exclude")) optimizer.exclude_from_weight_decay({variables[0]});
  auto apply = [&](const Tensor& w, const Tensor& b, const Tensor& k) {
    std::vector<Tensor> gradients = {w, b};
    if (names.size() == 3) gradients.push_back(k);
    optimizer.apply_gradients(gradients, variables);
  };
  auto step = function([&](const Tensor& w, const Tensor& b, const Tensor& k) { apply(w, b, k); });
  auto step_without_b = function([&](const Tensor& w, const Tensor& k) { apply(w, {}, k); });
  for (size_t i = 0; i < 5; ++i) {
    std::vector<Tensor> g;
    for (const std::string& name : names)
      g.push_back(cast(golden::tensor(golden::step_of(c.input(name + "_gradients"), i)), dtype));
    g.resize(3, g[0]);
    const bool without_b = c.number("without_b_at", -1) == static_cast<double>(i);
    const bool traced = mode == StepMode::traced || (mode == StepMode::alternating && i % 2 == 1);
    if (traced && without_b) step_without_b(g[0], g[2]);
    else if (traced) step(g[0], g[1], g[2]);
    else apply(g[0], without_b ? Tensor() : g[1], g[2]);
  }
  if (c.has("finalize")) optimizer.finalize_variable_values(variables);
  for (size_t i = 0; i < names.size(); ++i)
    golden::expect_close(variables[i], c.output(names[i]), tolerance(c), c.name + " " + names[i]);
  golden::expect_state(c, optimizer, tolerance(c));
  const int64_t every = golden::count(c, "gradient_accumulation_steps").value_or(1);
  EXPECT_EQ(optimizer.iterations().item<int64_t>(), 5 / every) << c.name;
}

void follow_keras(StepMode mode) {
  for (const char* kind : kKinds)
    for (const golden::Case& c : golden::load(cat("optimizers_", kind, ".json"))) follow_keras(c, mode);
}

TEST(Optimizer, AgreesWithKeras) { follow_keras(StepMode::eager); }
TEST(Optimizer, AgreesWithKerasInAFunction) { follow_keras(StepMode::traced); }
TEST(Optimizer, AgreesWithKerasWhenBothAlternate) { follow_keras(StepMode::alternating); }

TEST(Optimizer, DefaultsAreKeras) {
  EXPECT_EQ(nn::SGD().learning_rate().item<double>(), 0.01);
  for (const char* name : {"rmsprop", "adam", "adamw", "adamax", "nadam", "adagrad", "adadelta", "adafactor", "ftrl",
                           "lion", "lamb", "muon"})
    EXPECT_EQ(nn::Optimizer(name).learning_rate().item<double>(), 0.001);
  for (const char* name : {"sgd", "SGD"}) EXPECT_EQ(nn::Optimizer(name).name(), "sgd");
  for (const char* name : {"rmsprop", "RMSprop"}) EXPECT_EQ(nn::Optimizer(name).name(), "rmsprop");
  for (const char* name : {"adamw", "AdamW"}) EXPECT_EQ(nn::Optimizer(name).name(), "adamw");
  for (const char* kind : kKinds) EXPECT_FALSE(nn::Optimizer(kind).name().empty());
}

TEST(Optimizer, LearningRateChangesInAKeptPlan) {
  const nn::SGD sgd(0.5);
  Variable v(Tensor({1, 2}));
  auto step = function([&] { sgd.apply_gradients({ones({2})}, {v}); });
  step();
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0.5, 1.5}));
  sgd.set_learning_rate(0.25);
  step();
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0.25, 1.25}));
  EXPECT_EQ(step.traces(), 1u);
  sgd.apply_gradients({ones({2})}, {v});
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0, 1}));
}

TEST(Optimizer, VariablesWithoutGradientStay) {
  const nn::Adam adam(0.1);
  Variable a(Tensor({1})), b(Tensor({2}));
  adam.apply_gradients({Tensor(), ones({1})}, {a, b});
  EXPECT_EQ(a.value().item<float>(), 1);
  EXPECT_LT(b.value().item<float>(), 2);
  EXPECT_SAYS(golden::invalid([&] {
                adam.apply_gradients({Tensor(), Tensor()}, {a, b});
              }),
              "none of the 2 variables has a gradient");
}

TEST(Optimizer, SlotsBelongToTheirVariables) {
  const nn::SGD sgd(1, {.momentum = 0.5});
  Variable a(Tensor({0})), b(Tensor({0}));
  sgd.apply_gradients({ones({1}), zeros({1})}, {a, b});
  sgd.apply_gradients({zeros({1}), zeros({1})}, {b, a});  // another order, the same slots
  EXPECT_EQ(a.value().item<float>(), -1.5f);
  EXPECT_EQ(b.value().item<float>(), 0);
  EXPECT_EQ(sgd.variables().size(), 4u);  // iterations, learning rate, two momenta
  EXPECT_EQ(sgd.variables()[2].impl()->owner, Owner::optimizer);
}

TEST(Optimizer, MixedDtypes) {
  const nn::Adam adam(0.1);
  Variable a(Tensor({1, 2})), b(Tensor({1, 2}, f64)), c(Tensor({3}));
  for (int i = 0; i < 3; ++i) adam.apply_gradients({ones({2}), ones({2}), ones({1})}, {a, b, c});
  EXPECT_NEAR(a.value().to_vector<float>()[0], 0.7, 1e-5);
  EXPECT_NEAR(b.value().to_vector<double>()[0], 0.7, 1e-6);
  EXPECT_NEAR(c.value().to_vector<float>()[0], 2.7, 1e-5);
}

TEST(Optimizer, EagerStepEndsTheStep) {
  const nn::SGD sgd(0.5);
  Variable v(Tensor({1, 2}));
  sgd.apply_gradients({ones({2})}, {v});
  EXPECT_FALSE(current_recording().pending());
}

// Steps of a function go on with the same bits from a copy of weights and state.
TEST(Optimizer, ResumesFromCopiedVariables) {
  for (const char* kind : kKinds) {
    struct Run {
      nn::Optimizer optimizer;
      Variable w{random::normal({4, 3}, {.seed = 1}), {.name = "w"}},
          b{random::normal({3}, {.seed = 2}), {.name = "b"}};
      explicit Run(const char* name) : optimizer(name) { optimizer.build(std::vector{w, b}); }
      void train(int64_t from, int64_t to) {
        auto step = function([&](const Tensor& gw, const Tensor& gb) {
          optimizer.apply_gradients({gw, gb}, {w, b});
        });
        for (int64_t i = from; i < to; ++i)
          step(random::normal({4, 3}, {.seed = 10 + i}), random::normal({3}, {.seed = 20 + i}));
      }
      std::vector<Variable> everything() const {
        std::vector<Variable> all = optimizer.variables();
        all.insert(all.end(), {w, b});
        return all;
      }
    };
    Run whole(kind), first(kind), second(kind);
    whole.train(0, 6);
    first.train(0, 3);
    const std::vector<Variable> from = first.everything();
    std::vector<Variable> to = second.everything();
    ASSERT_EQ(from.size(), to.size());
    for (size_t i = 0; i < from.size(); ++i) {
      EXPECT_EQ(from[i].name(), to[i].name());
      to[i].assign(from[i].value());
    }
    second.train(3, 6);
    const std::vector<Variable> wanted = whole.everything();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(cast(to[i], f64).to_vector<double>(), cast(wanted[i], f64).to_vector<double>())
          << kind << " " << to[i].name();
  }
}

TEST(Optimizer, RatesOfSingleVariables) {
  for (const bool fused : {true, false}) {
    auto make = [&](double rate) {
      return fused ? nn::Optimizer(nn::Adam(rate, {.weight_decay = 0.5}))
                   : nn::Optimizer(nn::Adamax(rate, {.weight_decay = 0.5}));
    };
    const nn::Optimizer both = make(0.25), slow = make(0.25), fast = make(0.5);
    Variable a(Tensor({1, 2})), b(Tensor({3, 4})), a2(Tensor({1, 2})), b2(Tensor({3, 4}));
    both.set_learning_rate_multiplier(b, 2);
    const Tensor g = Tensor({0.5, -1});
    for (int i = 0; i < 3; ++i) {
      both.apply_gradients({g, g}, {a, b});
      slow.apply_gradients({g}, {a2});
      fast.apply_gradients({g}, {b2});
    }
    EXPECT_EQ(a.value().to_vector<float>(), a2.value().to_vector<float>());
    EXPECT_EQ(b.value().to_vector<float>(), b2.value().to_vector<float>());
    both.set_learning_rate_multiplier(b, 0);  // stands still
    both.apply_gradients({g, g}, {a, b});
    EXPECT_EQ(b.value().to_vector<float>(), b2.value().to_vector<float>());
  }
}

TEST(Optimizer, MuonKnowsWhatToLeaveToAdam) {
  const nn::Muon muon(0.1, {.exclude_layers = {"^head"}});
  const Variable dense(ones({2, 3}), {.name = "dense/kernel"}), bias(ones({3}), {.name = "dense/bias"});
  const Variable table(ones({2, 3}), {.name = "Embedding_1/table"}), head(ones({2, 3}), {.name = "head/kernel"});
  muon.build(std::vector{dense, bias, table, head});
  EXPECT_EQ(muon.variables().size(), 2u + 1 + 2 + 2 + 2);
  const nn::Muon all(0.1, {.exclude_embeddings = false});
  all.build(std::vector{table});
  EXPECT_EQ(all.variables().size(), 2u + 1);
}

// Keras' Muon takes float32 only; ours agrees with itself.
TEST(Optimizer, MuonInOtherPrecisions) {
  auto train = [](DType dtype) {
    const nn::Muon muon(0.125);
    Variable w(cast(random::normal({4, 3}, {.seed = 1}), dtype));
    for (int i = 0; i < 3; ++i) muon.apply_gradients({cast(random::normal({4, 3}, {.seed = 5 + i}), dtype)}, {w});
    return cast(w, f64).to_vector<double>();
  };
  const std::vector<double> wanted = train(f64), single = train(f32), half = train(bf16);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(single[i], wanted[i], 1e-5);
    EXPECT_NEAR(half[i], wanted[i], 0.05);
  }
}

TEST(Optimizer, AveragesAreOfKnownVariables) {
  const nn::SGD sgd(1, {.use_ema = true});
  Variable a(Tensor({1})), stranger(Tensor({1}, {}), {.name = "stranger"});
  sgd.apply_gradients({ones({1})}, {a});
  EXPECT_SAYS(golden::invalid([&] { sgd.finalize_variable_values({stranger}); }),
              "no average of variable 'stranger'");
  nn::SGD(1).finalize_variable_values({stranger});  // nothing to do
}

TEST(Optimizer, NamesOfSlots) {
  const nn::Adam adam(0.1, {.name = "mine"});
  adam.build(std::vector{Variable(ones({2}), {.name = "dense/kernel"})});
  std::vector<std::string> names;
  for (const Variable& v : adam.variables()) names.push_back(v.name());
  EXPECT_EQ(names, (std::vector<std::string>{"mine/iteration", "mine/learning_rate", "mine/dense_kernel_momentum",
                                             "mine/dense_kernel_velocity"}));
}

TEST(Optimizer, RefusesOptions) {
  auto says = [](auto make, const char* part) { EXPECT_SAYS(golden::invalid(make), part); };
  says([] { nn::SGD(1, {.clipvalue = -1}); }, "[sgd] clipvalue is -1");
  says([] { nn::SGD(1, {.global_clipnorm = 0}); }, "global_clipnorm is 0");
  says([] { nn::SGD(1, {.weight_decay = -0.5}); }, "weight_decay is -0.5");
  says([] { nn::SGD(1, {.use_ema = true, .ema_momentum = 2}); }, "ema_momentum is 2");
  says([] { nn::SGD(1, {.ema_overwrite_frequency = 0}); }, "ema_overwrite_frequency is 0");
  says([] { nn::SGD(1, {.loss_scale_factor = 0}); }, "loss_scale_factor is 0");
  says([] { nn::SGD(1, {.gradient_accumulation_steps = 1}); }, "gradient_accumulation_steps is 1");
  says([] { nn::RMSprop(1, {.rho = 2}); }, "[rmsprop] rho is 2");
  says([] { nn::RMSprop(1, {.momentum = 2}); }, "momentum is 2");
  says([] { nn::Adam(1, {.beta_1 = 2}); }, "[adam] beta_1 is 2");
  says([] { nn::AdamW(1, {.beta_2 = 2}); }, "[adamw] beta_2 is 2");
  says([] { nn::AdamW(1, {.weight_decay = {}}); }, "weight_decay is none");
  says([] { nn::Adamax(1, {.beta_1 = -1}); }, "[adamax] beta_1 is -1");
  says([] { nn::Nadam(1, {.beta_2 = -1}); }, "[nadam] beta_2 is -1");
  says([] { nn::Adagrad(1, {.initial_accumulator_value = -1}); }, "[adagrad] initial_accumulator_value is -1");
  says([] { nn::Adadelta(1, {.rho = -1}); }, "[adadelta] rho is -1");
  says([] { nn::Adafactor(1, {.clip_threshold = 0}); }, "[adafactor] clip_threshold is 0");
  says([] { nn::Ftrl(1, {.learning_rate_power = 1}); }, "[ftrl] learning_rate_power is 1");
  says([] { nn::Ftrl(1, {.initial_accumulator_value = -1}); }, "initial_accumulator_value is -1");
  says([] { nn::Ftrl(1, {.l1_regularization_strength = -1}); }, "l1_regularization_strength is -1");
  says([] { nn::Ftrl(1, {.l2_regularization_strength = -1}); }, "l2_regularization_strength is -1");
  says([] { nn::Ftrl(1, {.l2_shrinkage_regularization_strength = -1}); },
       "l2_shrinkage_regularization_strength is -1");
  says([] { nn::Lion(1, {.beta_1 = 0}); }, "[lion] beta_1 is 0");
  says([] { nn::Lion(1, {.beta_2 = 2}); }, "beta_2 is 2");
  says([] { nn::Lamb(1, {.beta_1 = 2}); }, "[lamb] beta_1 is 2");
  says([] { nn::Muon(1, {.adam_beta_1 = 2}); }, "[muon] adam_beta_1 is 2");
  says([] { nn::Muon(1, {.adam_weight_decay = -1}); }, "adam_weight_decay is -1");
  says([] { nn::Muon(1, {.exclude_layers = {"("}}); }, "'(' is not a regular expression");
  says([] { nn::Muon(1, {.ns_steps = 0}); }, "ns_steps is 0");
  const nn::SGD sgd(1, {.weight_decay = 1});
  Variable v(Tensor({1}));
  says([&] { sgd.set_learning_rate(-1); }, "the learning rate is -1");
  says([&] { sgd.exclude_from_weight_decay({std::string("[")}); }, "'[' is not a regular expression");
  says([&] { sgd.set_learning_rate_multiplier(v, -1); }, "is -1; it must be finite");
  says([&] { sgd.set_learning_rate_multiplier(Variable(), 1); }, "the variable is none");
  says([&] { sgd.build(std::vector<Variable>(1)); }, "variable 0 is none");
  sgd.build(std::vector{v});
  says([&] { sgd.exclude_from_weight_decay({v}); }, "before build");
  says([&] { sgd.apply_gradients({ones({1})}, {Variable()}); }, "variable 0 is none");
}

TEST(Optimizer, SaysWhatIsWrong) {
  Variable v(Tensor({1, 2})), n(Tensor({1, 2}, i32));
  const nn::SGD sgd;
  EXPECT_SAYS(golden::invalid([] { nn::Optimizer("adm"); }), "did you mean 'adam'?");
  EXPECT_SAYS(golden::invalid([&] {
                sgd.apply_gradients({ones({2})}, {v, v});
              }),
              "1 gradients are given for 2 variables");
  EXPECT_SAYS(golden::invalid([&] { sgd.apply_gradients({ones({3})}, {v}); }),
              "has shape (3,), but the variable (2,)");
  EXPECT_SAYS(golden::invalid([&] { sgd.apply_gradients({ones({2})}, {n}); }), "is int32");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(-1); }), "the learning rate is -1");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(1, {.momentum = 2}); }), "momentum is 2");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(1, {.clipnorm = 1, .clipvalue = 1}); }), "choose one");
  EXPECT_SAYS(golden::invalid([] { nn::Adam(1, {.clipnorm = 0}); }), "clipnorm is 0");
}

}  // namespace
}  // namespace brio
