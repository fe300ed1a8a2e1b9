// The lists of losses, metrics, optimizers and schedules, and of their options: every row can be made, and every
// option is written to Settings and read back.
#include <cmath>
#include <concepts>
#include <set>

#include "brio/nn/names.h"
#include "brio/nn/option_fields.h"
#include "tests/nn/golden_values.h"

namespace brio::nn {
namespace {

// Other values than the defaults, which every metric takes.
struct Change {
  void operator()(std::string_view, bool& v) { v = !v; }
  void operator()(std::string_view, int& v) { v += 3; }
  void operator()(std::string_view, int64_t& v) { v += 3; }
  void operator()(std::string_view, double& v) { v = std::isnan(v) ? 0.75 : v + 0.125; }
  void operator()(std::string_view, std::string& v) { v = "mine"; }
  void operator()(std::string_view, DType& v) { v = f32; }
  void operator()(std::string_view, std::vector<double>& v) { v = {0.25, 0.75}; }
  void operator()(std::string_view, std::vector<int64_t>& v) { v = {1}; }
  void operator()(std::string_view, std::vector<std::string>&) {}  // no Setting holds texts
  template <HasValueNames T>
  void operator()(std::string_view, T& v) {
    v = value_names(v)[1].value == v ? value_names(v)[0].value : value_names(v)[1].value;
  }
  template <typename T>
  void operator()(std::string_view name, std::optional<T>& v) {
    T value{};
    (*this)(name, value);
    v = value;
  }
};

template <typename Options>
Options changed() {
  Options options;
  Change change;
  list_options(change, options);
  return options;
}

// No Setting holds axes.
template <typename Options>
concept Written = !requires(Options o) {
  { o.axis } -> std::same_as<Axes&>;
};

template <typename Options>
void expect_read_back(const std::string& of) {
  if constexpr (Written<Options>) {
    const Settings before = settings_of(of, Options()), given = settings_of(of, changed<Options>());
    ASSERT_EQ(given.values.size(), before.values.size()) << of;
    std::set<std::string> names;
    for (size_t i = 0; i < given.values.size(); ++i) {
      const auto& [name, value] = given.values[i];
      EXPECT_TRUE(names.insert(name).second) << of << " lists '" << name << "' twice";
      EXPECT_TRUE(value != before.values[i].second) << of << ": " << name;
    }
    EXPECT_TRUE(settings_of(of, options_of<Options>(given)).values == given.values) << of;
  }
}

TEST(OptionLists, AreWrittenAndReadBack) {
#define BRIO_LOSS(Class, function, Options) expect_read_back<Options>(#Class);
#include "brio/nn/losses/loss_kinds.h"
#define BRIO_METRIC(Class, name, Options) expect_read_back<Options>(#Class);
#define BRIO_METRIC_WITHOUT_NAME(Class, Options) expect_read_back<Options>(#Class);
#include "brio/nn/metrics/metric_kinds.h"
#define BRIO_OPTIMIZER(Class, name, rate) expect_read_back<Class##Options>(#Class);
#include "brio/nn/optimizers/optimizer_kinds.h"
#define BRIO_SCHEDULE(Class) expect_read_back<Class##Options>(#Class);
#include "brio/nn/optimizers/schedule_kinds.h"
}

TEST(OptionLists, MakeEveryMetric) {
#define BRIO_METRIC(Class, name_of_it, Options)                                            \
  EXPECT_EQ(Metric(#name_of_it).name(), #name_of_it);                                      \
  EXPECT_EQ(Metric(class_name(#Class)).name(), class_name(#Class));                        \
  EXPECT_EQ(Class(options_of<Options>(settings_of(#Class, Options()))).variables().size(), \
            Metric(#name_of_it).variables().size());                                       \
  EXPECT_EQ(Class(changed<Options>()).name(), "mine");
#define BRIO_METRIC_NAME(name_of_it, Class, Options) EXPECT_EQ(Metric(name_of_it).name(), name_of_it);
#define BRIO_METRIC_WITHOUT_NAME(Class, Options) EXPECT_EQ(Class(changed<Options>()).name(), "mine");
#include "brio/nn/metrics/metric_kinds.h"
}

// Values are one more than boundaries.
template <typename Options>
Options valid(Options options) {
  if constexpr (requires { options.boundaries; }) options.boundaries = {4};
  return options;
}

template <typename Kind>
void expect_made_again(const Kind& schedule) {
  const Settings& given = schedule.settings();
  EXPECT_TRUE(Schedule::from(given).settings().values == given.values) << given.class_name;
}

TEST(OptionLists, MakeEverySchedule) {
#define BRIO_SCHEDULE(Class) expect_made_again(Class(valid(changed<Class##Options>())));
#include "brio/nn/optimizers/schedule_kinds.h"
}

TEST(OptionLists, NamesOfChoices) {
  EXPECT_EQ(name_of(Curve::pr_gain), "PRGAIN");
  EXPECT_EQ(value_named<Reduction>("none"), Reduction::none);
  EXPECT_EQ(value_named<Reduction>("None"), std::nullopt);
  EXPECT_SAYS(golden::invalid([] {
                options_of<AUCOptions>({"AUC", {{"curve", std::string("ROCK")}}});
              }),
              "[AUC] there is no curve 'ROCK'");
}

}  // namespace
}  // namespace brio::nn
