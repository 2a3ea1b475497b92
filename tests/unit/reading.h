// Parsing and printing in tests.
#pragma once

#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <memory>
#include <string>
#include <vector>

namespace sourir::testing {

struct Reading {
  explicit Reading(std::string text) : Reading(std::move(text), std::make_shared<Names>()) {}
  Reading(std::string text, std::shared_ptr<Names> shared)
      : names(std::move(shared)), source("test.sou", std::move(text)),
        parsed(parse(source, *names, problems)) {}

  std::string printed(Notation notation = Notation::Prototype) const {
    return print(parsed.program, *names, notation);
  }
  std::string at(Span span) const {
    return std::string(source.text().substr(span.begin, span.end - span.begin));
  }
  const Version& version(std::size_t function = 0, std::size_t version = 0) const {
    return parsed.program.functions.at(function).versions.at(version);
  }
  const Instruction& instr(std::size_t index) const { return version().body.at(index).instr; }
  std::string text(const Instruction& instr) const { return print(instr, *names); }

  // "3:5 syntax" for each problem, sorted by place.
  std::vector<std::string> found() const {
    std::vector<std::string> result;
    for (const Diagnostic& d : problems.sorted()) {
      const LineColumn place = source.position(d.span.begin);
      result.push_back(std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
                       std::string(row(d.code).name));
    }
    return result;
  }

  std::shared_ptr<Names> names;
  Source source;
  Diagnostics problems;
  Parsed parsed;
};

using Strings = std::vector<std::string>;

} // namespace sourir::testing
