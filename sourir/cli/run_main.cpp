#include "sourir/cli/run_main.h"

#include "sourir/cli/command_line.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

namespace sourir {

namespace {

// Selects the seeded bug of SOURIR_MUTANT in builds that have some. False: no such number.
bool select_from_environment() {
  const char* const number = std::getenv("SOURIR_MUTANT");
  return seeded_bugs().empty() || number == nullptr || select_seeded_bug(std::atoi(number));
}

int bug(const char* what) {
  say(fmt::format("{} {}\nThis is a bug of sourir " SOURIR_VERSION
                  ". Please report it with the command line, the files that it names\nand this "
                  "message.\n",
                  error_word(), what));
  return exit_status::kBug;
}

} // namespace

int run_main(std::vector<std::string> words) {
  secure_standard_files();
  set_colour("auto");
  try {
    if (!select_from_environment())
      return usage_error("", "SOURIR_MUTANT is the number of no seeded bug");
    return finish(run_command_line(std::move(words)));
  } catch (const std::bad_alloc&) {
    say(fmt::format("{} the machine has no more memory\n", error_word()));
    return exit_status::kLimit;
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("something was thrown that is no exception");
  }
}

} // namespace sourir
