// The learning-rate schedules, one row each. The rows make the classes (schedule.h), the names and configs
// (schedule.cpp) and Python's classes (python/optimizers.cpp). Each file defines BRIO_SCHEDULE first; this one
// undefines it at the end.
//
//   BRIO_SCHEDULE(class)
//
// The options of a class CLASS are CLASSOptions (schedule.h).

// NOLINTBEGIN(misc-definitions-in-headers): each source that includes the rows defines something else
BRIO_SCHEDULE(ExponentialDecay)
BRIO_SCHEDULE(PiecewiseConstantDecay)
BRIO_SCHEDULE(PolynomialDecay)
BRIO_SCHEDULE(InverseTimeDecay)
BRIO_SCHEDULE(CosineDecay)
BRIO_SCHEDULE(CosineDecayRestarts)
// NOLINTEND(misc-definitions-in-headers)

#undef BRIO_SCHEDULE
