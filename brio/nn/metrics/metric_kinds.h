// The metrics, one row each. Metric("mse") (metric_names.cpp) and Python (python/metrics.cpp) find them by name.
// A file that includes this list defines the macros that it needs first. This file undefines all at the end.
//
//   BRIO_METRIC(class, name, options)            found by the name of the class and by this one
//   BRIO_METRIC_NAME(name, class, options)       another name of it
//   BRIO_METRIC_WITHOUT_NAME(class, options)     options must be given, or the name means something else

#ifndef BRIO_METRIC
#define BRIO_METRIC(Class, name, options)
#endif
#ifndef BRIO_METRIC_NAME
#define BRIO_METRIC_NAME(name, Class, options)
#endif
#ifndef BRIO_METRIC_WITHOUT_NAME
#define BRIO_METRIC_WITHOUT_NAME(Class, options)
#endif

// clang-format off
BRIO_METRIC_WITHOUT_NAME(Accuracy, MetricOptions)
BRIO_METRIC(BinaryAccuracy, binary_accuracy, BinaryAccuracyOptions)
BRIO_METRIC(CategoricalAccuracy, categorical_accuracy, MetricOptions)
BRIO_METRIC(SparseCategoricalAccuracy, sparse_categorical_accuracy, MetricOptions)
BRIO_METRIC(TopKCategoricalAccuracy, top_k_categorical_accuracy, TopKOptions)
BRIO_METRIC(SparseTopKCategoricalAccuracy, sparse_top_k_categorical_accuracy, SparseTopKOptions)
BRIO_METRIC(Mean, mean, MetricOptions)
BRIO_METRIC(Sum, sum, MetricOptions)
BRIO_METRIC(TruePositives, true_positives, CountOptions)
BRIO_METRIC(TrueNegatives, true_negatives, CountOptions)
BRIO_METRIC(FalsePositives, false_positives, CountOptions)
BRIO_METRIC(FalseNegatives, false_negatives, CountOptions)
BRIO_METRIC(Precision, precision, PrecisionOptions)
BRIO_METRIC(Recall, recall, PrecisionOptions)
BRIO_METRIC_WITHOUT_NAME(SensitivityAtSpecificity, SensitivityAtSpecificityOptions)
BRIO_METRIC_WITHOUT_NAME(SpecificityAtSensitivity, SpecificityAtSensitivityOptions)
BRIO_METRIC_WITHOUT_NAME(PrecisionAtRecall, PrecisionAtRecallOptions)
BRIO_METRIC_WITHOUT_NAME(RecallAtPrecision, RecallAtPrecisionOptions)
BRIO_METRIC(AUC, auc, AUCOptions)
BRIO_METRIC(F1Score, f1_score, F1ScoreOptions)
BRIO_METRIC(FBetaScore, f_beta_score, FBetaScoreOptions)
BRIO_METRIC_WITHOUT_NAME(IoU, IoUOptions)
BRIO_METRIC_WITHOUT_NAME(MeanIoU, MeanIoUOptions)
BRIO_METRIC(BinaryIoU, binary_io_u, BinaryIoUOptions)
BRIO_METRIC_WITHOUT_NAME(OneHotIoU, OneHotIoUOptions)
BRIO_METRIC_WITHOUT_NAME(OneHotMeanIoU, OneHotMeanIoUOptions)
BRIO_METRIC(R2Score, r2_score, R2ScoreOptions)
BRIO_METRIC(PearsonCorrelation, pearson_correlation, CorrelationOptions)
BRIO_METRIC(ConcordanceCorrelation, concordance_correlation, CorrelationOptions)
BRIO_METRIC(RootMeanSquaredError, root_mean_squared_error, MetricOptions)
BRIO_METRIC(LogCoshError, log_cosh_error, MetricOptions)
BRIO_METRIC(metrics::MeanSquaredError, mean_squared_error, MetricOptions)
BRIO_METRIC_NAME("mse", metrics::MeanSquaredError, MetricOptions)
BRIO_METRIC_NAME("MSE", metrics::MeanSquaredError, MetricOptions)
BRIO_METRIC(metrics::MeanAbsoluteError, mean_absolute_error, MetricOptions)
BRIO_METRIC_NAME("mae", metrics::MeanAbsoluteError, MetricOptions)
BRIO_METRIC_NAME("MAE", metrics::MeanAbsoluteError, MetricOptions)
BRIO_METRIC(metrics::MeanAbsolutePercentageError, mean_absolute_percentage_error, MetricOptions)
BRIO_METRIC_NAME("mape", metrics::MeanAbsolutePercentageError, MetricOptions)
BRIO_METRIC_NAME("MAPE", metrics::MeanAbsolutePercentageError, MetricOptions)
BRIO_METRIC(metrics::MeanSquaredLogarithmicError, mean_squared_logarithmic_error, MetricOptions)
BRIO_METRIC_NAME("msle", metrics::MeanSquaredLogarithmicError, MetricOptions)
BRIO_METRIC_NAME("MSLE", metrics::MeanSquaredLogarithmicError, MetricOptions)
BRIO_METRIC(metrics::CosineSimilarity, cosine_similarity, metrics::CosineSimilarityOptions)
BRIO_METRIC(metrics::Hinge, hinge, MetricOptions)
BRIO_METRIC(metrics::SquaredHinge, squared_hinge, MetricOptions)
BRIO_METRIC(metrics::CategoricalHinge, categorical_hinge, MetricOptions)
BRIO_METRIC(metrics::KLDivergence, kl_divergence, MetricOptions)
BRIO_METRIC(metrics::Poisson, poisson, MetricOptions)
BRIO_METRIC(metrics::BinaryCrossentropy, binary_crossentropy, metrics::CrossentropyOptions)
BRIO_METRIC_NAME("bce", metrics::BinaryCrossentropy, metrics::CrossentropyOptions)
BRIO_METRIC_NAME("BCE", metrics::BinaryCrossentropy, metrics::CrossentropyOptions)
BRIO_METRIC(metrics::CategoricalCrossentropy, categorical_crossentropy, metrics::CrossentropyOptions)
BRIO_METRIC(metrics::SparseCategoricalCrossentropy, sparse_categorical_crossentropy, metrics::SparseCrossentropyOptions)
// clang-format on

#undef BRIO_METRIC
#undef BRIO_METRIC_NAME
#undef BRIO_METRIC_WITHOUT_NAME
