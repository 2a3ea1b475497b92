#include "sourir/bisim/reduce/reduce_program.h"

#include "sourir/bisim/reduce/reduce_edits.h"
#include "sourir/syntax/wellformed.h"

#include <algorithm>

namespace sourir {
namespace {

using reduce::Edit;

bool is_normal(const Program& program, const Names& names) {
  Diagnostics problems;
  check_normal_form(program, {}, names, problems);
  return problems.empty();
}

class Reducer {
public:
  Reducer(Program program, const Names& names, const FirstThatHolds& first,
          const ReduceOptions& options)
      : names_(names), first_(first), options_(options), best_(std::move(program)) {
    wellformed_ = !options.ill_formed && is_wellformed(best_, names);
    normal_ = wellformed_ && is_normal(best_, names);
  }

  Program run() {
    const std::vector<Edit> edits = reduce::all_edits();
    // Until none of them has changed anything since it was tried last.
    for (std::size_t quiet = 0, at = 0; quiet < edits.size() && goes_on();
         at = (at + 1) % edits.size())
      quiet = all_of(edits[at]) ? 0 : quiet + 1;
    return std::move(best_);
  }

private:
  bool goes_on() const {
    return tried_ < options_.tries && !(options_.stop != nullptr && *options_.stop);
  }

  bool may_be_asked(const Program& candidate) const {
    return !wellformed_ ||
           (is_wellformed(candidate, names_) && (!normal_ || is_normal(candidate, names_)));
  }

  // Whether one of its candidates was taken.
  bool all_of(const Edit& edit) {
    bool any = false;
    for (std::size_t k = 0; goes_on();) {
      std::vector<Program> candidates;
      std::vector<std::size_t> numbers;
      const std::size_t count = edit.count(best_);
      std::size_t next = k;
      for (; next < count && candidates.size() < options_.together; ++next) {
        Program candidate = best_;
        if (!edit.apply(candidate, next) || !may_be_asked(candidate)) continue;
        candidates.push_back(std::move(candidate));
        numbers.push_back(next);
      }
      if (candidates.empty()) break;
      tried_ += candidates.size();
      const auto taken = first_(candidates);
      k = taken ? numbers[*taken] : next;
      if (!taken) continue;
      best_ = std::move(candidates[*taken]);
      any = true;
      if (options_.better) options_.better(best_, tried_);
    }
    return any;
  }

  const Names& names_;
  const FirstThatHolds& first_;
  const ReduceOptions& options_;
  Program best_;
  std::uint64_t tried_ = 0;
  bool wellformed_ = false, normal_ = false;
};

} // namespace

Program reduce_program(Program program, const Names& names, const FirstThatHolds& first,
                       const ReduceOptions& options) {
  return Reducer(std::move(program), names, first, options).run();
}

std::size_t instructions_of(const Program& program) {
  std::size_t size = 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) size += v.body.size();
  return size;
}

} // namespace sourir
