// Every loss.
#pragma once

#include "brio/nn/loss.h"
#include "brio/nn/losses_hinge.h"
#include "brio/nn/losses_overlap.h"
#include "brio/nn/losses_probability.h"
#include "brio/nn/losses_regression.h"
#include "brio/nn/losses_sequence.h"
#include "brio/nn/losses_similarity.h"
