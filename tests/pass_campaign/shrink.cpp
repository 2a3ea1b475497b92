// Making a failing program smaller: parts are taken out as long as the pass still fails.
#include "tests/pass_campaign/pass_trial.h"

#include "sourir/bisim/structure_check.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/wellformed.h"

#include <algorithm>
#include <unordered_set>

namespace sourir::testing {
namespace {

bool is_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  return !problems.has_errors();
}

bool is_normal(const Program& program, const Names& names) {
  Diagnostics problems;
  check_normal_form(program, {}, names, problems);
  return problems.empty();
}

class Shrinker {
public:
  Shrinker(const PassChoice& pass, Program program, const Surroundings& around, Names& names)
      : pass_(pass), around_(around), names_(names), best_(std::move(program)) {
    const Trial trial = try_pass(pass, best_, around, names);
    kind_ = kind_of(trial);
    normal_ = is_normal(best_, names);
  }

  Program run() {
    for (bool smaller = true; smaller && trials_ < kTrials;) {
      smaller = false;
      smaller |= take_out_marks();
      smaller |= take_out_functions();
      smaller |= take_out_versions();
      for (std::size_t size : {32, 8, 3, 2, 1}) smaller |= take_out_lines(size);
      smaller |= simplify_lines();
    }
    return std::move(best_);
  }

private:
  static constexpr int kTrials = 20'000;

  bool accept(Program candidate) {
    if (++trials_ > kTrials || candidate == best_ || !is_wellformed(candidate, names_) ||
        (normal_ && !is_normal(candidate, names_)))
      return false;
    const Trial trial = try_pass(pass_, candidate, around_, names_);
    if (kind_of(trial) != kind_) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Comments, notes, and labels that nothing names.
  bool take_out_marks() {
    std::unordered_set<std::uint32_t> used;
    for_each_marked(
        best_, [](Marks&) {},
        [&](const Instruction& instr) {
          for_each_name(instr, [&](NameUse use) {
            if (use.role == NameRole::BranchTarget || use.role == NameRole::GotoTarget ||
                use.role == NameRole::ExitLabel)
              used.insert(use.id);
          });
        });
    Program candidate = best_;
    for_each_marked(
        candidate,
        [&](Marks& marks) {
          marks.comments.clear();
          marks.scopes.clear();
          std::erase_if(marks.labels, [&](Label label) { return !used.contains(label.id); });
        },
        [](const Instruction&) {});
    for (Function& f : candidate.functions) {
      f.comments.clear();
      for (Version& v : f.versions) v.comments.clear();
    }
    return accept(std::move(candidate));
  }

  template <class Mark, class Visit>
  static void for_each_marked(Program& program, Mark&& mark, Visit&& visit) {
    for (Function& f : program.functions)
      for (Version& v : f.versions) {
        for (Stmt& stmt : v.body) mark(stmt.marks), visit(stmt.instr);
        mark(v.end);
      }
  }

  bool take_out_functions() {
    bool any = false;
    for (std::size_t f = best_.functions.size(); f-- > 0;) {
      Program candidate = best_;
      candidate.functions.erase(candidate.functions.begin() + static_cast<std::ptrdiff_t>(f));
      any |= accept(std::move(candidate));
    }
    return any;
  }

  bool take_out_versions() {
    bool any = false;
    for (std::size_t f = 0; f < best_.functions.size(); ++f)
      for (std::size_t v = best_.functions[f].versions.size(); v-- > 0;) {
        Program candidate = best_;
        auto& versions = candidate.functions[f].versions;
        versions.erase(versions.begin() + static_cast<std::ptrdiff_t>(v));
        any |= accept(std::move(candidate));
      }
    return any;
  }

  template <class Change>
  bool each_version(Change&& change) {
    bool any = false;
    for (std::size_t f = 0; f < best_.functions.size(); ++f)
      for (std::size_t v = 0; v < best_.functions[f].versions.size(); ++v) any |= change(f, v);
    return any;
  }

  // Their labels go to what stands behind them.
  bool take_out_lines(std::size_t size) {
    return each_version([&](std::size_t f, std::size_t v) {
      bool any = false;
      for (std::size_t end = best_.functions[f].versions[v].body.size(); end > 0;) {
        const std::size_t begin = end > size ? end - size : 0;
        Program candidate = best_;
        Version& version = candidate.functions[f].versions[v];
        Marks& behind = end < version.body.size() ? version.body[end].marks : version.end;
        for (std::size_t at = begin; at < end; ++at) {
          const auto& labels = version.body[at].marks.labels;
          behind.labels.insert(behind.labels.begin(), labels.begin(), labels.end());
        }
        version.body.erase(version.body.begin() + static_cast<std::ptrdiff_t>(begin),
                           version.body.begin() + static_cast<std::ptrdiff_t>(end));
        any |= accept(std::move(candidate));
        end = begin;
      }
      return any;
    });
  }

  bool simplify_lines() {
    return each_version([&](std::size_t f, std::size_t v) {
      bool any = false;
      for (std::size_t at = 0; at < best_.functions[f].versions[v].body.size(); ++at)
        for (std::size_t k = 0;;) {
          auto simpler = simplifications(best_.functions[f].versions[v].body[at]);
          if (k >= simpler.size()) break;
          Program candidate = best_;
          candidate.functions[f].versions[v].body[at] = std::move(simpler[k]);
          if (accept(std::move(candidate)))
            any = true;
          else
            ++k;
        }
      return any;
    });
  }

  std::vector<Stmt> simplifications(const Stmt& stmt) const {
    std::vector<Stmt> all;
    const auto with = [&](Instruction instr) { all.push_back({stmt.marks, std::move(instr)}); };
    if (const auto* branch = std::get_if<Branch>(&stmt.instr)) {
      with(Goto{branch->if_true});
      with(Goto{branch->if_false});
    } else if (const auto* assume = std::get_if<Assume>(&stmt.instr)) {
      for (std::size_t i = 0; i < assume->guards.size(); ++i) {
        Assume fewer = *assume;
        fewer.guards.erase(fewer.guards.begin() + static_cast<std::ptrdiff_t>(i));
        with(fewer);
      }
    } else if (const auto* decl = std::get_if<Decl>(&stmt.instr)) {
      with(Decl{decl->name, SimpleExpr(std::int64_t{1})});
    } else if (const auto* assign = std::get_if<Assign>(&stmt.instr)) {
      with(Assign{assign->name, SimpleExpr(std::int64_t{2})});
    } else if (const auto* print = std::get_if<Print>(&stmt.instr); print != nullptr) {
      with(Print{SimpleExpr(std::int64_t{0})});
    } else if (std::holds_alternative<Return>(stmt.instr)) {
      with(Return{SimpleExpr(Nil{})});
    } else if (const auto* call = std::get_if<Call>(&stmt.instr)) {
      with(Decl{call->result, SimpleExpr(std::int64_t{3})});
    }
    return all;
  }

  const PassChoice& pass_;
  const Surroundings& around_;
  Names& names_;
  Program best_;
  std::string kind_;
  bool normal_ = false; // and stays so
  int trials_ = 0;
};

} // namespace

Program shrink(const PassChoice& pass, Program program, const Surroundings& around, Names& names) {
  return Shrinker(pass, std::move(program), around, names).run();
}

} // namespace sourir::testing
