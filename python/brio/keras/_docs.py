"""Sentences about Keras' classes, whose work is C++'s: what each does, and what its arguments mean."""

ARGUMENTS = {
    "activation": "a name, a function or a layer, applied last",
    "activity_regularizer": "adds a cost of the result to the loss",
    "alpha": "how strong the effect is",
    "axis": "the axis or axes that it works along",
    "beta_1": "how much of the mean of gradients stays each step",
    "beta_2": "how much of the mean of squared gradients stays each step",
    "beta_initializer": "what the offset starts with",
    "bias_initializer": "what the bias starts with",
    "center": "whether it adds a learned offset",
    "class_id": "the one class to look at",
    "clipnorm": "each gradient is scaled down to this length",
    "clipvalue": "each element of a gradient is moved into [-clipvalue, clipvalue]",
    "data_format": "'channels_last' (the default) or 'channels_first'",
    "decay_rate": "the factor of one decay",
    "decay_steps": "steps of one decay",
    "dilation_rate": "the distance between the taps of the kernel",
    "dropout": "the part of the inputs that is dropped in training",
    "dtype": "the dtype or the policy that it computes in",
    "ema_momentum": "how much of the moving mean of the weights stays each step",
    "epsilon": "a small number that keeps divisions finite",
    "filters": "how many channels it makes",
    "from_logits": "whether predictions are logits rather than probabilities",
    "gamma_initializer": "what the factor starts with",
    "global_clipnorm": "all gradients together are scaled down to this length",
    "go_backwards": "whether it begins with the last step",
    "gradient_accumulation_steps": "the variables change once in so many steps, by the mean of the gradients",
    "groups": "in how many groups the channels fall",
    "ignore_class": "labels of this class do not count",
    "initial_learning_rate": "the rate at step 0",
    "input_dim": "how many different ids there are",
    "kernel_initializer": "what the kernel starts with",
    "kernel_regularizer": "adds a cost of the kernel to the loss",
    "kernel_size": "the size of the window, one number or one for each axis",
    "label_smoothing": "how far labels are moved towards being all alike",
    "layer": "the layer inside",
    "learning_rate": "a number or a schedule",
    "loss_scale_factor": "the loss is multiplied by it, and the gradients are divided by it",
    "mask_zero": "whether id 0 is padding, which later layers skip",
    "momentum": "how much of the last value stays each step",
    "name": "its name",
    "noise_shape": "the shape of what is drawn; 1 where one draw is for all",
    "num_classes": "how many classes there are",
    "num_thresholds": "how many thresholds are tried",
    "output_dim": "the length of a row",
    "padding": "'valid': windows lie inside; 'same': the result is as large as the input",
    "pool_size": "the size of the window, one number or one for each axis",
    "rate": "the part that is dropped",
    "recurrent_activation": "the activation of the gates",
    "recurrent_dropout": "the part of the state that is dropped in training",
    "reduction": "'sum_over_batch_size', 'sum', 'mean' or 'none': how values become one number",
    "return_sequences": "whether the results of all steps are returned, or the last one's",
    "return_state": "whether the last state is returned too",
    "scale": "whether it multiplies by a learned factor, or the factor itself",
    "seed": "makes its random numbers the same each time",
    "stateful": "whether a batch begins with the state that the last one ended with",
    "strides": "how far the window moves at a time",
    "threshold": "where a prediction counts as true",
    "thresholds": "where a prediction counts as true: one number or several",
    "top_k": "a prediction counts where it is among the k largest",
    "units": "the size of the last axis of the result",
    "unroll": "taken, and not needed",
    "use_bias": "whether it adds a learned bias",
    "use_ema": "whether a moving mean of the weights is kept",
    "weight_decay": "the part of each weight that is taken away each step",
}
_AXES = {1: "steps", 2: "rows and columns", 3: "three axes"}
_AXIS_KINDS = {
    "AveragePooling": "The mean of each window along {}.",
    "Conv": "A convolution along {}: each result is a weighted sum of a window of the input.",
    "Cropping": "Cuts from both ends of {}.",
    "GlobalAveragePooling": "The mean over {}: one row of channels for each sample.",
    "GlobalMaxPooling": "The largest over {}: one row of channels for each sample.",
    "MaxPooling": "The largest of each window along {}.",
    "SpatialDropout": "Drops whole channels, in training, of data with {}.",
    "UpSampling": "Repeats each element along {}.",
    "ZeroPadding": "Puts zeros before and behind {}.",
}
ACTIVATIONS = {
    "celu": "x where it is positive, otherwise alpha (exp(x / alpha) - 1).",
    "elu": "x where it is positive, otherwise alpha (exp(x) - 1).",
    "exponential": "exp(x).",
    "gelu": "x times the normal distribution's share below x.",
    "glu": "One half of x along an axis, times the sigmoid of the other half.",
    "hard_shrink": "x where it is further from 0 than the threshold, otherwise 0.",
    "hard_sigmoid": "A straight line in place of the sigmoid: x / 6 + 0.5, between 0 and 1.",
    "hard_silu": "x hard_sigmoid(x).",
    "hard_tanh": "x, between -1 and 1.",
    "leaky_relu": "x where it is positive, otherwise negative_slope x.",
    "linear": "x as it is.",
    "log_sigmoid": "log(sigmoid(x)).",
    "log_softmax": "log(softmax(x)).",
    "mish": "x tanh(softplus(x)).",
    "relu": "x where it is positive, otherwise 0.",
    "relu6": "x, between 0 and 6.",
    "selu": "elu with a scale that keeps mean and variance from layer to layer.",
    "sigmoid": "1 / (1 + exp(-x)).",
    "silu": "x sigmoid(x).",
    "soft_shrink": "x moved towards 0 by the threshold, and 0 where it is nearer.",
    "softmax": "exp(x), scaled so that it sums to 1 along an axis.",
    "softplus": "log(1 + exp(x)).",
    "softsign": "x / (1 + |x|).",
    "sparse_plus": "x above 1, 0 below -1, and a parabola between.",
    "sparse_sigmoid": "A straight line from 0 at -1 to 1 at 1.",
    "sparsemax": "The nearest point to x whose elements are not negative and sum to 1.",
    "squareplus": "(x + sqrt(x squared + b)) / 2.",
    "tanh": "The hyperbolic tangent.",
    "tanh_shrink": "x - tanh(x).",
}
LAYERS = {
    "Activation": "Applies an activation.",
    "ActivityRegularization": "Passes its input on, and adds a cost of it to the loss.",
    "Add": "The sum of a list of inputs.",
    "AdditiveAttention": (
        "Attention whose scores are a learned sum over tanh(query + key). Called with [query, value, key]."
    ),
    "AlphaDropout": "Dropout that keeps mean and variance, for networks of selu.",
    "Attention": "Attention whose scores are products of query and key. Called with [query, value, key].",
    "Average": "The mean of a list of inputs.",
    "BatchNormalization": (
        "Centres and scales each channel by the batch's mean and variance in training, and by their moving means later."
    ),
    "Bidirectional": "Runs a recurrent layer forwards and backwards, and merges what both give.",
    "CategoryEncoding": "Whole numbers as one-hot or multi-hot rows, or as counts.",
    "CenterCrop": "Cuts the middle out of pictures.",
    "Concatenate": "A list of inputs joined along an axis.",
    "Conv1DTranspose": "The transpose of a convolution along steps: it makes longer what Conv1D makes shorter.",
    "Conv2DTranspose": (
        "The transpose of a convolution along rows and columns: it makes larger what Conv2D makes smaller."
    ),
    "Conv3DTranspose": "The transpose of a convolution along three axes: it makes larger what Conv3D makes smaller.",
    "Dense": (
        "activation(x kernel + bias).\n\n"
        ">>> keras.layers.Dense(10, activation='softmax')(tf.ones([2, 4])).shape\nTensorShape([2, 10])"
    ),
    "DepthwiseConv1D": "A convolution along steps of each channel by itself.",
    "DepthwiseConv2D": "A convolution along rows and columns of each channel by itself.",
    "Discretization": "Numbers as the index of the bin that they fall into; adapt() finds bins of equal counts.",
    "Dot": "The product of two inputs, summed along an axis of each.",
    "Dropout": "Sets a part of the elements to 0 in training, and scales the others up.",
    "ELU": "x where it is positive, otherwise alpha (exp(x) - 1).",
    "EinsumDense": "A dense layer whose product is an einsum equation.",
    "Embedding": (
        "Ids as rows of a learned table.\n\n"
        ">>> keras.layers.Embedding(input_dim=1000, output_dim=64)(tf.constant([[3, 7, 1]])).shape\n"
        "TensorShape([1, 3, 64])"
    ),
    "Flatten": "Each sample as one row.",
    "GRU": "A recurrent layer with an update and a reset gate.",
    "GRUCell": "One step of a GRU.",
    "GaussianDropout": "Multiplies by random numbers around 1 in training.",
    "GaussianNoise": "Adds random numbers around 0 in training.",
    "GroupNormalization": "Centres and scales each group of channels of each sample.",
    "GroupQueryAttention": "Attention of several heads, where groups of query heads share one key and value head.",
    "Hashing": "Strings or whole numbers as one of num_bins, by their hash.",
    "Identity": "Its input as it is.",
    "IntegerLookup": "Whole numbers as their index in a vocabulary, or the other way round.",
    "LSTM": "A recurrent layer with a cell, and gates for what enters, stays and leaves.",
    "LSTMCell": "One step of an LSTM.",
    "LayerNormalization": "Centres and scales each sample along its last axis or axes.",
    "LeakyReLU": "x where it is positive, otherwise negative_slope x.",
    "Masking": "Marks steps that are mask_value throughout, so that later layers skip them.",
    "Maximum": "The largest of a list of inputs, element by element.",
    "Minimum": "The smallest of a list of inputs, element by element.",
    "MultiHeadAttention": (
        "Attention of several heads, each with projections of its own. Called with query, value and, if it is another, "
        "key."
    ),
    "Multiply": "The product of a list of inputs.",
    "Normalization": "Centres and scales by the mean and variance of data that adapt() has seen.",
    "PReLU": "x where it is positive, otherwise x times a learned slope.",
    "Permute": "The axes of each sample in another order; the first is 1.",
    "RMSNormalization": "Divides by the root of the mean square along an axis, and multiplies by a learned factor.",
    "RNN": "Runs a cell over the steps of a sequence.",
    "RandomBrightness": "Makes pictures lighter or darker by chance, in training.",
    "RandomContrast": "Changes the contrast of pictures by chance, in training.",
    "RandomCrop": "Cuts a piece out of any place of pictures, unless it is called with training=False.",
    "RandomFlip": "Mirrors pictures by chance, in training.",
    "RandomRotation": "Turns pictures by chance, in training.",
    "RandomTranslation": "Moves pictures by chance, in training.",
    "RandomZoom": "Zooms into or out of pictures by chance, in training.",
    "ReLU": "x where it is positive, otherwise 0; with a limit, a slope and a threshold where they are given.",
    "RepeatVector": "Each row n times, as a sequence.",
    "Rescaling": "x scale + offset.",
    "Reshape": "Each sample in another shape; one size may be -1.",
    "Resizing": "Pictures of another size.",
    "SeparableConv1D": "A convolution along steps of each channel by itself, then a mix of the channels.",
    "SeparableConv2D": "A convolution along rows and columns of each channel by itself, then a mix of the channels.",
    "SimpleRNN": "A recurrent layer whose state is its last result.",
    "SimpleRNNCell": "One step of a SimpleRNN.",
    "Softmax": "exp(x), scaled so that it sums to 1 along an axis; a mask leaves elements out.",
    "SpectralNormalization": "Divides the kernel of a layer by its largest singular value.",
    "StackedRNNCells": "Several cells as one: each step of one is the next one's input.",
    "StringLookup": "Strings as their index in a vocabulary, or the other way round.",
    "Subtract": "The first of two inputs less the second.",
    "TextVectorization": "Texts as rows of token ids, or as counts of tokens.",
    "TimeDistributed": "Applies a layer to each step of a sequence.",
    "UnitNormalization": "Scales to length 1 along an axis.",
}
LOSSES = {
    "BinaryCrossentropy": "The cross entropy of labels 0 and 1 and probabilities or logits of being 1.",
    "BinaryFocalCrossentropy": "Binary cross entropy in which samples that are predicted well count little.",
    "CTC": (
        "Minus the log of the probability that a sequence of predictions reads as the labels, with blanks and repeats "
        "removed."
    ),
    "CategoricalCrossentropy": "The cross entropy of one-hot labels and probabilities or logits of classes.",
    "CategoricalFocalCrossentropy": "Categorical cross entropy in which samples that are predicted well count little.",
    "CategoricalGeneralizedCrossEntropy": (
        "(1 - p^q) / q for the probability p of the labelled class: kinder to wrong labels than cross entropy."
    ),
    "CategoricalHinge": "max(0, 1 + the largest wrong class's value - the right one's).",
    "Circle": (
        "Pulls embeddings of one class together and pushes those of others apart, the stronger the further they are "
        "off."
    ),
    "CosineSimilarity": "Minus the cosine of the angle between label and prediction: -1 where they point the same way.",
    "Dice": "1 - 2 |A and B| / (|A| + |B|): how little two masks overlap.",
    "Hinge": "max(0, 1 - y_true y_pred), for labels -1 and 1.",
    "Huber": "Half the square of small errors, and large ones in proportion.",
    "KLDivergence": "y_true log(y_true / y_pred), summed: how far one distribution is from another.",
    "LogCosh": "log(cosh(error)): like half the square where it is small, like the absolute value where it is large.",
    "MeanAbsoluteError": "The mean of |y_true - y_pred|.",
    "MeanAbsolutePercentageError": "The mean of |y_true - y_pred| in per cent of |y_true|.",
    "MeanSquaredError": "The mean of (y_true - y_pred) squared.",
    "MeanSquaredLogarithmicError": "The mean of the squares of the differences of log(1 + y).",
    "Poisson": "The mean of y_pred - y_true log(y_pred).",
    "SparseCategoricalCrossentropy": "The cross entropy of class numbers and probabilities or logits of classes.",
    "SquaredHinge": "The square of max(0, 1 - y_true y_pred), for labels -1 and 1.",
    "Tversky": "Dice's loss with weights of their own for what is found wrongly (alpha) and what is missed (beta).",
}
METRICS = {
    "AUC": "The area under a curve of true over false positives (ROC), or of precision over recall (PR).",
    "Accuracy": "How often the prediction equals the label.",
    "BinaryAccuracy": "How often a prediction is on its label's side of the threshold.",
    "BinaryIoU": "Intersection over union of two classes, told apart by a threshold.",
    "CategoricalAccuracy": "How often the class with the largest value is the one-hot label's.",
    "ConcordanceCorrelation": "How well predictions agree with labels in slope and place: 1 where they are equal.",
    "CosineSimilarity": "The mean of the cosine of the angle between label and prediction.",
    "F1Score": "The harmonic mean of precision and recall.",
    "FBetaScore": "The mean of precision and recall in which recall counts beta times as much.",
    "FalseNegatives": "How many true labels were predicted false.",
    "FalsePositives": "How many false labels were predicted true.",
    "IoU": "Intersection over union of certain classes, from a confusion matrix.",
    "LogCoshError": "The mean of log(cosh(error)).",
    "MeanIoU": "The mean over all classes of intersection over union.",
    "OneHotIoU": "Intersection over union of certain classes, of one-hot labels.",
    "OneHotMeanIoU": "The mean over all classes of intersection over union, of one-hot labels.",
    "PearsonCorrelation": "How straight the line is on which labels and predictions lie: 1 or -1 where it is one.",
    "Precision": "The part of what was predicted true that is true.",
    "PrecisionAtRecall": "The best precision where recall is at least as high as asked.",
    "R2Score": "1 - the squares of errors by the squares of distances from the mean: 1 where all is explained.",
    "Recall": "The part of what is true that was predicted true.",
    "RecallAtPrecision": "The best recall where precision is at least as high as asked.",
    "RootMeanSquaredError": "The root of the mean of (y_true - y_pred) squared.",
    "SensitivityAtSpecificity": "The best sensitivity where specificity is at least as high as asked.",
    "SparseCategoricalAccuracy": "How often the class with the largest value is the labelled one.",
    "SparseTopKCategoricalAccuracy": "How often the labelled class is among the k largest values.",
    "SpecificityAtSensitivity": "The best specificity where sensitivity is at least as high as asked.",
    "TopKCategoricalAccuracy": "How often the one-hot label's class is among the k largest values.",
    "TrueNegatives": "How many false labels were predicted false.",
    "TruePositives": "How many true labels were predicted true.",
}
OPTIMIZERS = {
    "Adadelta": "Steps as long as recent steps were, by the size of recent gradients.",
    "Adafactor": "Adam's scaling from row and column means alone, which takes far less memory.",
    "Adagrad": "Gradients by the root of the sum of all their squares so far.",
    "Adam": "The running mean of gradients by the root of the running mean of their squares.",
    "AdamW": "Adam that takes a part of each weight away at each step.",
    "Adamax": "Adam with the largest gradient in place of the mean square.",
    "Ftrl": "Follows the regularized leader: for sparse linear models.",
    "Lamb": "Adam whose step for each variable is as long as the variable: for large batches.",
    "Lion": "Steps of one size, in the direction of the sign of a running mean.",
    "Muon": "Makes the running mean of a matrix's gradients orthogonal; other variables are Adam's.",
    "Nadam": "Adam that looks one step ahead.",
    "RMSprop": "Gradients by the root of the running mean of their squares.",
    "SGD": "Steps against the gradient, with momentum where it is asked for.",
}
SCHEDULES = {
    "CosineDecay": "Falls along half a cosine, after a warm-up where one is asked for.",
    "CosineDecayRestarts": "Falls along half a cosine again and again, each longer than the one before.",
    "ExponentialDecay": "Multiplied by decay_rate every decay_steps.",
    "InverseTimeDecay": "Divided by 1 + decay_rate step / decay_steps.",
    "PiecewiseConstantDecay": "One value until each boundary.",
    "PolynomialDecay": "Falls to end_learning_rate along a power of the step.",
}
INITIALIZERS = {
    "Constant": "One value everywhere.",
    "GlorotNormal": "Normal numbers whose variance is 2 / (inputs + outputs).",
    "GlorotUniform": "Uniform numbers whose variance is 2 / (inputs + outputs).",
    "HeNormal": "Normal numbers whose variance is 2 / inputs: for relu.",
    "HeUniform": "Uniform numbers whose variance is 2 / inputs: for relu.",
    "Identity": "The identity matrix, times a gain.",
    "IdentityInitializer": "The identity matrix, times a gain.",
    "LecunNormal": "Normal numbers whose variance is 1 / inputs.",
    "LecunUniform": "Uniform numbers whose variance is 1 / inputs.",
    "Ones": "1 everywhere.",
    "Orthogonal": "A random matrix whose rows or columns are orthogonal.",
    "OrthogonalInitializer": "A random matrix whose rows or columns are orthogonal.",
    "RandomNormal": "Normal numbers.",
    "RandomUniform": "Uniform numbers.",
    "TruncatedNormal": "Normal numbers, those further than two deviations out drawn again.",
    "VarianceScaling": "Numbers whose variance is scale by inputs, outputs or the mean of both.",
    "Zeros": "0 everywhere.",
}
REGULARIZERS = {
    "L1": "l1 times the sum of absolute values.",
    "L1L2": "l1 times the sum of absolute values, and l2 times the sum of squares.",
    "L2": "l2 times the sum of squares.",
    "OrthogonalRegularizer": "factor times how far rows or columns are from being orthogonal.",
}
CONSTRAINTS = {
    "MaxNorm": "Scales down what is longer than max_value.",
    "MinMaxNorm": "Scales lengths into [min_value, max_value].",
    "NonNeg": "Sets what is negative to 0.",
    "UnitNorm": "Scales to length 1.",
}


def sentence_of(table, name):
    """What one class does; a metric that is also a loss does the same."""
    own = globals()[table]
    if name in own:
        return own[name]
    if table == "METRICS":
        return LOSSES.get(name)
    if name[-1:] == "D" and name[:-2] in _AXIS_KINDS:
        return _AXIS_KINDS[name[:-2]].format(_AXES[int(name[-2])])
    return None


def of(table, name, parameters):
    """The docstring of a class: a sentence, and a line for each argument that is known."""
    sentence = sentence_of(table, name)
    lines = [f"    {p}: {ARGUMENTS[p]}" for p in parameters if p in ARGUMENTS and p not in ("name", "dtype")]
    if sentence is None or not lines:
        return sentence
    return "\n".join([sentence, "", "Arguments:", *lines])
