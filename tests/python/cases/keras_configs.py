"""get_config() of every layer, loss, metric, optimizer and small function, and what from_config() makes of it."""

LAYERS = """
    Activation('relu') | ActivityRegularization(0.1) | Add() | AdditiveAttention() | AlphaDropout(0.1) | Attention() | Average() |
    AveragePooling1D(2) | AveragePooling2D(2, strides=1) | AveragePooling3D(2) | BatchNormalization() |
    CategoryEncoding(4) | CenterCrop(2, 3) | Concatenate(axis=1) | Conv1D(2, 3) |
    Conv1DTranspose(2, 3) | Conv2D(2, 3, activation='relu') | Conv2DTranspose(2, 3, strides=2) | Conv3D(2, 3) | Conv3DTranspose(2, 3) | Cropping1D(1) |
    Cropping2D(1) | Cropping3D(1) | Dense(3, kernel_constraint='max_norm') | DepthwiseConv1D(3) | DepthwiseConv2D(3) | Discretization([0.0, 1.0]) |
    Dot(1) | Dropout(0.5, seed=3) | ELU() | EinsumDense('ab,bc->ac', 3) | Embedding(3, 2) | Flatten() | GRU(2) | GRUCell(2) | GaussianDropout(0.5) |
    GaussianNoise(0.5) | GlobalAveragePooling1D() | GlobalAveragePooling2D() | GlobalAveragePooling3D() | GlobalMaxPooling1D() |
    GlobalMaxPooling2D() | GlobalMaxPooling3D() | GroupNormalization(2) | GroupQueryAttention(2, 2, 1) | Hashing(3) | Identity() | IntegerLookup(vocabulary=[1, 2]) |
    LSTM(2) | LSTMCell(2) | LayerNormalization() | LeakyReLU() | Masking() | MaxPooling1D() | MaxPooling2D() | MaxPooling3D() | Maximum() |
    Minimum() | MultiHeadAttention(2, 3) | Multiply() | Normalization(mean=1.0, variance=2.0) | PReLU() | Permute((2, 1)) | RMSNormalization() |
    RNN(keras.layers.LSTMCell(2, name='c')) | RandomBrightness(0.1) | RandomContrast(0.1) | RandomCrop(2, 2) | RandomFlip() | RandomRotation(0.1) |
    RandomTranslation(0.1, 0.1) | RandomZoom(0.1) | ReLU(6.0) | RepeatVector(2) | Rescaling(2.0) | Reshape((2, 3)) | Resizing(2, 3) |
    SeparableConv1D(2, 3) | SeparableConv2D(2, 3) | SimpleRNN(2) | SimpleRNNCell(2) | Softmax() | SpatialDropout1D(0.5) |
    SpatialDropout2D(0.5) | SpatialDropout3D(0.5) | SpectralNormalization(keras.layers.Dense(2, name='d')) | StackedRNNCells([keras.layers.GRUCell(2, name='g')]) |
    StringLookup(vocabulary=['a']) | Subtract() | TextVectorization(max_tokens=5) | TimeDistributed(keras.layers.Dense(2, name='d')) |
    UnitNormalization() | UpSampling1D() | UpSampling2D(2) | UpSampling3D() | ZeroPadding1D() | ZeroPadding2D(1) | ZeroPadding3D()
"""
LOSSES = """
    BinaryCrossentropy(from_logits=True) | BinaryFocalCrossentropy(gamma=3.0) | CTC() | CategoricalCrossentropy(label_smoothing=0.1) |
    CategoricalFocalCrossentropy() | CategoricalGeneralizedCrossEntropy() | CategoricalHinge() | Circle() | CosineSimilarity() | Dice() | Hinge() |
    Huber(delta=2.0) | KLDivergence() | LogCosh() | MeanAbsoluteError(reduction='sum') | MeanAbsolutePercentageError() | MeanSquaredError() |
    MeanSquaredLogarithmicError() | Poisson() | SparseCategoricalCrossentropy(ignore_class=1) | SquaredHinge() | Tversky(0.3, 0.7)
"""
METRICS = """
    AUC(num_thresholds=5) | Accuracy() | BinaryAccuracy(threshold=0.3) | BinaryCrossentropy() | BinaryIoU() | CategoricalAccuracy() | CategoricalCrossentropy() |
    CategoricalHinge() | ConcordanceCorrelation() | CosineSimilarity() | F1Score() | FBetaScore(beta=2.0) | FalseNegatives() | FalsePositives(0.3) | Hinge() |
    IoU(2, [0]) | KLDivergence() | LogCoshError() | Mean() | MeanAbsoluteError() | MeanAbsolutePercentageError() | MeanIoU(3) | MeanSquaredError() |
    MeanSquaredLogarithmicError() | OneHotIoU(2, [0]) | OneHotMeanIoU(2) | PearsonCorrelation() | Poisson() | Precision() | PrecisionAtRecall(0.5) | R2Score() |
    Recall(class_id=1) | RecallAtPrecision(0.5) | RootMeanSquaredError() | SensitivityAtSpecificity(0.5) | SparseCategoricalAccuracy() |
    SparseCategoricalCrossentropy() | SparseTopKCategoricalAccuracy(2) | SpecificityAtSensitivity(0.5) | SquaredHinge() | Sum() |
    TopKCategoricalAccuracy(k=3) | TrueNegatives() | TruePositives()
"""
OPTIMIZERS = """
    Adadelta() | Adafactor() | Adagrad() | Adam(1e-4, clipnorm=1.0) | AdamW() | Adamax() | Ftrl() | Lamb() | Lion() | Muon() | Nadam() | RMSprop() | SGD(momentum=0.9)
"""
INITIALIZERS = """
    Constant(2.0) | GlorotNormal() | GlorotUniform(seed=1) | HeNormal() | HeUniform() | Identity() | LecunNormal() | LecunUniform() | Ones() | Orthogonal() |
    RandomNormal(stddev=0.1) | RandomUniform() | TruncatedNormal() | VarianceScaling() | Zeros()
"""
SCHEDULES = """
    CosineDecay(0.1, 10) | CosineDecayRestarts(0.1, 10) | ExponentialDecay(0.1, 10, 0.5) | InverseTimeDecay(0.1, 10, 0.5) |
    PiecewiseConstantDecay([5], [0.1, 0.2]) | PolynomialDecay(0.1, 10)
"""
REST = "regularizers.L1() | regularizers.L2(0.1) | regularizers.L1L2(0.1, 0.2) | regularizers.OrthogonalRegularizer() | constraints.MaxNorm() | constraints.MinMaxNorm() | constraints.NonNeg() | constraints.UnitNorm()"

# What Brio has no use for, or chooses itself.
LEFT_OUT = "('quantization_config', 'lora_rank', 'seed', 'flash_attention', 'gptq_unpacked_column_size', 'bounding_box_format',\n             'use_cudnn', 'zero_output_for_mask', 'rms_scaling', 'exclude_layers', 'data_format', 'trainable',\n             'dtype', 'vocabulary_size', 'oov_method', 'backward_layer')"


def rows(module, text, name=""):
    for make in text.split("|"):
        make = make.strip()
        kind = make.split("(")[0].split(".")[-1]
        given = f"{make[:-1]}{'' if make.endswith('()') else ', '}{name})" if name else make
        yield (
            f"{module or 'rest'}_{kind}",
            f"""
            a = keras.{module + "." if module else ""}{given}
            config = a.get_config()
            b = type(a).from_config(dict(config))
            plain = lambda c: {{k: plain(v) if isinstance(v, dict) else v for k, v in c.items() if v is not None and k not in {LEFT_OUT}}}
            result = [plain(config), plain(b.get_config()) == plain(a.get_config())]""",
            {"more_keys": True},
        )


CASES = [
    *rows("layers", LAYERS, "name='mine'"),
    *rows("losses", LOSSES),
    *rows("metrics", METRICS, "name='mine'"),
    *rows("optimizers", OPTIMIZERS),
    *rows("optimizers.schedules", SCHEDULES),
    *rows("initializers", INITIALIZERS),
    *rows("", REST),
]
