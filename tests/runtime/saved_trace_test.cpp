// Traces of functions as text: they come back, in sizes that were not known, with the bits of the function itself.
#include <gtest/gtest.h>

#include <sstream>

#include "brio/brio.h"
#include "brio/runtime/saved_trace.h"

namespace brio {
namespace {

using Tensors = std::vector<Tensor>;

Tensor numbers(const Shape& shape) {
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
      in.push_back(cast(numbers(Shape(dims)) * 3, argument.dtype));
    }
    EXPECT_EQ(bits(trace.call(in)), bits(f(in))) << "of size " << n;
  }
}

TEST(SavedTrace, FollowsTheBatch) {
  const Variable kernel(numbers({3, 4})), bias(numbers({4}));
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
        const int64_t n = in[0].shape()[0];
        return Tensors{slice(in[0], std::vector<Range>{{n - 1, n}}), in[0] * n,
                       expand_dims(cast(range(n), f32), 1) + in[0], pad(in[0], {{n, 2}, {0, 0}}),
                       broadcast_to(in[0], {2, n, 3})};
      },
      {{{-1, 3}, f32}});
}

TEST(SavedTrace, FollowsSizesInBodies) {
  expect_same(
      [](const Tensors& in) {
        const Tensors looped =
            while_loop([](const Tensors& s) { return less(s[0], Tensor(3, i32)); },
                       [&](const Tensors& s) {
                         return Tensors{s[0] + 1, s[1] + mean(s[1], 0, true) * static_cast<float>(in[0].shape()[0])};
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
  EXPECT_EQ(apart.call(Tensors{numbers({5, 3}), numbers({3, 7})})[0].shape(), Shape({5, 7}));
  const SavedTrace products =
      again(SavedTrace::of([](const Tensors& in) { return Tensors{reshape(in[0], {-1})}; }, {{{{-1, -1, -1}, f32}}}));
  EXPECT_EQ(products.call(Tensors{numbers({2, 3, 4})})[0].shape(), Shape({24}));
  // The two of a sum cannot: they are one size.
  const SavedTrace together = again(
      SavedTrace::of([](const Tensors& in) { return Tensors{in[0] + in[1]}; }, {{{{-1, 3}, f32}, {{-1, 3}, f32}}}));
  EXPECT_EQ(together.call(Tensors{numbers({5, 3}), numbers({5, 3})})[0].shape(), Shape({5, 3}));
  EXPECT_NE(error_of([&] {
              together.call(Tensors{numbers({5, 3}), numbers({4, 3})});
            }).find("axis 0 of tensor 1 has size 4 where another has 5"),
            std::string::npos);
  // Five of them are more than can vary apart.
  const std::vector<SizedAs> five(5, {{-1}, f32});
  const SavedTrace many = again(SavedTrace::of([](const Tensors& in) { return Tensors{in[0] + in[4]}; }, five));
  EXPECT_EQ(many.call(Tensors(5, numbers({6})))[0].shape(), Shape({6}));
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
                .find("records other ops when an argument has another size"),
            std::string::npos);
  EXPECT_NE(save(
                [](const Tensors& in) {
                  return Tensors{slice(in[0], std::vector<Range>{{0, in[0].shape()[0] / 2}})};
                },
                {{{-1}, f32}})
                .find("a size of [slice] follows no sizes of the arguments"),
            std::string::npos);
  EXPECT_NE(save([](const Tensors& in) { return Tensors{in[0] * (1.0 / static_cast<double>(in[0].shape()[0]))}; },
                 {{{-1}, f32}})
                .find("a number in it follows no sizes"),
            std::string::npos);
  EXPECT_NE(
      save([](const Tensors& in) { return Tensors{in[0] * constant(1.0 / static_cast<double>(in[0].size()), f32)}; },
           {{{-1}, f32}})
          .find("a number in it follows no sizes"),
      std::string::npos);
  EXPECT_NE(
      save([](const Tensors& in) { return Tensors{in[0] + Tensor(numbers(in[0].shape()).array())}; }, {{{-1}, f32}})
          .find("that is another one for other sizes"),
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
  const Tensor x = numbers({4});
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

TEST(SavedTrace, KeepsLargeAndSmallConstants) {
  const Tensor table = numbers({100}), small = Tensor({1, 2, 3}, i64), empty = zeros({0, 3});
  const SavedTrace trace = SavedTrace::of(
      [&](const Tensors& in) {
        return Tensors{in[0] + sum(table), sum(small), concat({empty, in[0]}, 0), in[0] * sum(table)};
      },
      {{{{-1, 3}, f32}}});
  Tensors constants;
  (void)trace.write({}, constants);
  EXPECT_EQ(constants.size(), 1u);  // the table, once
  EXPECT_EQ(bits(again(trace).call({{numbers({2, 3})}})), bits(trace.call({{numbers({2, 3})}})));
}

TEST(SavedTrace, RefusesOtherArguments) {
  const SavedTrace trace = SavedTrace::of([](const Tensors& in) { return Tensors{in[0] * 2}; }, {{{{-1, 3}, f32}}});
  const auto call = [&](const Tensors& in) { return error_of([&] { (void)trace.call(in); }); };
  EXPECT_NE(call({numbers({2, 4})}).find("takes float32 of shape (None, 3); but tensor 0 is float32 of shape (2, 4)"),
            std::string::npos);
  EXPECT_NE(call({numbers({3})}).find("but tensor 0"), std::string::npos);
  EXPECT_NE(call({Tensor({{1, 2, 3}}, i32)}).find("but tensor 0 is int32"), std::string::npos);
  EXPECT_NE(call({}).find("but got 0 tensors"), std::string::npos);
}

TEST(SavedTrace, ReadsNothingThatDoesNotBelongTogether) {
  const Variable v(Tensor({1, 2}));
  const SavedTrace trace = SavedTrace::of(
      [&](const Tensors& in) {
        Variable(v).assign(v.value() + sum(in[0], 0));
        return Tensors{in[0] * v.value() * static_cast<float>(in[0].shape()[0]), random::normal({2})};
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
      {"trace 1", "trace 2", "another version"},
      {"arguments 1", "arguments 2", "inputs"},
      {"arguments 1", "arguments 18446744073709551615", "inputs"},
      {"arguments 1", "arguments x", "a number is expected"},
      {"results 2", "results 9", "outputs"},
      {"results 2", "results 1", "outputs"},
      {"effects 0", "effects 2", "effects is 0 or 1"},
      {"effects 0", "effects 1", "outputs"},
      {"symbols 1", "symbols 4", "at most 3"},
      {"symbols 1", "symbols 2", "the size of no argument"},
      {"captured 1", "captured 99999999", "not so many"},
      {"bytes ", "bites ", "'bytes' or 'constant'"},
      {"bytes ", "constant ", ""},
      {"bytes ", "bytes z", "no bytes"},
      {"bytes ", "bytes 00", "which is no f32[]"},
      {"0 assigned", "1 assigned", "there is no variable 1"},
      {"0 assigned", "0 written", "'read' or 'assigned'"},
      {"0 assigned", "0 read", "outputs"},
      {"sizes ", "sizes 1 0 1*n9\nsizes ", "is no size"},
      {"1*n0", "2*n0", ""},
      {"1*n0", "1*n0*n0", "twice"},
      {"1*n0", "1*n0+", "is no size"},
      {"1*n0", "1*n0x", "is no size"},
      {"graph\n", "graf\n", "'graph' is expected"},
      {"return", "retern", "[ir] line"},
  };
  for (const auto& [from, to, wanted] : changes) {
    const std::string error = with(from, to);
    EXPECT_NE(error, "no error") << from << " → " << to;
    EXPECT_NE(error.find(wanted), std::string::npos) << to << ": " << error;
  }
}

TEST(SizeForms, AreInverseToTheirText) {
  const std::vector<int64_t> first{47, 53}, second{61, 67};
  const auto f = [](int64_t a, int64_t b) { return 3 - 2 * a + 5 * a * b; };
  const auto form = SizeForm::fit({f(47, 53), f(61, 53), f(47, 67), f(61, 67)}, first, second);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->str(), "3+-2*n0+5*n0*n1");
  EXPECT_EQ(SizeForm::parse(form->str(), 2).str(), form->str());
  EXPECT_EQ(form->at(std::vector<int64_t>{2, 10}), f(2, 10));
  EXPECT_TRUE(form->varies());
  EXPECT_FALSE(form->symbol());
  EXPECT_EQ(SizeForm::of_symbol(1).symbol(), 1u);
  EXPECT_FALSE(SizeForm::fit({1, 2, 1, 2}, first, second));
  EXPECT_EQ(SizeForm::fit({0, 0, 0, 0}, first, second)->str(), "0");
  EXPECT_THROW((void)SizeForm::parse("9223372036854775807*n0", 1).at(std::vector<int64_t>{2}), InvalidArgument);
  EXPECT_THROW((void)SizeForm::parse("1+1+1+1+1+1+1+1+1", 1), InvalidArgument);
  EXPECT_THROW((void)SizeForm::parse("", 1), InvalidArgument);
}

}  // namespace
}  // namespace brio
