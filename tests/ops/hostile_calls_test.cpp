// Every kind of C++ function with odd arguments: an answer, or an InvalidArgument or ResourceError that says what is
// wrong; never a crash, a hang, or an error of our own. Arguments are drawn by the types that a function takes.
//   BRIO_FUZZ_SECONDS=60 test_ops --gtest_filter='HostileCalls.*'    for so long, from seeds of the clock
//   BRIO_FUZZ_SEED=n                                                 the call of a seed again
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

#include "brio/brio.h"

namespace brio {
namespace {

class Pick {
 public:
  explicit Pick(uint64_t seed) : numbers_(seed) {}
  size_t below(size_t n) { return numbers_() % n; }
  bool once_in(size_t n) { return below(n) == 0; }
  template <typename T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  // Sizes are small, or larger than any memory.
  int64_t integer() {
    if (!once_in(4)) return of<int64_t>({-2, -1, 0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 150});
    return of<int64_t>({INT64_MIN, INT64_MIN + 1, -(int64_t{1} << 62), -(int64_t{1} << 32), int64_t{1} << 40,
                        int64_t{1} << 62, INT64_MAX, INT32_MAX, INT32_MIN});
  }
  std::string text;  // what was drawn

 private:
  std::mt19937_64 numbers_;
};

template <typename T>
struct Draw;
template <typename T>
std::decay_t<T> draw(Pick& pick) {
  return Draw<std::decay_t<T>>::from(pick);
}

template <>
struct Draw<int64_t> {
  static int64_t from(Pick& pick) {
    const int64_t drawn = pick.integer();
    pick.text += cat(drawn, " ");
    return drawn;
  }
};
template <>
struct Draw<Size> {
  static Size from(Pick& pick) { return draw<int64_t>(pick); }
};
template <>
struct Draw<int> {
  static int from(Pick& pick) {
    const int drawn = pick.of<int>({-1, 0, 1, 2, -2, 3, 9, -9, INT32_MIN, INT32_MAX});
    pick.text += cat(drawn, " ");
    return drawn;
  }
};
template <>
struct Draw<double> {
  static double from(Pick& pick) {
    const double drawn = pick.of<double>({0, 1, -1, 0.5, 1e300, -1e300, 1e-320, INFINITY, NAN});
    pick.text += cat(drawn, " ");
    return drawn;
  }
};
template <>
struct Draw<bool> {
  static bool from(Pick& pick) { return pick.once_in(2); }
};
template <>
struct Draw<Scalar> {
  static Scalar from(Pick& pick) {
    return pick.once_in(2) ? Scalar(draw<double>(pick)) : Scalar(draw<int64_t>(pick));
  }
};
template <>
struct Draw<DType> {
  static DType from(Pick& pick) {
    const DType drawn =
        pick.of({f32, f32, f64, f16, bf16, i8, i32, i64, u8, u64, boolean, DType::c64, DType::string});
    pick.text += cat(drawn, " ");
    return drawn;
  }
};
template <>
struct Draw<Shape> {
  static Shape from(Pick& pick) {
    std::vector<int64_t> dims(pick.once_in(20) ? 9 : pick.below(4));
    for (int64_t& dim : dims) dim = pick.integer();
    for (const int64_t dim : dims) pick.text += cat(dim, ",");
    pick.text += " ";
    return Shape(std::span<const int64_t>(dims));
  }
};
template <typename T>
struct Draw<std::vector<T>> {
  static std::vector<T> from(Pick& pick) {
    std::vector<T> drawn;
    pick.text += "[";
    for (size_t n = pick.below(4); n > 0; --n) drawn.push_back(draw<T>(pick));
    pick.text += "] ";
    return drawn;
  }
};
template <typename T>
struct Draw<std::optional<T>> {
  static std::optional<T> from(Pick& pick) { return pick.once_in(3) ? std::optional<T>() : draw<T>(pick); }
};
template <>
struct Draw<Axes> {
  static Axes from(Pick& pick) { return pick.once_in(3) ? Axes() : Axes(draw<std::vector<int>>(pick)); }
};
template <>
struct Draw<Padding> {
  static Padding from(Pick& pick) { return {draw<int64_t>(pick), draw<int64_t>(pick)}; }
};
template <>
struct Draw<Range> {
  static Range from(Pick& pick) {
    Range range;
    if (!pick.once_in(3)) range.begin = draw<int64_t>(pick);
    if (!pick.once_in(3)) range.end = draw<int64_t>(pick);
    if (!pick.once_in(2)) range.stride = draw<int64_t>(pick);
    return range;
  }
};
template <>
struct Draw<Tensor> {
  static Tensor from(Pick& pick) {
    const size_t which = pick.below(16);
    pick.text += cat("t", which, " ");
    switch (which) {
      case 0: return Tensor();
      case 1: return zeros({0});
      case 2: return zeros({2, 0, 3});
      case 3: return Tensor(3.5f);
      case 4: return Tensor({3, 1, 2}, i32);
      case 5: return Tensor({-1, 5}, i64);
      case 6: return ones({1, 1, 1, 1, 1, 1, 1, 1});
      case 7: return full({2, 3}, NAN);
      case 8: return cast(ones({3}), boolean);
      case 9: return cast(ones({2, 2}), DType::c64);
      case 10: return ones({2, 3}, f64);
      case 11: return full({2}, 255, u8);
      case 12: return random::normal({2, 5, 6, 3}, {.seed = 1});
      case 13: return Tensor({INT64_MIN, INT64_MAX}, i64);
      case 14: return ones({150, 130});
      default: return random::normal({3, 3}, {.seed = 2});
    }
  }
};

using Call = std::function<std::vector<Tensor>(Pick&)>;
struct Row {
  const char* name;
  Call call;
};

std::vector<Tensor> listed(Tensor t) { return {std::move(t)}; }
std::vector<Tensor> listed(std::vector<Tensor> t) { return t; }

template <typename R, typename... A>
Call drawn(R (*f)(A...)) {
  return [f](Pick& pick) {
    std::tuple<std::decay_t<A>...> arguments{draw<A>(pick)...};  // in order
    return listed(std::apply(f, arguments));
  };
}
template <typename F>
Call drawn(F f) {
  return [f](Pick& pick) { return listed(f(pick)); };
}

#define CALL(f) \
  { #f, drawn(f) }
#define AS(f, ...) \
  { #f, drawn(static_cast <__VA_ARGS__>(f)) }
using T = const Tensor&;

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      AS(reshape, Tensor(*)(T, const Shape&)),
      CALL(expand_dims),
      CALL(squeeze),
      CALL(broadcast_to),
      CALL(transpose),
      CALL(zeros),
      CALL(ones),
      CALL(full),
      CALL(zeros_like),
      CALL(ones_like),
      CALL(reverse),
      CALL(flip),
      CALL(roll),
      CALL(rot90),
      CALL(swapaxes),
      CALL(moveaxis),
      AS(split, std::vector<Tensor>(*)(T, int64_t, int)),
      AS(split, std::vector<Tensor>(*)(T, const std::vector<int64_t>&, int)),
      CALL(unstack),
      CALL(space_to_depth),
      CALL(depth_to_space),
      CALL(space_to_batch),
      CALL(batch_to_space),
      AS(repeat, Tensor(*)(T, Size, std::optional<int>)),
      AS(repeat, Tensor(*)(T, const std::vector<int64_t>&, std::optional<int>)),
      AS(repeat, Tensor(*)(T, T, std::optional<int>)),
      CALL(sum),
      CALL(prod),
      AS(max, Tensor(*)(T, const Axes&, bool)),
      AS(min, Tensor(*)(T, const Axes&, bool)),
      CALL(any),
      CALL(all),
      CALL(mean),
      CALL(sum_to),
      AS(gather, Tensor(*)(T, T, int)),
      CALL(scatter_add),
      AS(one_hot, Tensor(*)(T, int64_t, DType, int)),
      CALL(matvec),
      CALL(dot),
      CALL(leaky_relu),
      CALL(prelu),
      CALL(crelu),
      CALL(elu),
      CALL(celu),
      CALL(gelu),
      CALL(hard_shrink),
      CALL(threshold),
      CALL(glu),
      CALL(sparsemax),
      CALL(iota),
      AS(range, Tensor(*)(Scalar)),
      AS(linspace, Tensor(*)(T, T, int64_t, int)),
      CALL(eye),
      CALL(sequence_mask),
      CALL(argmax),
      CALL(argmin),
      CALL(in_top_k),
      CALL(softmax),
      CALL(log_softmax),
      AS(pow, Tensor(*)(T, T)),
      AS(add, Tensor(*)(T, T)),
      AS(floor_div, Tensor(*)(T, T)),
      AS(mod, Tensor(*)(T, T)),
      AS(cast, Tensor(*)(T, DType)),
      CALL(select),
      AS(maximum, Tensor(*)(T, T)),
      AS(bitwise_and, Tensor(*)(T, T)),
      {"tile", drawn([](Pick& p) { return tile(draw<Tensor>(p), draw<std::vector<int64_t>>(p)); })},
      {"concat", drawn([](Pick& p) { return concat(draw<std::vector<Tensor>>(p), draw<int>(p)); })},
      {"stack", drawn([](Pick& p) { return stack(draw<std::vector<Tensor>>(p), draw<int>(p)); })},
      {"slice", drawn([](Pick& p) { return slice(draw<Tensor>(p), draw<std::vector<Range>>(p)); })},
      {"pad", drawn([](Pick& p) { return pad(draw<Tensor>(p), draw<std::vector<Padding>>(p), draw<Scalar>(p)); })},
      {"matmul", drawn([](Pick& p) {
         const Tensor a = draw<Tensor>(p), b = draw<Tensor>(p);
         return matmul(a, b, {.transpose_a = draw<bool>(p), .transpose_b = draw<bool>(p)});
       })},
      {"conv2d", drawn([](Pick& p) {
         const Tensor filter = ones({p.of<int64_t>({1, 3, 7}), 3, p.of<int64_t>({3, 1, 0}), 4});
         return conv2d(draw<Tensor>(p), filter,
                       {.strides = draw<std::vector<int64_t>>(p), .dilations = draw<std::vector<int64_t>>(p)});
       })},
      {"max_pool2d", drawn([](Pick& p) {
         const Tensor x = draw<Tensor>(p);
         const auto window = draw<std::vector<int64_t>>(p);
         return max_pool2d(x, window, {.strides = draw<std::vector<int64_t>>(p)});
       })},
      {"avg_pool2d", drawn([](Pick& p) { return avg_pool2d(draw<Tensor>(p), draw<std::vector<int64_t>>(p)); })},
      {"sort", drawn([](Pick& p) { return sort(draw<Tensor>(p), draw<int>(p)); })},
      {"range", drawn([](Pick& p) { return range(draw<Scalar>(p), draw<Scalar>(p), draw<Scalar>(p)); })},
      {"meshgrid", drawn([](Pick& p) { return meshgrid(draw<std::vector<Tensor>>(p)); })},
      {"uniform", drawn([](Pick& p) { return random::uniform(draw<Shape>(p), {.seed = 1}); })},
      {"normal", drawn([](Pick& p) { return random::normal(draw<Shape>(p), {.dtype = draw<DType>(p), .seed = 1}); })},
  };
  return table;
}

// A sum of more elements than a second adds up is no test of arguments.
bool small(const std::vector<Tensor>& results) {
  int64_t elements = 0;
  for (const Tensor& x : results) elements += x.defined() ? x.size() : Size(0);
  return elements < 1 << 22;
}

TEST(HostileCalls, AnswerOrSayWhatIsWrong) {
  const char *seconds = std::getenv("BRIO_FUZZ_SECONDS"), *given = std::getenv("BRIO_FUZZ_SEED");
  const auto start = std::chrono::system_clock::now();
  const uint64_t first = given     ? std::strtoull(given, nullptr, 10)
                         : seconds ? static_cast<uint64_t>(start.time_since_epoch().count())
                                   : 1;
  const auto over = [&](uint64_t calls) {
    if (given) return calls == 1;
    if (!seconds) return calls == 20'000;
    return std::chrono::duration<double>(std::chrono::system_clock::now() - start).count() > std::atof(seconds);
  };
  uint64_t calls = 0, answers = 0;
  for (; !over(calls); ++calls) {
    Pick pick(first + calls);
    const Row& row = rows()[pick.below(rows().size())];
    try {
      const std::vector<Tensor> results = row.call(pick);
      if (!small(results)) continue;
      for (const Tensor& x : results)
        if (x.defined()) x.array();
      ++answers;
    } catch (const InvalidArgument& error) {
      EXPECT_STRNE(error.what(), "") << row.name << " " << pick.text << "seed " << first + calls;
    } catch (const ResourceError&) {  // NOLINT(bugprone-empty-catch): no machine has that much
    } catch (const std::exception& error) {
      ADD_FAILURE() << row.name << "(" << pick.text << ") seed " << first + calls << ": " << error.what();
    }
  }
  std::printf("HostileCalls: %llu calls, %llu answers\n", static_cast<unsigned long long>(calls),
              static_cast<unsigned long long>(answers));
  if (!given) {
    EXPECT_GT(answers, calls / 20);
  }
}

}  // namespace
}  // namespace brio
