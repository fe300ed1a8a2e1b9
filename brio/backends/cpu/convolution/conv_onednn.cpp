#include "brio/backends/cpu/convolution/conv_onednn.h"

#include <algorithm>
#include <array>

#include "brio/backends/cpu/onednn.h"
#include "brio/backends/cpu/pieces.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"
#include "brio/base/lru_cache.h"
#include "brio/ops/network/convolution.h"

namespace brio::cpu {
namespace {

using dnnl::memory;

enum class ConvDirection : uint8_t { forward, input_grad, filter_grad };

memory::desc dense(const memory::dims& sizes, memory::data_type type, const std::vector<size_t>& order) {
  memory::dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= sizes[order[i]]) strides[order[i]] = step;
  return memory::desc(sizes, type, strides);
}

// One convolution of so many pictures; the filter as the library likes it, and the way there or back.
struct ConvPrimitive {
  memory::desc x, y, filter, user_filter, scratch;
  dnnl::primitive primitive;
  dnnl::reorder reorder;  // of the filter: to the library, or from it for its gradient
  std::string name;

  ConvPrimitive(DType dtype, ConvDirection direction, const ConvGeometry& g, int64_t pictures) {
    const auto type = dtype == bf16 ? memory::data_type::bf16 : memory::data_type::f32;
    // Gradients of a filter are summed over pieces: in f32, whatever they become in the end.
    const auto filter_type = direction == ConvDirection::filter_grad ? memory::data_type::f32 : type;
    const int first = g.axis[0].size == 1 && g.axis[0].window == 1 && g.axis[0].low + g.axis[0].high == 0 ? 1 : 0;
    memory::dims xs{pictures, g.in_channels()}, ys{pictures, g.out_channels()}, fs, strides, dilates, low, high;
    std::vector<size_t> data_order{0}, filter_order;
    if (g.groups > 1) fs.push_back(g.groups);
    fs.insert(fs.end(), {g.out, g.in});
    const size_t at = fs.size();  // of the spatial sizes
    for (int a = first; a < 3; ++a) {
      const WindowAxis& axis = g.axis[a];
      data_order.push_back(xs.size());
      filter_order.push_back(fs.size());
      xs.push_back(axis.size);
      ys.push_back(axis.count());
      fs.push_back(axis.window);
      strides.push_back(axis.stride);
      dilates.push_back(axis.dilation - 1);
      low.push_back(axis.low);
      high.push_back((axis.count() - 1) * axis.stride + axis.reach() - axis.size - axis.low);
    }
    data_order.push_back(1);
    filter_order.push_back(at - 1);  // (spatial…, in, group, out)
    if (g.groups > 1) filter_order.push_back(0);
    filter_order.push_back(at - 2);
    x = dense(xs, type, data_order);
    y = dense(ys, type, data_order);
    user_filter = dense(fs, filter_type, filter_order);
    const memory::desc any(fs, filter_type, memory::format_tag::any);

    OpenMpSingleThread scope;
    const dnnl::engine& engine = onednn_engine();
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_training, algorithm, x,
            direction == ConvDirection::filter_grad ? memory::desc(fs, type, memory::format_tag::any) : any, y,
            strides, dilates, low, high),
        attributes, engine);
    auto take = [&](const auto& description, const memory::desc& weights) {
      scratch = description.scratchpad_desc();
      name = description.impl_info_str();
      filter = weights;
    };
    if (direction == ConvDirection::forward) {
      take(forward, forward.weights_desc());
      primitive = dnnl::convolution_forward(forward);
    } else if (direction == ConvDirection::input_grad) {
      const dnnl::convolution_backward_data::primitive_desc backward(
          dnnl::convolution_backward_data::desc(algorithm, x, any, y, strides, dilates, low, high), attributes,
          engine, forward);
      take(backward, backward.weights_desc());
      primitive = dnnl::convolution_backward_data(backward);
    } else {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          dnnl::convolution_backward_weights::desc(algorithm, x, any, y, strides, dilates, low, high), attributes,
          engine, forward);
      take(backward, backward.diff_weights_desc());
      primitive = dnnl::convolution_backward_weights(backward);
    }
    const bool from_library = direction == ConvDirection::filter_grad;
    reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine, from_library ? filter : user_filter, engine,
                                                          from_library ? user_filter : filter));
  }
};

using ConvKey = std::array<int64_t, 24>;
std::shared_ptr<const ConvPrimitive> find_primitive(DType dtype, ConvDirection direction, const ConvGeometry& g,
                                                    int64_t pictures) {
  static auto* const cache = new LruCache<ConvKey, ConvPrimitive>;  // outlives static kernels
  ConvKey key{static_cast<int64_t>(dtype), static_cast<int64_t>(direction), pictures, g.groups, g.in, g.out};
  size_t at = 6;
  for (const WindowAxis& axis : g.axis)
    for (int64_t number : {axis.size, axis.window, axis.stride, axis.dilation, axis.low, axis.high})
      key[at++] = number;
  return cache->get(key, [&] { return std::make_shared<const ConvPrimitive>(dtype, direction, g, pictures); });
}

memory wrap(const memory::desc& desc, const void* data) {
  return memory(desc, onednn_engine(), const_cast<void*>(data));
}

ConvDirection direction_of(const OpDef& op) {
  return &op == &op::conv              ? ConvDirection::forward
         : &op == &op::conv_input_grad ? ConvDirection::input_grad
                                       : ConvDirection::filter_grad;
}

// How the batch is cut, by shape alone, and the primitives for it.
struct Pieces {
  ConvDirection direction;
  ConvGeometry g;
  int64_t pictures, count;  // per piece, and of pieces; the last may have fewer pictures
  double nanoseconds;
  std::shared_ptr<const ConvPrimitive> most, last;

  explicit Pieces(const NodeView& view) : direction(direction_of(*view.node.op)), g(geometry(view)) {
    constexpr int64_t sums = 8;  // parts that a filter's gradient is summed in
    constexpr double piece = 100e3;
    const DType dtype = view.in(0).dtype;
    nanoseconds = g.flops() / (dtype == f32 ? 80 : 160);
    const auto worth = static_cast<int64_t>(piece / nanoseconds * static_cast<double>(g.batch));
    pictures = direction == ConvDirection::filter_grad ? (g.batch + sums - 1) / sums
                                                       : std::clamp<int64_t>(worth, 1, g.batch);
    count = (g.batch + pictures - 1) / pictures;
    most = find_primitive(dtype, direction, g, pictures);
    last = find_primitive(dtype, direction, g, g.batch - (count - 1) * pictures);
  }
};

class OneDnnConv final : public Kernel {
 public:
  explicit OneDnnConv(const NodeView& view)
      : dtype_(view.in(0).dtype), pieces_(view), slots_(slots_for(pieces_.count, pieces_.nanoseconds)) {
    const ConvPrimitive &most = *pieces_.most, &last = *pieces_.last;
    scratch_ = round_to_line(std::max(most.scratch.get_size(), last.scratch.get_size()));
    filter_ = round_to_line(most.filter.get_size());
    if (is_filter_grad() && dtype_ != f32) rounded_ = round_to_line(most.user_filter.get_size());
    description = cat("onednn ", most.name);
  }

  size_t scratch_bytes() const override {
    return filters() * filter_ + rounded_ + static_cast<size_t>(slots_) * scratch_;
  }

  void run(const KernelArgs& args) const override {
    char* const filters_at = static_cast<char*>(args.scratch);
    char* const rounded_at = filters_at + filters() * filter_;
    char* const slots_at = rounded_at + rounded_;
    const ConvGeometry& g = pieces_.g;
    const size_t size = size_of(dtype_);
    const auto x_step = static_cast<size_t>(g.sizes() * g.in_channels() * pieces_.pictures) * size,
               y_step = static_cast<size_t>(g.counts() * g.out_channels() * pieces_.pictures) * size;
    const bool is_forward = pieces_.direction == ConvDirection::forward;
    const void* const x = pieces_.direction == ConvDirection::input_grad ? args.out[0] : args.in[0];
    const void* const y = is_forward ? args.out[0] : args.in[1];
    if (!is_filter_grad()) reorder(args.in[is_forward ? 1 : 0], filters_at);
    run_pieces(pieces_.count, slots_, [&](int64_t piece, int64_t slot) {
      OpenMpSingleThread scope;
      const ConvPrimitive& p = piece + 1 == pieces_.count ? *pieces_.last : *pieces_.most;
      const auto i = static_cast<size_t>(piece);
      // The library's name for each operand says whether it is a gradient.
      const bool data_grad = pieces_.direction == ConvDirection::input_grad;
      p.primitive.execute(
          onednn_stream(),
          {{data_grad ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, wrap(p.x, static_cast<const char*>(x) + i * x_step)},
           {is_filter_grad() ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
            wrap(p.filter, filters_at + (is_filter_grad() ? i * filter_ : 0))},
           {is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, wrap(p.y, static_cast<const char*>(y) + i * y_step)},
           {DNNL_ARG_SCRATCHPAD, wrap(p.scratch, slots_at + static_cast<size_t>(slot) * scratch_)}});
    });
    if (!is_filter_grad()) return;
    const size_t elements = pieces_.most->filter.get_size() / sizeof(float);
    const TileFn add = find_tile_fn("add", f32, f32);
    for (size_t piece = 1; piece < filters(); ++piece)
      add(filters_at, filters_at, filters_at + piece * filter_, nullptr, elements);
    reorder(filters_at, rounded_ ? rounded_at : args.out[0]);
    if (rounded_)
      find_tile_fn("cast", f32, dtype_)(args.out[0], rounded_at, nullptr, nullptr,
                                        static_cast<size_t>(g.taps() * g.in * g.out_channels()));
  }

 private:
  bool is_filter_grad() const { return pieces_.direction == ConvDirection::filter_grad; }
  size_t filters() const { return is_filter_grad() ? static_cast<size_t>(pieces_.count) : 1; }
  void reorder(const void* from, void* to) const {
    OpenMpSingleThread scope;
    const ConvPrimitive& p = *pieces_.most;
    p.reorder.execute(onednn_stream(), {{DNNL_ARG_FROM, wrap(is_filter_grad() ? p.filter : p.user_filter, from)},
                                        {DNNL_ARG_TO, wrap(is_filter_grad() ? p.user_filter : p.filter, to)}});
  }

  DType dtype_;
  Pieces pieces_;
  int64_t slots_;
  size_t scratch_ = 0, filter_ = 0, rounded_ = 0;  // bytes per slot, per filter, and of an f32 gradient to round
};

// The library's kernels are worth having where it generates code for the shape; its loops and its own columns are
// not.
bool is_generated(const std::string& name) { return name.starts_with("jit") || name.starts_with("br"); }

}  // namespace

Support supports_onednn_conv(const NodeView& view) {
  if (const std::string why = onednn_unusable(); !why.empty()) return Support::cannot(why);
  const DType dtype = view.in(0).dtype;
  const ConvGeometry g = geometry(view);
  if (dtype != f32 && !(dtype == bf16 && onednn_has_bf16())) return Support::cannot(cat("no fast ", dtype, " here"));
  if (!g.has_elements()) return Support::cannot("there are no elements");
  // Measured: docs/decisions/convolution.md.
  if (g.flops() < 1e6) return Support::cannot(cat(g.flops(), " operations cost more to call than to compute"));
  const bool input_grad = view.node.op == &op::conv_input_grad;
  const bool strided = std::ranges::any_of(g.axis, [](const WindowAxis& axis) { return axis.stride > 1; });
  if (g.in == 1 && g.groups > 1 && (g.out > 1 || (input_grad && strided)))
    return Support::cannot("depthwise with a multiplier, or a strided gradient of it");
  if (dtype == f32 && g.groups == 1) {
    if (input_grad && g.in < 8) return Support::cannot(cat(g.in, " input channels are few"));
    if (view.node.op == &op::conv_filter_grad && g.in >= 64)
      return Support::cannot(cat(g.in, " input channels are enough for columns"));
  }
  try {
    const Pieces pieces(view);
    for (const auto& primitive : {pieces.most, pieces.last})
      if (!is_generated(primitive->name)) return Support::cannot(cat("it would run ", primitive->name));
    if (pieces.most->filter != pieces.last->filter)
      return Support::cannot("the last piece wants another filter layout");
  } catch (const dnnl::error& error) {
    return Support::cannot(error.what());
  }
  return Support::can();
}
std::unique_ptr<Kernel> prepare_onednn_conv(const NodeView& view) { return std::make_unique<OneDnnConv>(view); }

}  // namespace brio::cpu
