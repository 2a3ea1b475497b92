// Indexes of a program. ProgramIndex, which the phases of check_wellformed share: names looked up,
// spans in the text, spellings for messages. ProgramPositions: positions, labels and scopes of a
// well-formed program. Both refer to the program and belong to one thread.
#pragma once

#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/scope_flow.h"
#include "sourir/syntax/scopes.h"

#include <deque>
#include <unordered_set>

namespace sourir {

// The spans of the parts of a version; empty where the map has none.
class VersionPlaces {
public:
  VersionPlaces(const SourceMap& map, const Version& version, std::size_t function_number,
                std::size_t version_number);

  Span name() const;
  Span header(std::size_t k) const; // the k-th name of VersionSpans::header
  Span instruction(std::uint32_t position) const;
  Span label(std::uint32_t position, std::size_t k) const;
  Span annotation(std::uint32_t position, std::size_t k) const;
  Span instruction_name(std::uint32_t position, std::size_t k) const; // k-th of for_each_name
  // The first label of the position; without labels its instruction.
  Span position(std::uint32_t position) const;
  const LeadingTrivia& leading(std::uint32_t position) const {
    return position < version_.body.size() ? version_.body[position].leading : version_.end;
  }

private:
  Span listed(std::uint32_t position, std::size_t k) const;

  const VersionSpans* spans_ = nullptr;
  const Version& version_;
};

// A version that is being checked.
struct VersionEntry {
  VersionEntry(const Function& f, const Version& v, const SourceMap& map,
               std::size_t function_number, std::size_t version_number);

  const std::vector<Var>& start_names() const {
    return version.cont ? version.cont->names : function.params;
  }

  const Function& function;
  const Version& version;
  std::size_t function_number;
  VersionPlaces places;
  LabelPositions labels;
  ScopeFlow flow;
  std::unordered_set<Var> faulty;               // variables with a scope error: no further ones
  std::vector<std::size_t> arriving;            // frames that target it, as numbers in `frames`
  std::size_t frames_begin = 0, frames_end = 0; // those of its own exits
};

// A frame of an exit whose target exists.
struct ResolvedFrame {
  VersionEntry* origin;
  std::uint32_t position; // of the exit in the origin
  std::uint32_t number;   // as in frame_at
  VersionEntry* target;
  std::uint32_t target_position;
  bool live = false; // a root of the origin reaches the exit
};

class ProgramIndex {
public:
  ProgramIndex(const Program& program, const SourceMap& map, const Names& names,
               Diagnostics& problems);

  const Function* function(FunName name) const;
  VersionEntry* version(const Function& function, VerName name);
  Span function_name(std::size_t number) const;
  Span parameter(std::size_t function_number, std::size_t k) const;
  // Also of a function that was meant to be it.
  bool is_main(const Function& function) const {
    return text(function.name) == "main" || &function == meant_as_main;
  }

  template <class Tag>
  std::string_view text(Name<Tag> name) const {
    return names.text(name);
  }
  template <class Tag>
  std::string quoted(Name<Tag> name) const {
    return "`" + std::string(text(name)) + "`";
  }
  std::string quoted(const std::vector<Var>& list) const; // `x`, `y` and 3 more
  std::string braced(const std::vector<Var>& list) const; // {x, y}
  std::string braced(const ScopeSet& scope) const;
  std::string label_at(const VersionEntry& entry, std::uint32_t position) const;
  std::string place(const Place& place) const; // `main.base.L`
  // Whether to search for notes and suggestions: not after the first 20 errors.
  bool details() const { return problems.errors() <= 20; }
  // The scope at a position, valid until the next call. In a program with errors the work is
  // bounded: null after that.
  const ScopeSet* scope_at(const VersionEntry& entry, std::uint32_t position);

  const Program& program;
  const SourceMap& map;
  const Names& names;
  Diagnostics& problems;
  std::deque<VersionEntry> versions;       // all of the program, in order
  std::vector<ResolvedFrame> frames;       // in order of the program
  const Function* meant_as_main = nullptr; // where there is no main: a function of nearly this name

private:
  std::unordered_map<FunName, std::size_t> functions_;       // the first of each name
  std::unordered_map<std::uint64_t, VersionEntry*> by_name_; // function number and name
  RebuiltScope rebuilt_;
};

// The phases, in this order.
void check_declarations(ProgramIndex& index);
void check_names(ProgramIndex& index); // fills frames and arriving
void check_scopes(ProgramIndex& index);
void check_exits(ProgramIndex& index);

// Positions, labels and scopes of the versions of one well-formed program, each computed at the
// first request.
class ProgramPositions {
public:
  explicit ProgramPositions(const Program& program);

  const Program& program() const { return program_; }
  const Version* version(FunName function, VerName version) const; // null: there is none
  // Null: no such position, or no root reaches it.
  const Scope* scope(FunName function, VerName version, std::uint32_t at);
  // The position that a place names.
  std::optional<std::uint32_t> resolve(const Place& place);
  // The call at a position; null if there is none.
  const Call* call(FunName function, VerName version, std::uint32_t at) const;

private:
  struct Facts {
    const Function* function = nullptr;
    const Version* version = nullptr;
    std::optional<Scopes> scopes;
    std::optional<std::unordered_map<Label, std::uint32_t>> labels;
  };
  Facts* find(FunName function, VerName version);

  const Program& program_;
  IncomingExits exits_;
  std::unordered_map<std::uint64_t, Facts> versions_; // by both names
};

inline std::uint64_t version_key(FunName function, VerName version) {
  return (std::uint64_t{function.id} << 32) | version.id;
}

} // namespace sourir
