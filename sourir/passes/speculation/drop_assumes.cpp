#include "sourir/passes/speculation/drop_assumes.h"

#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

std::vector<Expr> needed_guards(const std::vector<Expr>& guards) {
  std::vector<Expr> needed;
  for (const Expr& guard : guards) {
    if (guard != Expr(SimpleExpr(true)) &&
        std::find(needed.begin(), needed.end(), guard) == needed.end())
      needed.push_back(guard);
  }
  return needed;
}

void drop_from(VersionTask& task) {
  for (Position at = 0; at < task.version.body.size(); ++at) {
    const auto* const assume = std::get_if<Assume>(&task.version.body[at].instr);
    if (assume == nullptr) continue;
    auto guards = needed_guards(assume->guards);
    if (guards.empty())
      task.edit.remove(at);
    else if (guards.size() < assume->guards.size())
      task.edit.replace(at, Assume{std::move(guards), assume->exit});
  }
}

class ReachedVersions {
public:
  // Versions of functions that are not selected stay, entered or not, and so do their exits.
  ReachedVersions(const PassInput& input, const Program& program) {
    const auto kept = input.options.list("keep");
    const auto stays = [&](const Function& f, const Version& v) {
      return !selected(input, f.name) || version_of_part(input, f.name, v.name) != nullptr ||
             std::find(kept.begin(), kept.end(), input.names.text(v.name)) != kept.end();
    };
    versions_.reserve(2 * program.functions.size()), reached_.reserve(2 * program.functions.size());
    for (const Function& f : program.functions)
      for (const Version& v : f.versions) versions_.emplace(version_key(f.name, v.name), &v);
    for (const Function& f : program.functions)
      for (const Version& v : f.versions)
        if (entered(f, v) || stays(f, v)) reach(version_key(f.name, v.name));
    while (!work_.empty()) {
      const Version& version = *versions_.at(work_.back());
      work_.pop_back();
      follow_exits(version);
    }
  }

  bool has(FunName function, VerName version) const {
    return reached_.contains(version_key(function, version));
  }

private:
  // The first version for its calls, or the last, from which the others were made.
  static bool entered(const Function& f, const Version& version) {
    if (version.cont) return false;
    const auto same = [&](const Version& v) { return !v.cont && v.when == version.when; };
    return &*std::find_if(f.versions.begin(), f.versions.end(), same) == &version ||
           &*std::find_if(f.versions.rbegin(), f.versions.rend(), same) == &version;
  }

  void reach(std::uint64_t version) {
    if (reached_.insert(version).second) work_.push_back(version);
  }

  void follow_exits(const Version& version) {
    for (const Stmt& stmt : version.body) {
      const Metadata* const exit = exit_of(stmt.instr);
      for (std::size_t i = 0; exit != nullptr && i < frame_count(*exit); ++i) {
        const Place& target = *frame_at(*exit, i).target;
        reach(version_key(target.function, target.version));
      }
    }
  }

  std::unordered_map<std::uint64_t, const Version*> versions_;
  std::unordered_set<std::uint64_t> reached_;
  std::vector<std::uint64_t> work_;
};

struct Unreached {
  std::size_t function;
  VerName version;
};

std::vector<Unreached> unreached_versions(const PassInput& input, const Program& program) {
  const ReachedVersions reached(input, program);
  std::vector<Unreached> found;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    for (const Version& v : function.versions)
      if (!reached.has(function.name, v.name) && selected(input, function.name))
        found.push_back({f, v.name});
  }
  return found;
}

} // namespace

std::optional<PassResult> drop_assumes(const PassInput& input) {
  auto result = rewrite_versions(input, drop_from);
  if (input.options.text("versions", "true") == "false") return result;
  const auto unreached = unreached_versions(input, result ? result->program : input.program);
  if (unreached.empty()) return result;
  if (!result) result = PassResult{input.program, {}, 0, {}};
  for (const Unreached& gone : unreached)
    std::erase_if(result->program.functions[gone.function].versions,
                  [&](const Version& v) { return v.name == gone.version; });
  result->rewrites += unreached.size();
  return result;
}

} // namespace sourir
