"""tf.version: the release of TensorFlow whose names and meanings Brio follows."""

VERSION = "2.21.0"
GIT_VERSION = "brio"
COMPILER_VERSION = ""
