#include "sourir/cli/commands.h"

namespace sourir {

std::vector<Command> all_commands() {
  std::vector<Command> all = {run_command(),     check_command(),   step_command(),
                              fmt_command(),     convert_command(), opt_command(),
                              analyze_command(), bisim_command()};
  for (Command& c : campaign_commands()) all.push_back(std::move(c));
  all.push_back(reduce_command());
  all.push_back(jit_command());
  all.push_back(profile_command());
  all.push_back(bench_command());
  for (Command& c : course_commands()) all.push_back(std::move(c));
  all.push_back(explain_command());
  all.push_back(completion_command());
  all.push_back(manual_command());
  return all;
}

} // namespace sourir
