// Every metric.
#pragma once

#include "brio/nn/metrics/accuracy.h"
#include "brio/nn/metrics/confusion.h"
#include "brio/nn/metrics/fscore.h"
#include "brio/nn/metrics/iou.h"
#include "brio/nn/metrics/metric.h"
#include "brio/nn/metrics/of_losses.h"
#include "brio/nn/metrics/regression.h"
