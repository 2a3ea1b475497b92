#include "sourir/bisim/generate/random_comments.h"
#include "sourir/syntax/exits.h"

#include <array>

namespace sourir::random {

namespace {

constexpr std::array<std::string_view, 6> kCommentTexts = {
    " a comment", " # again", "x <- 1", " \xE2\x89\xA0", " }", "\ttab \"quote"};

class Commenter {
public:
  explicit Commenter(Tape& tape) : tape_(tape) {}

  void program(Program& program) {
    for (Function& f : program.functions) {
      if (!f.implicit) header(f.comments);
      for (Version& v : f.versions) {
        if (f.versions.size() > 1) header(v.comments);
        bool first = true;
        for (Stmt& s : v.body) stmt(s, std::exchange(first, false));
      }
    }
  }

private:
  bool sometimes() { return tape_.chance(1, 16); }
  std::string text() {
    return std::string(
        kCommentTexts[tape_.below(static_cast<std::uint32_t>(kCommentTexts.size()))]);
  }

  void header(std::vector<Comment>& out) {
    if (sometimes()) out.push_back({0, true, text()});
    if (sometimes()) out.push_back({0, false, text()});
  }

  void stmt(Stmt& s, bool first) {
    const auto slots = static_cast<std::uint32_t>(s.marks.labels.size());
    for (std::uint32_t slot = 0; slot <= slots; ++slot) {
      if (!sometimes()) continue;
      if (tape_.chance(1, 3) && (!first || slot > 0)) s.marks.comments.push_back({slot, true, {}});
      s.marks.comments.push_back({slot, true, text()});
      if (tape_.chance(1, 2)) s.marks.comments.push_back({slot, false, text()});
    }
    if (Metadata* const exit = exit_of(s.instr)) block(*exit);
  }

  void block(Metadata& exit) {
    for (Deferred& d : exit.with)
      if (sometimes()) d.comments.push_back({0, tape_.chance(1, 2), text()});
    if (!exit.with.empty() && sometimes()) exit.with_end.push_back({0, true, text()});
  }

  Tape& tape_;
};

} // namespace

void add_comments(Tape& tape, Program& program) { Commenter(tape).program(program); }

} // namespace sourir::random
