// Every metric.
#pragma once

#include "brio/nn/metric.h"
#include "brio/nn/metrics_accuracy.h"
#include "brio/nn/metrics_confusion.h"
#include "brio/nn/metrics_fscore.h"
#include "brio/nn/metrics_iou.h"
#include "brio/nn/metrics_of_losses.h"
#include "brio/nn/metrics_regression.h"
