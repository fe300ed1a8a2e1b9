#include "brio/nn/layers/einsum_dense.h"

#include <algorithm>
#include <array>

#include "brio/nn/config.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/einsum.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, std::string& equation, std::vector<int64_t>& output_shape, EinsumDenseOptions& o) {
  f("output_shape", output_shape);
  f("equation", equation);
  f("activation", o.activation);
  if (f.reading() || !o.bias_axes.empty()) f("bias_axes", o.bias_axes);
  f("kernel_initializer", o.kernel_initializer);
  f("bias_initializer", o.bias_initializer);
  f("kernel_regularizer", o.kernel_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("activity_regularizer", o.activity_regularizer);
  f("kernel_constraint", o.kernel_constraint);
  f("bias_constraint", o.bias_constraint);
}

enum class Dots : uint8_t { none, left, right };
struct Labels {
  std::string x, kernel, y;
  Dots dots = Dots::none;
  bool in_x(char label) const { return x.find(label) != std::string::npos; }
  bool in_y(char label) const { return y.find(label) != std::string::npos; }
};

// A term without its dots, which must stand where `dots` says. False where there is something else than letters.
bool read_term(std::string_view term, Dots dots, std::string& labels) {
  if (dots == Dots::left) {
    if (!term.starts_with("...")) return false;
    term.remove_prefix(3);
  } else if (dots == Dots::right) {
    if (!term.ends_with("...")) return false;
    term.remove_suffix(3);
  }
  labels = term;
  return !term.empty() &&
         std::ranges::all_of(term, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

Labels parse(const std::string& layer, std::string_view equation) {
  const size_t comma = equation.find(','), arrow = equation.find("->");
  if (comma != std::string_view::npos && arrow != std::string_view::npos && comma < arrow)
    for (const Dots dots : {Dots::none, Dots::left, Dots::right}) {
      Labels labels;
      labels.dots = dots;
      if (read_term(equation.substr(0, comma), dots, labels.x) &&
          read_term(equation.substr(comma + 1, arrow - comma - 1), Dots::none, labels.kernel) &&
          read_term(equation.substr(arrow + 2), dots, labels.y))
        return labels;
    }
  throw_invalid(layer, cat("the equation '", equation, "' must have the form x,kernel->y, ...x,kernel->...y or ",
                           "x...,kernel->y..., with letters for x, kernel and y"));
}

class EinsumDenseModule : public Module {
 public:
  EinsumDenseModule(std::string equation, std::vector<int64_t> output_shape, EinsumDenseOptions options)
      : Module("einsum_dense", {.dtype = options.dtype, .name = options.name}),
        equation_(std::move(equation)),
        output_shape_(std::move(output_shape)),
        options_(std::move(options)),
        labels_(parse(name(), equation_)) {
    for (const char label : labels_.y)
      if (!labels_.in_x(label) && labels_.kernel.find(label) == std::string::npos)
        throw_invalid(name(), cat("the label '", label, "' of the output of '", equation_,
                                  "' stands neither in the input nor in the kernel"));
    for (const char label : labels_.kernel)
      if (!labels_.in_x(label) && !labels_.in_y(label))
        throw_invalid(name(), cat("the label '", label, "' of the kernel of '", equation_,
                                  "' stands neither in the input nor in the output"));
    for (const char label : options_.bias_axes)
      if (!labels_.in_y(label))
        throw_invalid(name(),
                      cat("bias_axes has '", label, "', which is no label of the output of '", equation_, "'"));
    will_have_weights();
    activity_regularizer_ = options_.activity_regularizer;
  }
  std::string_view kind() const override { return "EinsumDense"; }
  void describe(Fields& f) override { list_fields(f, equation_, output_shape_, options_); }

  Variable kernel, bias;

 protected:
  void create_weights(const Shape& input) override {
    const Sizes size = sizes(input);
    kernel = add_weight("kernel", kernel_shape(size),
                        {.initializer = kernel_initializer(),
                         .regularizer = options_.kernel_regularizer,
                         .constraint = options_.kernel_constraint});
    if (options_.bias_axes.empty()) return;
    // From the first label with a bias on; 1 along those without, so that it broadcasts.
    std::vector<Size> shape;
    for (const char label : labels_.y.substr(labels_.y.find_first_of(options_.bias_axes)))
      shape.push_back(options_.bias_axes.find(label) == std::string::npos ? Size(1)
                                                                          : size[static_cast<size_t>(label)]);
    for (int i = 0; labels_.dots == Dots::right && i < behind_dots(input); ++i) shape.push_back(1);
    bias = add_weight("bias", checked_shape(name(), shape),
                      {.initializer = options_.bias_initializer,
                       .regularizer = options_.bias_regularizer,
                       .constraint = options_.bias_constraint});
  }

  void check_input(const Shape& input) const override {
    const int dots = behind_dots(input);
    if (dots < 0 || (dots > 0 && labels_.dots == Dots::none))
      throw_invalid(name(), cat("the equation '", equation_, "' does not fit an input of shape ", input));
    const Sizes size = sizes(input);
    if (built() && kernel_shape(size) != kernel.shape())
      throw_invalid(name(), cat("was built for a kernel of shape ", kernel.shape(), ", but the input of shape ",
                                input, " needs ", kernel_shape(size)));
  }

  Tensor call(const Tensor& x, const Call&) override {
    Tensor y = einsum(equation_, {cast(x, policy().compute()), kernel});
    if (bias.impl()) y = y + bias;
    return options_.activation(y);
  }

 private:
  using Sizes = std::array<Size, 128>;  // by label
  static constexpr Size kNone = -1;

  int behind_dots(const Shape& input) const { return input.rank() - static_cast<int>(labels_.x.size()); }

  Sizes sizes(const Shape& input) const {
    Sizes size;
    size.fill(kNone);
    const int dots = behind_dots(input), first = labels_.dots == Dots::left ? dots : 0;
    for (size_t i = 0; i < labels_.x.size(); ++i)
      size[static_cast<size_t>(labels_.x[i])] = input[first + static_cast<int>(i)];
    // output_shape begins behind the batch, which is y's first label or the first of what the dots stand for.
    const size_t skipped = first > 0 ? 0 : 1;
    if (output_shape_.size() + skipped != labels_.y.size())
      throw_invalid(name(), cat("output_shape has ", output_shape_.size(), " sizes, but '", equation_, "' needs ",
                                labels_.y.size() - skipped, " for an input of shape ", input));
    for (size_t i = skipped; i < labels_.y.size(); ++i) {
      const Size given = output_shape_[i - skipped] == kUnknown ? kNone : Size(output_shape_[i - skipped]);
      Size& known = size[static_cast<size_t>(labels_.y[i])];
      if (!(given == kNone) && !(known == kNone) && given != known)
        throw_invalid(name(), cat("'", labels_.y[i], "' of '", equation_, "' is ", known, " in the input of shape ",
                                  input, ", but ", given, " in output_shape"));
      if (known == kNone) known = given;
      if (surely_less(known, 0))
        throw_invalid(name(), cat("'", labels_.y[i], "' of '", equation_,
                                  "' stands in the kernel alone; give its size in output_shape"));
    }
    return size;
  }

  Shape kernel_shape(const Sizes& size) const {
    std::vector<Size> dims;
    for (const char label : labels_.kernel) dims.push_back(size[static_cast<size_t>(label)]);
    return checked_shape(name(), dims);
  }

  // Initialisers that go by fans count the units that the equation sums over and those that it makes: they draw a
  // matrix of (summed, made), whose axes are then put where the kernel has them.
  Initializer kernel_initializer() const {
    const Initializer& own = options_.kernel_initializer;
    constexpr std::string_view kByFans[] = {"VarianceScaling", "GlorotUniform", "GlorotNormal", "HeUniform",
                                            "HeNormal",        "LecunUniform",  "LecunNormal"};
    if (std::ranges::find(kByFans, own.settings().class_name) == std::end(kByFans)) return own;
    return Initializer("by_fans", [own, labels = labels_](const Shape& shape, DType dtype) {
      std::vector<int> order;  // summed axes first
      int64_t summed = 1, made = 1;
      Shape sorted;
      for (const bool of_y : {false, true})
        for (int i = 0; i < shape.rank(); ++i)
          if (labels.in_y(labels.kernel[static_cast<size_t>(i)]) == of_y) {
            order.push_back(i);
            sorted.push_back(shape[i]);
            (of_y ? made : summed) *= shape[i];
          }
      std::vector<int> back(order.size());
      for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
      return transpose(reshape(own(Shape{summed, made}, dtype), sorted), back);
    });
  }

  std::string equation_;
  std::vector<int64_t> output_shape_;
  EinsumDenseOptions options_;
  Labels labels_;
};

}  // namespace

EinsumDense::EinsumDense(std::string equation, std::vector<int64_t> output_shape, EinsumDenseOptions options)
    : Layer(std::make_shared<EinsumDenseModule>(std::move(equation), std::move(output_shape), std::move(options))) {}
Variable EinsumDense::kernel() const { return static_cast<EinsumDenseModule&>(*module_).kernel; }
Variable EinsumDense::bias() const { return static_cast<EinsumDenseModule&>(*module_).bias; }
Layer EinsumDense::from_config(Fields& f) {
  auto o = options_from<EinsumDenseOptions>(f);
  std::string equation;
  std::vector<int64_t> output_shape;
  list_fields(f, equation, output_shape, o);
  return EinsumDense(equation, output_shape, o);
}

}  // namespace brio::nn
