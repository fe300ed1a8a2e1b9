// Traces of functions as text: they come back, in sizes that were not known, with the bits of the function itself.
#include <gtest/gtest.h>

#include <sstream>

#include "brio/brio.h"
#include "brio/runtime/saved_trace.h"

namespace brio {
namespace {

using Tensors = std::vector<Tensor>;

Tensor waves(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37f * static_cast<float>(i) + 0.5f);
  return Tensor::from(values, shape);
}

std::vector<VariableRef> refs(const std::vector<Variable>& variables) {
  std::vector<VariableRef> list;
  for (const Variable& variable : variables) list.push_back(variable.impl());
  return list;
}

// Through text.
SavedTrace again(const SavedTrace& trace, const std::vector<Variable>& variables = {}) {
  Tensors constants;
  const std::string text = trace.write(refs(variables), constants);
  const SavedTrace read = SavedTrace::read(text, refs(variables), constants);
  EXPECT_EQ(read.write(refs(variables), constants), text);
  return read;
}

std::string bits(const Tensors& results) {
  std::string all;
  for (const Tensor& result : results) {
    all += format_aval(result.aval());
    if (result.aval().bytes() != 0) all.append(static_cast<const char*>(data_of(result)), result.aval().bytes());
  }
  return all;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

std::string shapes(const std::vector<SizedAs>& all) {
  std::string text;
  for (const SizedAs& one : all) {
    text += cat(text.empty() ? "" : " ", one.dtype, "(");
    for (int64_t dim : one.dims) text += cat(dim, ",");
    text += ")";
  }
  return text;
}

// The function saved with the first size unknown gives in each size what the function gives.
void expect_same(const BodyFn& f, const std::vector<SizedAs>& arguments,
                 const std::vector<Variable>& variables = {}) {
  const SavedTrace trace = again(SavedTrace::of(f, arguments), variables);
  for (int64_t n : {1, 2, 3, 8, 61}) {
    Tensors in;
    for (const SizedAs& argument : arguments) {
      std::vector<int64_t> dims = argument.dims;
      for (int64_t& dim : dims)
        if (dim < 0) dim = n;
      in.push_back(cast(waves(Shape(dims)) * 3, argument.dtype));
    }
    EXPECT_EQ(bits(trace.call(in)), bits(f(in))) << "of size " << n;
  }
}

TEST(SavedTrace, FollowsTheBatch) {
  const Variable kernel(waves({3, 4})), bias(waves({4}));
  const BodyFn mlp = [&](const Tensors& in) {
    const Tensor hidden = relu(matmul(in[0], kernel) + bias);
    const Tensor normalized = (hidden - mean(hidden, 0)) / sqrt(mean(square(hidden), 0) + 1e-3f);
    return Tensors{softmax(normalized), reshape(hidden, {-1}), mean(in[0])};
  };
  expect_same(mlp, {{{-1, 3}, f32}}, {kernel, bias});
  const SavedTrace trace = again(SavedTrace::of(mlp, {{{{-1, 3}, f32}}}), {kernel, bias});
  EXPECT_EQ(shapes(trace.arguments()), "float32(-1,3,)");
  EXPECT_EQ(shapes(trace.results()), "float32(-1,4,) float32(-1,) float32()");
}

TEST(SavedTrace, FollowsSlicesRangesAndSizesAsNumbers) {
  expect_same(
      [](const Tensors& in) {
        const Size n = in[0].shape()[0];
        return Tensors{slice(in[0], std::vector<Range>{{n - 1, n}}),
                       in[0] * constant(n, f32),
                       expand_dims(iota(n, f32), 1) + in[0],
                       pad(in[0], {{n, 2}, {0, 0}}),
                       broadcast_to(in[0], {2, n, 3}),
                       slice(in[0], std::vector<Range>{{0, n / 2}}),
                       in[0] / constant(n * 2 + 1, f32)};
      },
      {{{-1, 3}, f32}});
}

TEST(SavedTrace, FollowsSizesInBodies) {
  expect_same(
      [](const Tensors& in) {
        const Tensors looped =
            while_loop([](const Tensors& s) { return less(s[0], Tensor(3, i32)); },
                       [&](const Tensors& s) {
                         return Tensors{s[0] + 1, s[1] + mean(s[1], 0, true) * constant(in[0].shape()[0], f32)};
                       },
                       {Tensor(0, i32), in[0]});
        const Tensors chosen = cond(
            greater(sum(in[0]), Tensor(0.f)), [&] { return Tensors{in[0] * 2}; }, [&] { return Tensors{-in[0]}; });
        return Tensors{looped[1], chosen[0]};
      },
      {{{-1, 2}, f32}});
}

TEST(SavedTrace, SizesVaryApartWhereTheyCan) {
  const SavedTrace apart = again(SavedTrace::of(
      [](const Tensors& in) {
        return Tensors{matmul(in[0], in[1]), reshape(in[0], {-1})};
      },
      {{{{-1, 3}, f32}, {{3, -1}, f32}}}));
  EXPECT_EQ(shapes(apart.results()), "float32(-1,-1,) float32(-1,)");
  EXPECT_EQ(apart.call(Tensors{waves({5, 3}), waves({3, 7})})[0].shape(), Shape({5, 7}));
  const SavedTrace products =
      again(SavedTrace::of([](const Tensors& in) { return Tensors{reshape(in[0], {-1})}; }, {{{{-1, -1, -1}, f32}}}));
  EXPECT_EQ(products.call(Tensors{waves({2, 3, 4})})[0].shape(), Shape({24}));
  // The two of a sum cannot: they are one size.
  const SavedTrace together = again(
      SavedTrace::of([](const Tensors& in) { return Tensors{in[0] + in[1]}; }, {{{{-1, 3}, f32}, {{-1, 3}, f32}}}));
  EXPECT_EQ(together.call(Tensors{waves({5, 3}), waves({5, 3})})[0].shape(), Shape({5, 3}));
  EXPECT_NE(error_of([&] {
              together.call(Tensors{waves({5, 3}), waves({4, 3})});
            }).find("with sizes as in (n0, 3), (n0, 3), but got (5, 3), (4, 3)"),
            std::string::npos);
  // A size that follows from others.
  const SavedTrace flat = again(SavedTrace::of(
      [](const Tensors& in) { return Tensors{reshape(in[0], {-1}) + in[1]}; }, {{{{-1, 4}, f32}, {{-1}, f32}}}));
  EXPECT_EQ(flat.call(Tensors{waves({2, 4}), waves({8})})[0].shape(), Shape({8}));
  EXPECT_NE(error_of([&] {
              flat.call(Tensors{waves({2, 4}), waves({9})});
            }).find("with sizes as in (n0, 4), (4*n0,), but got (2, 4), (9,)"),
            std::string::npos);
  const std::vector<SizedAs> five(5, {{-1}, f32});
  const SavedTrace many = again(SavedTrace::of([](const Tensors& in) { return Tensors{in[0] + in[4]}; }, five));
  EXPECT_EQ(many.call(Tensors(5, waves({6})))[0].shape(), Shape({6}));
}

TEST(SavedTrace, RefusesWhatIsNotOneGraph) {
  const auto save = [](const BodyFn& f, std::vector<SizedAs> arguments) {
    return error_of([&] { (void)SavedTrace::of(f, arguments); });
  };
  EXPECT_NE(save(
                [](const Tensors& in) {
                  Tensor x = in[0];
                  for (int64_t i = 0; i < in[0].shape()[0]; ++i) x = x + 1;
                  return Tensors{x};
                },
                {{{-1}, f32}})
                .find("whether 0 is less than n0 depends on sizes that are not known yet: it is not one graph"),
            std::string::npos);
  EXPECT_NE(
      save([](const Tensors& in) { return Tensors{in[0] * (1.0 / static_cast<double>(int64_t{in[0].shape()[0]}))}; },
           {{{-1}, f32}})
          .find("the size n0 is not known here"),
      std::string::npos);
  const HostFunction host("mine", [](const std::vector<Array>& in) { return in; });
  EXPECT_NE(save(
                [&](const Tensors& in) {
                  return host_call(host, in, {{Shape{2}, f32}});
                },
                {{{2}, f32}})
                .find("'mine' is code of the host, which cannot be saved"),
            std::string::npos);
  std::ostringstream to;
  EXPECT_NE(save(
                [&](const Tensors& in) {
                  print({"x:", in[0]}, {.to = &to});
                  return in;
                },
                {{{2}, f32}})
                .find("cannot be saved"),
            std::string::npos);
}

TEST(SavedTrace, SharesVariablesAndAssignsThem) {
  const Variable total(Tensor(0.f)), step(Tensor({1, 2}));
  const SavedTrace add = again(SavedTrace::of(
                                   [&](const Tensors& in) {
                                     Variable(total).assign_add(sum(in[0] * step));
                                     return Tensors{total.value() * 10};
                                   },
                                   {{{{-1, 2}, f32}}}),
                               {step, total});
  EXPECT_EQ(add.variables().size(), 2u);
  const Tensor x = Tensor({{1, 1}, {2, 0}});
  EXPECT_EQ(add.call({{x}})[0].item<float>(), 50);
  EXPECT_EQ(add.call({{x}})[0].item<float>(), 100);
  EXPECT_EQ(total.value().item<float>(), 10);
  // As part of a function, and under a tape.
  auto f = function([&](const Tensor& y) { return add.call({{y}})[0]; });
  EXPECT_EQ(f(x).item<float>(), 150);
  EXPECT_EQ(f(x).item<float>(), 200);
  GradientTape tape;
  const Tensor loss = add.call({{x}})[0];
  EXPECT_EQ(tape.gradient(loss, {step})[0].to_vector<float>(), (std::vector<float>{30, 10}));
  EXPECT_NE(error_of([&] {
              Tensors constants;
              (void)add.write(refs({step}), constants);
            }).find("is not an attribute of what is saved"),
            std::string::npos);
}

TEST(SavedTrace, DrawsNewNumbersAtEachCall) {
  const SavedTrace draw = again(SavedTrace::of(
      [](const Tensors& in) {
        return Tensors{random::normal(in[0].shape()), random::uniform({2})};
      },
      {{{{-1}, f32}}}));
  const Tensor x = waves({4});
  random::set_seed(7);
  const std::string first = bits(draw.call({{x}})), second = bits(draw.call({{x}}));
  EXPECT_NE(first, second);
  random::set_seed(7);
  EXPECT_EQ(bits(draw.call({{x}})), first);
  random::set_seed(7);
  // Behind other draws of a function.
  auto f = function([&](const Tensor& y) {
    const Tensor own = random::uniform({3});
    Tensors drawn = draw.call({{y}});
    return std::tuple(own, drawn[0], drawn[1]);
  });
  const auto [a, b, c] = f(x);
  const auto [d, e, g] = f(x);
  EXPECT_NE(bits({a, b, c}), bits({d, e, g}));
}

TEST(SavedTrace, KeepsEffects) {
  const SavedTrace checked = again(SavedTrace::of(
      [](const Tensors& in) {
        debugging::assert_less(in[0], Tensor(5.f), "too large");
        print("a {brace}", in[0], "end");
        return Tensors{in[0] * 2};
      },
      {{{{-1}, f32}}}));
  std::ostringstream shown;
  std::streambuf* const before = std::cerr.rdbuf(shown.rdbuf());
  EXPECT_EQ(checked.call({{Tensor({1, 2})}})[0].to_vector<float>(), (std::vector<float>{2, 4}));
  flush();
  auto f = function([&](const Tensor& x) {
    print("first");
    return checked.call({{x}})[0];
  });
  f(Tensor({3, 4}));
  std::cerr.rdbuf(before);
  EXPECT_EQ(shown.str(), "a {brace} [1 2] end\nfirst\na {brace} [3 4] end\n");
  EXPECT_THROW((void)checked.call({{Tensor({1, 9})}})[0].array(), InvalidArgument);
}

// Texts in, numbers out; the batch is open.
void expect_same_of_texts(const BodyFn& f) {
  const SavedTrace trace = again(SavedTrace::of(f, {{{{-1}, DType::string}}}));
  for (size_t n : {1, 3, 200}) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < n; ++i) texts.push_back(cat("word", i % 150, i % 7 ? "" : " two", i % 11 ? "" : " three"));
    const Tensor x = string_tensor(texts);
    EXPECT_EQ(bits(trace.call(Tensors{x})), bits(f({x}))) << n << " texts";
  }
}

std::vector<std::string> words(int n) {
  std::vector<std::string> all;
  for (int i = 0; i < n; ++i) all.push_back(cat("word", i));
  return all;
}

TEST(SavedTrace, KeepsVocabularies) {
  const nn::StringLookup first({.vocabulary = words(120), .name = "same"}),
      second({.num_oov_indices = 3, .vocabulary = words(30), .salt = {7, 8}, .name = "same"});
  expect_same_of_texts([&](const Tensors& in) { return Tensors{first(in[0]), second(in[0])}; });
  nn::StringLookup learned({.max_tokens = 40});
  learned.adapt(string_tensor(words(100)));
  const nn::StringLookup masked({.mask_token = "word3", .vocabulary = words(3)});
  expect_same_of_texts([&](const Tensors& in) {
    return Tensors{learned(in[0]), masked(in[0]), nn::Hashing(113)(in[0])};
  });
  const nn::StringLookup one_hot({.vocabulary = words(120), .output_mode = "one_hot"});
  expect_same_of_texts([&](const Tensors& in) { return Tensors{one_hot(in[0])}; });
  nn::TextVectorization text({.ngrams = {1, 2}, .output_sequence_length = 5});
  text.adapt(string_tensor({"word1 two three", "word2 two", "word1"}));
  nn::TextVectorization bag({.output_mode = "tf_idf"});
  bag.adapt(string_tensor({"word1 two three", "word2 two", "word1"}));
  expect_same_of_texts([&](const Tensors& in) { return Tensors{text(in[0]), bag(in[0])}; });
  const nn::IntegerLookup numbers({.vocabulary = {5, 3, 900}}), back({.vocabulary = {5, 3, 900}, .invert = true});
  expect_same(
      [&](const Tensors& in) {
        return Tensors{back(numbers(in[0]) % 4), nn::Hashing(50)(in[0])};
      },
      {{{-1, 3}, i64}});
}

TEST(SavedTrace, KeepsFunctionsOfStrings) {
  expect_same_of_texts([](const Tensors& in) {
    const Tensor& x = in[0];
    return Tensors{strings::length(x),
                   strings::length(x, strings::Unit::utf8_char),
                   strings::equal(x, string_tensor({"word1"})),
                   strings::regex_full_match(x, "word[1-5] \"? ?two.*"),
                   strings::to_hash_bucket(x, 1000),
                   strings::to_hash_bucket_fast(x, 1001),
                   strings::to_hash_bucket_strong(x, 1002, {3, 4})};
  });
  const SavedTrace trace = again(SavedTrace::of(
      [](const Tensors& in) { return Tensors{strings::to_number(in[0], f64)}; }, {{{{-1}, DType::string}}}));
  EXPECT_EQ(trace.call(Tensors{string_tensor({"1.5", "-2"})})[0].to_vector<double>(), (std::vector{1.5, -2.0}));
  EXPECT_NE(error_of([&] { (void)trace.call(Tensors{string_tensor({"x"})})[0].array(); }).find("is no float64"),
            std::string::npos);
}

TEST(SavedTrace, TrustsNoRecipe) {
  const nn::StringLookup lookup({.vocabulary = words(3)});
  Tensors constants;
  const std::string text =
      SavedTrace::of([&](const Tensors& in) { return Tensors{lookup(in[0])}; }, {{{{-1}, DType::string}}})
          .write({}, constants);
  ASSERT_EQ(constants.size(), 1u);
  const auto read = [](std::string changed, const Tensors& with, std::string_view from = {},
                       std::string_view to = {}) {
    if (!from.empty()) changed.replace(changed.find(from), from.size(), to);
    return error_of([&] { (void)SavedTrace::read(changed, {}, with); });
  };
  const auto recipe = [](std::string_view of) {
    return Tensors{Tensor::from_bytes(of.data(), {Shape{static_cast<int64_t>(of.size())}, u8})};
  };
  EXPECT_EQ(read(text, constants), "no error");
  EXPECT_NE(read(text, {}).find("there is no constant 0"), std::string::npos);
  EXPECT_NE(read(text, {ones({3})}).find("no text of a recipe"), std::string::npos);
  EXPECT_NE(read(text, constants, "recipe 0", "recipe 1").find("there is no recipe 1"), std::string::npos);
  EXPECT_NE(read(text, constants, "recipe 0", "layer {").find("[config]"), std::string::npos);
  EXPECT_NE(read(text, constants, "recipe 0", "strings.length").find("is no code of the host that a file holds"),
            std::string::npos);  // which gives int32
  EXPECT_EQ(read(text, constants, "recipe 0", "strings.to_hash_bucket 5"), "no error");
  EXPECT_NE(read(text, constants, "recipe 0", "strings.to_hash_bucket -5").find("no list of numbers"),
            std::string::npos);
  EXPECT_NE(read(text, constants, "recipe 0", "elsewhere").find("'elsewhere'"), std::string::npos);
  EXPECT_NE(read(text, recipe("layer {")).find("[config]"), std::string::npos);
  EXPECT_NE(read(text, recipe("layer " + nn::to_json(nn::Dense(3)))).find("a Dense has no code of the host"),
            std::string::npos);
  EXPECT_NE(read(text, recipe("layer " + nn::to_json(nn::IntegerLookup({.vocabulary = {1}})))).find("whole numbers"),
            std::string::npos);
}

TEST(SavedTrace, KeepsLargeAndSmallConstants) {
  const Tensor table = waves({100}), small = Tensor({1, 2, 3}, i64), empty = zeros({0, 3});
  const SavedTrace trace = SavedTrace::of(
      [&](const Tensors& in) {
        return Tensors{in[0] + sum(table), sum(small), concat({empty, in[0]}, 0), in[0] * sum(table)};
      },
      {{{{-1, 3}, f32}}});
  Tensors constants;
  (void)trace.write({}, constants);
  EXPECT_EQ(constants.size(), 1u);  // the table, once
  EXPECT_EQ(bits(again(trace).call({{waves({2, 3})}})), bits(trace.call({{waves({2, 3})}})));
}

TEST(SavedTrace, RefusesOtherArguments) {
  const SavedTrace trace = SavedTrace::of([](const Tensors& in) { return Tensors{in[0] * 2}; }, {{{{-1, 3}, f32}}});
  const auto call = [&](const Tensors& in) { return error_of([&] { (void)trace.call(in); }); };
  EXPECT_NE(call({waves({2, 4})}).find("takes float32 of shape (None, 3); but tensor 0 is float32 of shape (2, 4)"),
            std::string::npos);
  EXPECT_NE(call({waves({3})}).find("but tensor 0"), std::string::npos);
  EXPECT_NE(call({Tensor({{1, 2, 3}}, i32)}).find("but tensor 0 is int32"), std::string::npos);
  EXPECT_NE(call({}).find("but got 0 tensors"), std::string::npos);
}

TEST(SavedTrace, ReadsNothingThatDoesNotBelongTogether) {
  const Variable v(Tensor({1, 2}));
  const SavedTrace trace = SavedTrace::of(
      [&](const Tensors& in) {
        Variable(v).assign(v.value() + sum(in[0], 0));
        return Tensors{in[0] * v.value() * 3.f, random::normal({2})};
      },
      {{{{-1, 2}, f32}}});
  Tensors constants;
  const std::string text = trace.write(refs({v}), constants);
  const auto read = [&](const std::string& changed) {
    return error_of([&] { (void)SavedTrace::read(changed, refs({v}), constants); });
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
    return read(changed.replace(at, from.size(), to));
  };
  EXPECT_EQ(read(text), "no error");
  const struct {
    const char *from, *to, *wanted;
  } changes[] = {
      {"brio", "blio", "'brio' is expected"},
      {"trace 2", "trace 1", "another version"},
      {"arguments 1", "arguments 2", "inputs"},
      {"arguments 1", "arguments 18446744073709551615", "inputs"},
      {"arguments 1", "arguments x", "a number is expected"},
      {"results 2", "results 9", "outputs"},
      {"results 2", "results 1", "outputs"},
      {"effects 0", "effects 2", "effects is 0 or 1"},
      {"effects 0", "effects 1", "outputs"},
      {"[n0,2]", "[n1,2]", ""},
      {"[n0,2]", "[n0*n1,2]", ""},
      {"[n0,2]", "[n0+,2]", ""},
      {"[n0,2]", "[n70000,2]", ""},
      {"captured 1", "captured 99999999", "not so many"},
      {"bytes ", "bites ", "'bytes' or 'constant'"},
      {"bytes ", "constant ", ""},
      {"bytes ", "bytes z", "no bytes"},
      {"bytes ", "bytes 00", "which is no f32[]"},
      {"0 assigned", "1 assigned", "there is no variable 1"},
      {"0 assigned", "0 written", "'read' or 'assigned'"},
      {"0 assigned", "0 read", "outputs"},
      {"graph\n", "graf\n", "'graph' is expected"},
      {"return", "retern", "[ir] line"},
  };
  for (const auto& [from, to, wanted] : changes) {
    const std::string error = with(from, to);
    EXPECT_NE(error, "no error") << from << " → " << to;
    EXPECT_NE(error.find(wanted), std::string::npos) << to << ": " << error;
  }
}

}  // namespace
}  // namespace brio
