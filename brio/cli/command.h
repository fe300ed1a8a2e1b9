// The subcommands of `brio`. Each takes the words after its name and returns the exit code: 0 done, 1 failed, 2
// misused.
#pragma once

#include <span>
#include <string_view>

namespace brio::cli {

using Words = std::span<const std::string_view>;

int run_bench(Words words);
int run_compare(Words words);
int run_demo(Words words);
int run_devices(Words words);
int run_doctor(Words words);
int run_eval(Words words);
int run_export(Words words);
int run_fit(Words words);
int run_inspect(Words words);
int run_ops(Words words);
int run_pack(Words words);
int run_predict(Words words);
int run_verify(Words words);
int run_verify_resume(Words words);

// Prints "brio NAME: message" and where help is; returns 2.
int misuse(std::string_view command, std::string_view message);

}  // namespace brio::cli
