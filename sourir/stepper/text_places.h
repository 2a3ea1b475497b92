// Positions of a linked program and their places in its text: lines (from 1) and spans in bytes;
// StepProgram is a program with both.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace sourir {

class TextPlaces {
public:
  // Keeps references to both.
  TextPlaces(const Loaded& loaded, const Names& names);
  // A version whose text was added to the source: its spans there.
  void add(const Version& version, VersionSpans spans);

  // The instruction at pc; after the last one, the end of the version.
  Span span(const ResolvedVersion& code, Pc pc) const;
  // A name of the instruction, as for_each_name() (traverse.h) counts them.
  Span name(const ResolvedVersion& code, Pc pc, std::uint32_t index) const;
  LineColumn at(const ResolvedVersion& code, Pc pc) const;
  // "F.V.L+n"
  std::string place(const ResolvedVersion& code, Pc pc) const;
  // The instruction on one line: a `with` block is shortened to `with { ... }`.
  std::string instruction(const ResolvedVersion& code, Pc pc) const;
  // The position at which an outer frame is shown: its call, where the instruction before pc is
  // one. (The return position of a frame that a deoptimization built need not be after a call.)
  static Pc call_position(const ResolvedVersion& code, Pc pc);

  const Source& source() const { return loaded_.source; }
  const Program& program() const { return loaded_.program; }
  const Names& names() const { return names_; }

private:
  const Loaded& loaded_;
  const Names& names_;
  std::unordered_map<const Version*, const VersionSpans*> spans_;
  std::deque<VersionSpans> added_;
};

// A position of a version, as in configurations.
struct StepPosition {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  friend bool operator==(StepPosition, StepPosition) = default;
};

// A program that can be stepped: loaded without errors, linked, with its places in the text.
class StepProgram {
public:
  StepProgram(Loaded loaded, Names& names, Notation notation);
  StepProgram(const StepProgram&) = delete;
  StepProgram& operator=(const StepProgram&) = delete;
  // A version that the program grows by, a version of a function with these parameters: its text,
  // under a line with the comment, follows that of the program. It must outlive the program.
  void add(const ResolvedVersion& code, const std::vector<Var>& parameters,
           const std::string& comment);

  const LinkedProgram& linked() const { return linked_; }
  const Source& source() const { return loaded_.source; }
  Names& names() const { return names_; }

  std::string place(StepPosition at) const { return places_.place(*at.code, at.pc); }
  // The instruction on one line: a `with` block is shortened to `with { ... }`.
  std::string instruction(StepPosition at) const;
  // An expression in the notation of the program, from one printed in the prototype's notation.
  std::string expression(const std::string& printed) const;
  // The line of the text, from 1. The stop that ends `main` has the line of the last instruction.
  std::uint32_t line(StepPosition at) const { return places_.at(*at.code, at.pc).line; }
  // The positions of a line in the order of the text.
  const std::vector<StepPosition>& positions_on(std::uint32_t line) const;
  // The position of a place of the program or of an added version; of several the first.
  std::optional<StepPosition> find(const Place& place) const;
  // Every version, in the order of the text; those added last.
  const std::vector<const ResolvedVersion*>& versions() const { return versions_; }

private:
  void add_positions(const ResolvedVersion& code);

  Loaded loaded_;
  Names& names_;
  Notation notation_;
  LinkedProgram linked_;
  TextPlaces places_;
  std::vector<const ResolvedVersion*> versions_;
  std::unordered_map<std::uint32_t, std::vector<StepPosition>> positions_; // by line
};

} // namespace sourir
