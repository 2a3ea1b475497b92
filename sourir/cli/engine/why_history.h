// `run --why F`: the events of the tiers (native_settings.h) that are about a function or a
// version, and the counts at the end of the run; why_report.h shows them. Repeated exits are one
// item. Errors: none. Threads: one at a time, with the lock of the names held.
#pragma once

#include "native/tiering/native_settings.h"

#include <nlohmann/json.hpp>

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace sourir {

// An event, or the exits at one place for one reason that happened before the next other event.
struct WhyItem {
  // The values that a failing guard read, by variable, and how often.
  struct Values {
    nlohmann::ordered_json read;
    std::uint64_t times = 0;
  };

  nlohmann::ordered_json record; // of the first, as in the log (docs/schemas/tiers.schema.json)
  std::uint64_t times = 1;
  std::uint64_t to_native = 0;  // exits that continued in native code
  std::vector<Values> values;   // at most kMostValues
  std::uint64_t others = 0;     // exits with other values
  std::vector<std::size_t> key; // of exits
  static constexpr std::size_t kMostValues = 4;
};

// Where native code is entered: calls of the function, a loop, or the target of exits.
struct WhyUnit {
  enum class Entered : std::uint8_t { Calls, Loop, Exits };
  Entered by = Entered::Calls;
  std::string place; // F.V.L+n; empty: calls
  std::vector<WhyItem> items;
  // At the end of the run.
  native::TierCounts counts;     // its pointers are null
  std::vector<std::string> runs; // versions whose native code is entered; empty: the baseline
};

struct WhyAnswer {
  std::string wanted; // F or F.V
  std::vector<WhyUnit> units;
  std::vector<std::string> inlined_in; // versions of other functions, in order of their code
  std::vector<WhyItem> elsewhere;      // exits of other code that lead to it
  bool complete = false;               // the counts at the end of the run are known
};

class WhyHistory {
public:
  // wanted: names of functions or versions of the program.
  WhyHistory(const std::vector<std::string>& wanted, const LinkedProgram& program,
             const Names& names);

  void add(const native::TierEvent& event);
  // The program has ended; later events do not count.
  void end(std::span<const native::TierCounts> counts);
  const std::vector<WhyAnswer>& answers() const { return answers_; }

private:
  using Place = std::tuple<FunName, VerName, Pc>;
  struct Wanted {
    const LinkedProgram::Fun* function = nullptr;
    std::optional<VerName> version; // empty: all
    std::map<Place, std::size_t> units;
    std::optional<std::size_t> calls; // the unit of calls
  };

  void add_units(Wanted& wanted, WhyAnswer& answer) const;
  FunName source_function(FunName name) const;
  bool is_of(const Wanted& wanted, const ResolvedVersion& version) const;
  WhyUnit* unit_of(Wanted& wanted, WhyAnswer& answer, const ResolvedVersion& code,
                   const native::OsrEntry* entry) const;
  bool leads_to(const Wanted& wanted, const resolved::Exit& exit) const;
  void add_item(std::vector<WhyItem>& items, const native::TierEvent& event) const;
  void add_inlining(const Wanted& wanted, WhyAnswer& answer, const native::TierEvent& event) const;

  const LinkedProgram& program_;
  const Names& names_;
  std::vector<Wanted> wanted_;
  std::vector<WhyAnswer> answers_; // of wanted_
  // By an outlined loop: the function that it was outlined from.
  std::map<FunName, FunName> outlined_;
  bool ended_ = false;
};

} // namespace sourir
