// The losses, one row each. Loss("mse"), configs (loss_names.cpp) and Python (python/losses.cpp) find them by name.
// A file that includes this list defines the macros that it needs first. This file undefines all at the end.
//
//   BRIO_LOSS(class, function, options)         found by the name of the class and of the function
//   BRIO_PLAIN_LOSS(class, function, doc)       a BRIO_LOSS with LossOptions; doc: Python's docstring of the function
//   BRIO_LOSS_NAME(name, class, options)        another name of it

#ifndef BRIO_PLAIN_LOSS
#define BRIO_PLAIN_LOSS(Class, function, doc) BRIO_LOSS(Class, function, LossOptions)
#endif
#ifndef BRIO_LOSS_NAME
#define BRIO_LOSS_NAME(name, Class, options)
#endif

// clang-format off
BRIO_LOSS(BinaryCrossentropy, binary_crossentropy, CrossentropyOptions)
BRIO_LOSS_NAME("bce", BinaryCrossentropy, CrossentropyOptions)
BRIO_LOSS_NAME("BCE", BinaryCrossentropy, CrossentropyOptions)
BRIO_LOSS(BinaryFocalCrossentropy, binary_focal_crossentropy, BinaryFocalOptions)
BRIO_LOSS(CategoricalCrossentropy, categorical_crossentropy, CrossentropyOptions)
BRIO_LOSS(CategoricalFocalCrossentropy, categorical_focal_crossentropy, CategoricalFocalOptions)
BRIO_LOSS(SparseCategoricalCrossentropy, sparse_categorical_crossentropy, SparseCrossentropyOptions)
BRIO_LOSS(CategoricalGeneralizedCrossEntropy, categorical_generalized_cross_entropy, GeneralizedCrossentropyOptions)
BRIO_PLAIN_LOSS(KLDivergence, kl_divergence, "y_true log(y_true / y_pred), summed along the last axis.")
BRIO_LOSS_NAME("kld", KLDivergence, LossOptions)
BRIO_LOSS_NAME("KLD", KLDivergence, LossOptions)
BRIO_PLAIN_LOSS(Poisson, poisson, "y_pred - y_true log(y_pred), the mean along the last axis.")
BRIO_PLAIN_LOSS(MeanSquaredError, mean_squared_error, "(y_true - y_pred) squared, the mean along the last axis.")
BRIO_LOSS_NAME("mse", MeanSquaredError, LossOptions)
BRIO_LOSS_NAME("MSE", MeanSquaredError, LossOptions)
BRIO_PLAIN_LOSS(MeanAbsoluteError, mean_absolute_error, "|y_true - y_pred|, the mean along the last axis.")
BRIO_LOSS_NAME("mae", MeanAbsoluteError, LossOptions)
BRIO_LOSS_NAME("MAE", MeanAbsoluteError, LossOptions)
BRIO_PLAIN_LOSS(MeanAbsolutePercentageError, mean_absolute_percentage_error,
                "|y_true - y_pred| in per cent of |y_true|, the mean along the last axis.")
BRIO_LOSS_NAME("mape", MeanAbsolutePercentageError, LossOptions)
BRIO_LOSS_NAME("MAPE", MeanAbsolutePercentageError, LossOptions)
BRIO_PLAIN_LOSS(MeanSquaredLogarithmicError, mean_squared_logarithmic_error,
                "The square of the difference of log(1 + y), the mean along the last axis.")
BRIO_LOSS_NAME("msle", MeanSquaredLogarithmicError, LossOptions)
BRIO_LOSS_NAME("MSLE", MeanSquaredLogarithmicError, LossOptions)
BRIO_LOSS(Huber, huber, HuberOptions)
BRIO_PLAIN_LOSS(LogCosh, log_cosh, "log(cosh(error)), the mean along the last axis.")
BRIO_LOSS(CosineSimilarity, cosine_similarity, CosineSimilarityOptions)
BRIO_PLAIN_LOSS(Hinge, hinge, "max(0, 1 - y_true y_pred), the mean along the last axis.")
BRIO_PLAIN_LOSS(SquaredHinge, squared_hinge, "max(0, 1 - y_true y_pred) squared, the mean along the last axis.")
BRIO_PLAIN_LOSS(CategoricalHinge, categorical_hinge, "max(0, 1 + the largest wrong class's value - the right one's).")
BRIO_LOSS(Dice, dice, DiceOptions)
BRIO_LOSS(Tversky, tversky, TverskyOptions)
BRIO_LOSS(Circle, circle, CircleOptions)
BRIO_PLAIN_LOSS(CTC, ctc, "Minus the log of the probability that a sequence of predictions reads as the labels.")
// clang-format on

#undef BRIO_LOSS
#undef BRIO_PLAIN_LOSS
#undef BRIO_LOSS_NAME
