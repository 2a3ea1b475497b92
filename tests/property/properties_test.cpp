#include "tests/property/properties.h"

#include <gtest/gtest.h>

#include <fstream>
#include <ostream>

namespace sourir::testing {

namespace {

constexpr PropertyRow kRows[] = {
    {"Accepted", accepted, 60, 300},
    {"AnyPartOfTheTapeIsAccepted", any_part_of_the_choices_is_accepted, 10, 200},
    {"PrintedAndParsed", printed_and_parsed, 20, 200},
    {"JsonAndBack", json_and_back, 8, 150},
    {"SpansShowNames", spans_show_names, 15, 200},
    {"OneRuleApplies", one_rule_applies, 30, 200},
    {"UndoIsExact", undo_is_exact, 20, 150},
    {"HistoryGoesAnywhere", history_goes_anywhere, 20, 150},
    {"Repeatable", repeatable, 15, 200},
    {"AnySchedule", any_schedule, 60, 300},
    {"EachExit", each_exit, 20, 200},
    {"InjectedIsObserved", injected_is_observed, 15, 200},
    {"EnteredWhereTheContextHolds", entered_where_the_context_holds, 20, 200},
    {"StaticContextsHold", static_contexts_hold, 20, 300},
    {"AnyVersionMayBeEntered", any_version_may_be_entered, 40, 300},
    {"AnyScheduleFromAnyVersion", any_schedule_from_any_version, 30, 300},
    {"WatchedGuardsAreNotObserved", watched_guards_are_not_observed, 15, 100},
    {"WatchesAreUndoneExactly", watches_are_undone_exactly, 15, 60},
    {"OneRuleAppliesWithWatches", one_rule_applies_with_watches, 15, 100},
    {"NativeAgrees", native_agrees, 20, 200},
    {"TheBaselineDoesWhatTheReferenceDoes", the_baseline_does_what_the_reference_does, 5, 250},
    {"ComposedExits", composed_exits, 30, 200},
    {"CompositionIsAssociative", composition_is_associative, 30, 300},
    {"RenamedExits", renamed_exits, 20, 200},
    {"NamesDoNotMatter", names_do_not_matter, 5, 120},
    {"EmptyAssumesEverywhere", empty_assumes_everywhere, 5, 120},
    {"AnAssumeInTwo", an_assume_in_two, 5, 120},
    {"AVersionTwice", a_version_twice, 5, 120},
    {"ATruePredicateMore", a_true_predicate_more, 5, 120},
    {"WhatIsNotReachedDoesNotMatter", what_is_not_reached_does_not_matter, 5, 120},
};

class Cases : public ::testing::TestWithParam<PropertyRow> {};
class KeptSequences : public ::testing::TestWithParam<PropertyRow> {};

std::string name_of(const ::testing::TestParamInfo<PropertyRow>& info) { return info.param.name; }

// Lines "SIZE: TAPE"; '#' starts a comment.
std::vector<Recipe> kept_choices() {
  std::vector<Recipe> kept;
  std::ifstream file(SOURIR_SOURCE_DIR "/tests/property/choice_sequences.txt");
  EXPECT_TRUE(file.is_open());
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    const auto choices = parse_choices(std::string_view(line).substr(colon + 1));
    EXPECT_TRUE(choices) << line;
    if (choices) kept.push_back({static_cast<std::uint32_t>(std::stoul(line)), *choices});
  }
  return kept;
}

} // namespace

std::span<const PropertyRow> case_properties() { return kRows; }

void PrintTo(const PropertyRow& row, std::ostream* out) { *out << row.name; }

namespace {

TEST_P(Cases, Hold) { check_cases(GetParam().holds, GetParam().times, GetParam().size); }

TEST_P(KeptSequences, Hold) {
  for (const Recipe& recipe : kept_choices()) {
    std::ostringstream text;
    showValue(recipe, text);
    SCOPED_TRACE(text.str());
    try {
      GetParam().holds(*make(recipe));
    } catch (const rc::detail::CaseResult& failed) {
      ADD_FAILURE() << failed.description;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Cases, ::testing::ValuesIn(kRows), name_of);
INSTANTIATE_TEST_SUITE_P(Random, KeptSequences, ::testing::ValuesIn(kRows), name_of);

} // namespace
} // namespace sourir::testing
