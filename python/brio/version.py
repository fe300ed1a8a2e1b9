"""tf.version: the release of TensorFlow whose names and meanings Brio follows."""

VERSION = "2.21.0"
GIT_VERSION = "brio"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER = 2474, 0, 0
