// Two ways to write a version with the origin of each of its positions. VersionEdit: instructions
// are replaced, removed and inserted by their positions in the input; finish() takes time linear in
// the version. VersionDraft: statement by statement, for rewrites of the control flow.
#pragma once

#include "sourir/passes/core/origin.h"
#include "sourir/syntax/ast.h"

#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace sourir {

// Without the labels that `keep` refuses; comments at one of those go to the next label.
LeadingTrivia keep_labels(const LeadingTrivia& leading, const std::function<bool(Label)>& keep);

class VersionDraft {
public:
  VersionDraft(Place from, Version header); // the header's body is ignored

  void reserve(std::size_t statements);
  // `origin`: the position of the input whose state holds before it. Returns its position.
  // With a context (add_context) it is a position of the version that was copied.
  Position add(Stmt stmt, std::optional<Position> origin, std::uint32_t context = 0);
  // The statement of the input at `origin`, as it stands there.
  Position keep(const Stmt& stmt, Position origin);
  std::uint32_t add_context(OriginContext context); // its number
  // Labels and comments for what is added next (or the end).
  void add_leading(const LeadingTrivia& leading);
  void label_next(Label label);
  // Frames of its own for a position of the output.
  void map_state(Position at, std::optional<Metadata> state);
  void map_call_site(Position at, std::optional<CallSiteFrames> site);
  void absent(Var name, Expr value) { origin_.absent.push_back({name, std::move(value)}); }
  Position size() const { return static_cast<Position>(version_.body.size()); }
  bool has_labels() const { return !pending_.labels.empty(); }

  struct Done {
    Version version;
    VersionOrigin origin;
  };
  Done finish(FunName function, const LeadingTrivia& end, std::optional<Position> end_origin) &&;

private:
  void put_leading_before(LeadingTrivia& leading); // those for what is added next

  Version version_;
  VersionOrigin origin_;
  LeadingTrivia pending_;
};

class VersionEdit {
public:
  VersionEdit(FunName function, const Version& version) : function_(function), version_(version) {}

  void replace(Position at, Instruction instr);
  // Its labels and comments go to the next instruction.
  void remove(Position at);
  // The same, its labels included: nothing jumps to it any more.
  void erase(Position at);
  // Before `at`, after earlier insertions there. It gets the labels of `at`: jumps to `at` execute
  // it. `origin`: the position whose state holds there, if not `at`.
  void insert(Position at, Instruction instr, std::optional<Position> origin = {});
  // After the instruction at `at`, before the labels of the next one.
  void append(Position at, Instruction instr);
  // Inserted with a label of its own. At the end of the version: the beginning of a new block.
  void insert_labelled(Position at, Label label, Instruction instr, std::optional<Position> origin);
  // A label for a position, to jump to what is inserted there; it stands first.
  void add_label(Position at, Label label) { around(at).labels.push_back(label); }
  // At this position the variable of the input is optimized out. `value`: over the output's
  // variables; empty: unknown.
  void optimize_out(Position at, Var name, std::optional<Expr> value,
                    std::vector<DeferredInstr> made = {}) {
    optimized_out_[at].push_back({name, std::move(value), std::move(made)});
  }
  // As `insert`, with frames of its own for the state that holds there; empty: not mapped.
  void insert_mapped(Position at, Instruction instr, std::optional<Metadata> state);
  // Frames of their own for the state before the instruction at `at` (after insertions).
  void map_state(Position at, std::optional<Metadata> state) {
    around(at).state.emplace(std::move(state));
  }
  // The position has no state of the input.
  void unmap(Position at) { change(at).unmapped = true; }

  // The instruction as it is now; null: removed.
  const Instruction* current(Position at) const;
  std::uint64_t rewrites() const { return rewrites_; }
  const Version& version() const { return version_; }

  VersionDraft::Done finish() &&;

private:
  struct Inserted {
    Instruction instr;
    std::optional<Position> origin;
    std::optional<Label> label;
    std::optional<std::optional<Metadata>> state;
  };
  struct Around { // for the few positions with insertions
    std::vector<Label> labels;
    std::vector<Inserted> before;
    std::vector<Instruction> after;
    std::optional<std::optional<Metadata>> state;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Change {
    std::uint32_t instead = kNone, around = kNone; // in instead_, around_
    bool removed = false, erased = false, unmapped = false;
  };

  Change& change(Position at);
  Around& around(Position at);

  FunName function_;
  const Version& version_;
  std::vector<Change> changes_; // by position; empty: none yet
  std::deque<Instruction> instead_;
  std::deque<Around> around_;
  std::map<Position, std::vector<OptimizedOutVariable>> optimized_out_;
  std::uint64_t rewrites_ = 0;
};

} // namespace sourir
