// The doors of the doctor: fit(doctor = true), and any program with one of these environment variables:
//
//   BRIO_DOCTOR=FILE.json        the report for machines; the screen is printed
//   BRIO_DOCTOR_PAGE=FILE.html   the same as a page, with charts
//   BRIO_TRACE=FILE.json         the newest steps, for chrome://tracing and ui.perfetto.dev
#pragma once

#include <string>

namespace brio::doctor {

// Connects fit() with the doctor and reads these variables: the files are then written from time to time and at the
// end of the program, however it ends. Every program that includes brio/brio.h calls it.
bool register_doctor();
inline const bool doctor_registered = register_doctor();

// Where fit() prints the screen; default: stdout.
void set_printer(void (*print)(const std::string& text));

// Writes the files now, and prints the screen once: for code that ends the process itself.
void report_at_end();

}  // namespace brio::doctor
