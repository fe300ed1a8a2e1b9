// The doors of the doctor: fit(doctor = true), and any program under BRIO_DOCTOR=FILE.json.
#pragma once

#include <string>

namespace brio::doctor {

// Makes fit() know the doctor, and reads BRIO_DOCTOR: FILE.json is then written now and then and at the end of the
// program, whichever way it ends, and the screen is printed. Every program that includes brio/brio.h calls it.
bool register_doctor();
inline const bool doctor_registered = register_doctor();

// Where the screen of fit() goes; by itself to stdout.
void set_printer(void (*print)(const std::string& text));

// Writes FILE.json now, where BRIO_DOCTOR asks for it, and prints the screen once: for whoever ends a process in its
// own way.
void report_at_end();

}  // namespace brio::doctor
