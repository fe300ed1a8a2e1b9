// The doors of the doctor: fit(doctor = true), and any program under one of
//
//   BRIO_DOCTOR=FILE.json        the report for machines; the screen is printed
//   BRIO_DOCTOR_PAGE=FILE.html   the same as a page, with charts
//   BRIO_TRACE=FILE.json         the newest steps, for chrome://tracing and ui.perfetto.dev
#pragma once

#include <string>

namespace brio::doctor {

// Makes fit() know the doctor, and reads these variables: the files are then written now and then and at the end of
// the program, whichever way it ends. Every program that includes brio/brio.h calls it.
bool register_doctor();
inline const bool doctor_registered = register_doctor();

// Where the screen of fit() goes; by itself to stdout.
void set_printer(void (*print)(const std::string& text));

// Writes what is asked for now, and prints the screen once: for whoever ends a process in its own way.
void report_at_end();

}  // namespace brio::doctor
