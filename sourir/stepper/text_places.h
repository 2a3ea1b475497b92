// Where the positions of a linked program stand in its text.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace sourir {

class TextPlaces {
public:
  // Keeps references to both.
  TextPlaces(const Loaded& loaded, const Names& names);

  // The instruction at pc; the end of the version behind the last one.
  Span span(const ResolvedVersion& code, Pc pc) const;
  LineColumn at(const ResolvedVersion& code, Pc pc) const;
  // "F.V.L+n"
  std::string place(const ResolvedVersion& code, Pc pc) const;
  // The instruction on one line: a `with` block is cut to `with { ... }`.
  std::string instruction(const ResolvedVersion& code, Pc pc) const;
  // Where a frame that waits is shown: at its call. (A frame that a deoptimization built may
  // wait at a position that is behind no call.)
  static Pc call_position(const ResolvedVersion& code, Pc pc);

  const Source& source() const { return loaded_.source; }
  const Program& program() const { return loaded_.program; }
  const Names& names() const { return names_; }

private:
  const Loaded& loaded_;
  const Names& names_;
  std::unordered_map<const Version*, const VersionSpans*> spans_;
};

// A program that can be stepped: loaded without errors, linked, and laid beside its text.

// A position of a version, as configurations name it.
struct StepPosition {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  friend bool operator==(StepPosition, StepPosition) = default;
};

class StepProgram {
public:
  StepProgram(Loaded loaded, Names& names, Notation notation);
  StepProgram(const StepProgram&) = delete;
  StepProgram& operator=(const StepProgram&) = delete;

  const LinkedProgram& linked() const { return linked_; }
  const Source& source() const { return loaded_.source; }
  Names& names() const { return names_; }

  std::string place(StepPosition at) const { return places_.place(*at.code, at.pc); }
  // The instruction on one line: a `with` block is cut to `with { ... }`.
  std::string instruction(StepPosition at) const;
  // An expression that was printed in the prototype's notation, in that of the program.
  std::string expression(const std::string& printed) const;
  // The line of the text, from 1. The stop that ends `main` stands on the line before it.
  std::uint32_t line(StepPosition at) const { return places_.at(*at.code, at.pc).line; }
  // The positions of a line in the order of the text.
  const std::vector<StepPosition>& positions_on(std::uint32_t line) const;
  // Every version, in the order of the text.
  const std::vector<const ResolvedVersion*>& versions() const { return versions_; }

private:
  Loaded loaded_;
  Names& names_;
  Notation notation_;
  LinkedProgram linked_;
  TextPlaces places_;
  std::vector<const ResolvedVersion*> versions_;
  std::unordered_map<std::uint32_t, std::vector<StepPosition>> positions_; // by line
};

} // namespace sourir
