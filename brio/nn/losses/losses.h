// Every loss.
#pragma once

#include "brio/nn/losses/hinge.h"
#include "brio/nn/losses/loss.h"
#include "brio/nn/losses/overlap.h"
#include "brio/nn/losses/probability.h"
#include "brio/nn/losses/regression.h"
#include "brio/nn/losses/sequence.h"
#include "brio/nn/losses/similarity.h"
