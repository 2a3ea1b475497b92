#include "sourir/bisim/reduce/reduce_edits.h"

#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_set>

namespace sourir::reduce {
namespace {

struct VersionAt {
  std::size_t function, version;
};

// The last one first.
std::vector<VersionAt> all_versions(const Program& program) {
  std::vector<VersionAt> all;
  for (std::size_t f = program.functions.size(); f-- > 0;)
    for (std::size_t v = program.functions[f].versions.size(); v-- > 0;) all.push_back({f, v});
  return all;
}

template <class T>
void erase_at(std::vector<T>& list, std::size_t at) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

template <class Mark, class Visit>
void for_each_marked(Program& program, Mark&& mark, Visit&& visit) {
  for (Function& f : program.functions)
    for (Version& v : f.versions) {
      for (Stmt& stmt : v.body) mark(stmt.marks), visit(stmt.instr);
      mark(v.end);
    }
}

bool names_label(NameRole role) {
  return role == NameRole::BranchTarget || role == NameRole::GotoTarget ||
         role == NameRole::ExitLabel;
}

bool without_marks(Program& program) {
  const Program before = program;
  std::unordered_set<std::uint32_t> used;
  for_each_marked(
      program, [](Marks&) {},
      [&](const Instruction& instr) {
        for_each_name(instr, [&](NameUse use) {
          if (names_label(use.role)) used.insert(use.id);
        });
      });
  for_each_marked(
      program,
      [&](Marks& marks) {
        marks.comments.clear();
        marks.scopes.clear();
        std::erase_if(marks.labels, [&](Label label) { return !used.contains(label.id); });
      },
      [](const Instruction&) {});
  for (Function& f : program.functions) {
    f.comments.clear();
    for (Version& v : f.versions) v.comments.clear();
  }
  return program != before;
}

struct Lines {
  std::size_t function, version, begin, end;
};

std::vector<Lines> chunks(const Program& program, std::size_t size) {
  std::vector<Lines> all;
  for (const VersionAt at : all_versions(program)) {
    const std::size_t n = program.functions[at.function].versions[at.version].body.size();
    for (std::size_t end = n; end > 0; end = end > size ? end - size : 0)
      all.push_back({at.function, at.version, end > size ? end - size : 0, end});
  }
  return all;
}

} // namespace

void erase_lines(Version& version, std::size_t begin, std::size_t end) {
  Marks& behind = end < version.body.size() ? version.body[end].marks : version.end;
  std::vector<Label> labels;
  for (std::size_t at = begin; at < end; ++at)
    labels.insert(labels.end(), version.body[at].marks.labels.begin(),
                  version.body[at].marks.labels.end());
  behind.labels.insert(behind.labels.begin(), labels.begin(), labels.end());
  version.body.erase(version.body.begin() + static_cast<std::ptrdiff_t>(begin),
                     version.body.begin() + static_cast<std::ptrdiff_t>(end));
}

std::size_t uses_of(const Program& program, const Function& function, const Version& version,
                    Label label) {
  std::size_t uses = version.cont && version.cont->entry == label ? 1 : 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body) {
        bool in_place = false; // the exit's label is one of this version
        std::uint32_t target = 0;
        for_each_name(stmt.instr, [&](NameUse use) {
          if (use.role == NameRole::ExitFunction) target = use.id;
          if (use.role == NameRole::ExitVersion)
            in_place = target == function.name.id && use.id == version.name.id;
          if (!names_label(use.role) || use.id != label.id) return;
          uses += use.role == NameRole::ExitLabel ? in_place : &v == &version;
        });
      }
  return uses;
}

Edit take_out_marks() {
  return {[](const Program&) { return std::size_t{1}; },
          [](Program& program, std::size_t) { return without_marks(program); }};
}

Edit take_out_functions() {
  return {[](const Program& program) { return program.functions.size(); },
          [](Program& program, std::size_t k) {
            erase_at(program.functions, program.functions.size() - 1 - k);
            return true;
          }};
}

Edit take_out_versions() {
  return {[](const Program& program) { return all_versions(program).size(); },
          [](Program& program, std::size_t k) {
            const VersionAt at = all_versions(program)[k];
            erase_at(program.functions[at.function].versions, at.version);
            return true;
          }};
}

Edit take_out_lines(std::size_t chunk) {
  return {[chunk](const Program& program) { return chunks(program, chunk).size(); },
          [chunk](Program& program, std::size_t k) {
            const Lines at = chunks(program, chunk)[k];
            erase_lines(program.functions[at.function].versions[at.version], at.begin, at.end);
            return true;
          }};
}

Edit simplify_lines() {
  const auto each = [](auto& program, auto&& visit) {
    for (auto& f : program.functions)
      for (auto& v : f.versions)
        for (auto& stmt : v.body)
          if (visit(stmt)) return;
  };
  return {[each](const Program& program) {
            std::size_t n = 0;
            each(program, [&](const Stmt& stmt) { return n += simpler(stmt.instr).size(), false; });
            return n;
          },
          [each](Program& program, std::size_t k) {
            each(program, [&](Stmt& stmt) {
              auto all = simpler(stmt.instr);
              if (k < all.size()) return stmt.instr = std::move(all[k]), true;
              return k -= all.size(), false;
            });
            return true;
          }};
}

std::vector<Edit> all_edits() {
  std::vector<Edit> edits = {take_out_functions(), take_out_versions(), take_out_marks()};
  for (const std::size_t chunk : {256, 64, 16, 8, 4, 3, 2, 1})
    edits.push_back(take_out_lines(chunk));
  edits.push_back(take_out_variables());
  edits.push_back(take_out_parameters());
  edits.push_back(simplify_lines());
  edits.push_back(take_out_lines(1));
  edits.push_back(straighten());
  return edits;
}

} // namespace sourir::reduce
