// Brio: neural network training where the fast path is the default. This header is the whole C++ API.
#pragma once

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ir/tensor.h"
#include "brio/ops/composites.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/indexing.h"
#include "brio/ops/optimizer_ops.h"
#include "brio/ops/products.h"
#include "brio/ops/random.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"
#include "brio/ops/variable.h"
#include "brio/runtime/evaluate.h"
#include "brio/runtime/function.h"
#include "brio/runtime/plan_cache.h"
