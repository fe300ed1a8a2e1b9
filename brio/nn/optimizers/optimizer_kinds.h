// The optimizers, one row each. The rows make the classes (optimizer.h), the names and configs (optimizer.cpp) and
// Python's classes (python/optimizers.cpp). Each file defines BRIO_OPTIMIZER first; this one undefines it at the end.
//
//   BRIO_OPTIMIZER(class, name, rate)   the name in small letters; the learning rate where none is given
//
// The options of a class CLASS are CLASSOptions (optimizer.h).

BRIO_OPTIMIZER(SGD, "sgd", 0.01)
BRIO_OPTIMIZER(RMSprop, "rmsprop", 0.001)
BRIO_OPTIMIZER(Adam, "adam", 0.001)
BRIO_OPTIMIZER(AdamW, "adamw", 0.001)
BRIO_OPTIMIZER(Adamax, "adamax", 0.001)
BRIO_OPTIMIZER(Nadam, "nadam", 0.001)
BRIO_OPTIMIZER(Adagrad, "adagrad", 0.001)
BRIO_OPTIMIZER(Adadelta, "adadelta", 0.001)
BRIO_OPTIMIZER(Adafactor, "adafactor", 0.001)
BRIO_OPTIMIZER(Ftrl, "ftrl", 0.001)
BRIO_OPTIMIZER(Lion, "lion", 0.001)
BRIO_OPTIMIZER(Lamb, "lamb", 0.001)
BRIO_OPTIMIZER(Muon, "muon", 0.001)

#undef BRIO_OPTIMIZER
