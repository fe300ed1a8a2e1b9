// How many CPUs this process may keep busy: its affinity mask, and the quota of its control group when that is less.
#pragma once

namespace brio {

int usable_cpus();  // at least 1; read once

}  // namespace brio
