// Intersection over union of classes: how well predicted regions cover the true ones.
//
//   nn::Metric iou = nn::MeanIoU({.num_classes = 21, .ignore_class = 0});
#pragma once

#include <optional>

#include "brio/nn/metrics/metric.h"

namespace brio::nn {

struct IoUOptions {
  int64_t num_classes = 0;                     // must be given, as in all but BinaryIoU
  std::vector<int64_t> target_class_ids = {};  // the classes that count; must be given
  std::optional<int64_t> ignore_class = {};    // labels of this class do not count
  bool sparse_y_true = true;                   // class numbers; else one-hot along `axis`
  bool sparse_y_pred = true;                   // class numbers; else scores along `axis`, of which the largest counts
  int axis = -1;
  DType dtype = i32;  // of the counts, and of the weights: the default cuts 0.5 to 0, as in Keras
  std::string name = {};
};
// The mean over some classes. Classes that do not occur are left out, and so are numbers that are not a class.
class IoU : public Metric {
 public:
  explicit IoU(IoUOptions options);
};
struct MeanIoUOptions {
  int64_t num_classes = 0;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  int axis = -1;
  DType dtype = i32;
  std::string name = {};
};
// Over all classes.
class MeanIoU : public Metric {
 public:
  explicit MeanIoU(MeanIoUOptions options);
};

struct BinaryIoUOptions {
  std::vector<int64_t> target_class_ids = {0, 1};
  double threshold = 0.5;  // a prediction of at least so much is class 1
  DType dtype = i32;
  std::string name = {};
};
class BinaryIoU : public Metric {
 public:
  explicit BinaryIoU(BinaryIoUOptions options = {});
};

struct OneHotIoUOptions {
  int64_t num_classes = 0;
  std::vector<int64_t> target_class_ids = {};
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int axis = -1;
  DType dtype = i32;
  std::string name = {};
};
// Where y_true is one-hot.
class OneHotIoU : public Metric {
 public:
  explicit OneHotIoU(OneHotIoUOptions options);
};
struct OneHotMeanIoUOptions {
  int64_t num_classes = 0;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_pred = false;
  int axis = -1;
  DType dtype = i32;
  std::string name = {};
};
class OneHotMeanIoU : public Metric {
 public:
  explicit OneHotMeanIoU(OneHotMeanIoUOptions options);
};

}  // namespace brio::nn
