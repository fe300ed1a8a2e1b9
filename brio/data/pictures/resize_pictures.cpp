// Resizing decoded pictures, with what follows, row by row into the batch.
#include <cmath>

#include "brio/base/error.h"
#include "brio/data/engine/tensor_call.h"
#include "brio/data/pictures/bilinear.h"
#include "brio/data/pictures/picture_stages.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/runtime/device_pictures.h"

namespace brio::data {
namespace {

class ResizeStage final : public PictureRowsStage {
 public:
  ResizeStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const PictureShape& wanted,
              const PictureFinish& finish)
      : PictureRowsStage(pipeline, "resize" + finish.names(), std::move(inputs)), wanted_(wanted), finish_(finish) {}
  const PictureShape& wanted() const override { return wanted_; }
  const PictureFinish& finished_as() const override { return finish_; }

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    const Shape& from = in.aval(0).shape;
    const Shape shape{wanted_.height, wanted_.width, from[2]};
    out.resize(in.size());
    Private& mine = private_of<Private>(worker);
    const bool direct = wanted_.fit != Fit::pad && wanted_.interpolation == image::Interpolation::bilinear;
    PictureFinish::Turn turn = finish_.turn_of(ticket);
    const bool mirrored = direct && turn.horizontal;  // then the rows come so
    if (mirrored) turn.horizontal = false;
    mine.rows.begin(finish_, shape, wanted_.dtype, turn, out.write(0, {shape, finish_.result(wanted_.dtype)}));
    const float* whole = nullptr;
    if (direct)
      mine.bilinear.begin(in.as<uint8_t>(0), static_cast<size_t>(from[1] * from[2]), from[0], from[1], from[2],
                          shape[0], shape[1], mirrored);
    else whole = wanted_.fit == Fit::pad ? padded(in, mine) : scaled(in, wanted_.height, wanted_.width, mine);
    const int64_t numbers = shape[1] * shape[2];
    for (int64_t y = 0; y < shape[0]; ++y) {
      if (direct) mine.bilinear.row(y, mine.rows.row(y));
      else std::copy_n(whole + y * numbers, numbers, mine.rows.row(y));
      mine.rows.finish_row(y);
    }
    pass_labels(in, out);
  }
  void save(StateWriter& state) const override {
    finish_.save(state);
    WholeStage::save(state);
  }
  void restore(StateReader& state) override {
    finish_.restore(state);
    WholeStage::restore(state);
  }

 private:
  struct Private {
    Bilinear bilinear;
    PictureFinisher rows;
    Element picture;                   // what the recorded function sees
    std::vector<float> inner, framed;  // before and after it is padded
    std::unique_ptr<TensorCall> call;
    int64_t height = -1, width = -1;  // that the call makes
  };

  // The picture of that size; good until the next one.
  const float* scaled(const Element& in, int64_t height, int64_t width, Private& mine) const {
    const Shape& shape = in.aval(0).shape;
    if (wanted_.interpolation == image::Interpolation::bilinear) {
      mine.inner.resize(static_cast<size_t>(height * width * shape[2]));
      mine.bilinear(in.as<uint8_t>(0), static_cast<size_t>(shape[1] * shape[2]), shape[0], shape[1], shape[2],
                    mine.inner.data(), height, width);
      return mine.inner.data();
    }
    if (!mine.call || mine.height != height || mine.width != width) {
      mine.call =
          std::make_unique<TensorCall>(ElementFunction{[this, height, width](const std::vector<Tensor>& picture) {
            return std::vector<Tensor>{
                cast(image::resize(picture[0], height, width, {.interpolation = wanted_.interpolation}), f32)};
          }});
      mine.height = height;
      mine.width = width;
    }
    mine.picture.resize(1);
    mine.picture.copy(0, in.aval(0), in.data(0));
    return (*mine.call)(mine.picture)[0].array().as<float>();
  }

  // The picture in the middle of zeros, as tf.image.resize_with_pad.
  const float* padded(const Element& in, Private& mine) const {
    const Shape& shape = in.aval(0).shape;
    const double ratio = std::max(static_cast<double>(shape[0]) / static_cast<double>(wanted_.height),
                                  static_cast<double>(shape[1]) / static_cast<double>(wanted_.width));
    const auto height = std::max<int64_t>(1, static_cast<int64_t>(std::floor(static_cast<double>(shape[0]) / ratio)));
    const auto width = std::max<int64_t>(1, static_cast<int64_t>(std::floor(static_cast<double>(shape[1]) / ratio)));
    const int64_t top = std::max<int64_t>(0, (wanted_.height - height) / 2), channels = shape[2];
    const int64_t left = std::max<int64_t>(0, (wanted_.width - width) / 2);
    const float* inner = scaled(in, height, width, mine);
    mine.framed.assign(static_cast<size_t>(wanted_.height * wanted_.width * channels), 0.f);
    for (int64_t y = 0; y < height; ++y)
      std::copy_n(inner + y * width * channels, width * channels,
                  mine.framed.data() + ((top + y) * wanted_.width + left) * channels);
    return mine.framed.data();
  }

  PictureShape wanted_;
  PictureFinish finish_;
};

class ResizeNode final : public PictureRowsNode {
 public:
  ResizeNode(NodePtr input, const PictureShape& wanted, PictureFinish finish)
      : PictureRowsNode(std::move(input), std::move(finish)), wanted_(wanted) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<ResizeStage>(pipeline, open_input(pipeline), wanted_, finish_);
  }
  std::string describe() const override {
    return cat("resize(", wanted_.height, ", ", wanted_.width, ", ", name_of(wanted_.interpolation),
               wanted_.fit == Fit::crop  ? ", crop"
               : wanted_.fit == Fit::pad ? ", pad"
                                         : "",
               wanted_.dtype == u8 ? ", uint8)" : ")", finish_.describe());
  }
  NodePtr with(const PictureFinish& finish) const override {
    return std::make_shared<ResizeNode>(input_, wanted_, finish_.then(finish));
  }
  std::string obstacle_for_devices() const override {
    if (!decodes_files(input())) return "the pictures do not come from files alone";
    if (wanted_.channels != 3) return "a device makes pictures of three channels";
    if (wanted_.interpolation != image::Interpolation::bilinear) return "a device resizes bilinearly alone";
    if (wanted_.fit == Fit::pad) return "a device pads no pictures";
    if (wanted_.reduced_decode) return "a device decodes at full size alone";
    if (wanted_.apply_orientation) return "a device turns no pictures by what EXIF says";
    if (finish_.arithmetic.size() > DevicePictures::kMostSteps)
      return cat("a device does ", DevicePictures::kMostSteps, " steps of arithmetic at most");
    for (const PictureFinish::Arithmetic& step : finish_.arithmetic)
      for (const size_t numbers : {step.a.size(), step.b.size()})
        if (numbers != 1 && numbers != 3) return "numbers for other than three channels";
    return {};
  }

 private:
  PictureShape wanted_;
};

}  // namespace

NodePtr resized(NodePtr pictures, const PictureShape& wanted) {
  return std::make_shared<ResizeNode>(std::move(pictures), wanted, PictureFinish{});
}

}  // namespace brio::data
