// The properties that all random programs have. Each is checked on random cases and on the
// sequences of choice_sequences.txt.
#pragma once

#include "tests/property/cases.h"

#include <span>

namespace sourir::testing {

struct PropertyRow {
  const char* name;
  CaseProperty holds;
  int times;          // cases, in hundreds by default
  std::uint32_t size; // of the programs
};
std::span<const PropertyRow> case_properties();

// --- texts (text_properties.cpp)
void accepted(Case& c);
void any_part_of_the_choices_is_accepted(Case& c);
void printed_and_parsed(Case& c);
void json_and_back(Case& c);
void spans_show_names(Case& c);

// --- one run (run_properties.cpp)
void one_rule_applies(Case& c);
void undo_is_exact(Case& c);
void history_goes_anywhere(Case& c);
void repeatable(Case& c);

// --- runs under schedules (schedule_properties.cpp)
void any_schedule(Case& c);
void each_exit(Case& c);
void injected_is_observed(Case& c);
void entered_where_the_context_holds(Case& c);
void static_contexts_hold(Case& c);
void any_version_may_be_entered(Case& c);
void any_schedule_from_any_version(Case& c);

// --- runs with watched guards (watch_properties.cpp)
void watched_guards_are_not_observed(Case& c);
void watches_are_undone_exactly(Case& c);
void one_rule_applies_with_watches(Case& c);

// --- the native tier (native_properties.cpp)
void native_agrees(Case& c);
// (engine_properties.cpp)
void the_baseline_does_what_the_reference_does(Case& c);

// --- exits (exit_properties.cpp)
void composed_exits(Case& c);
void composition_is_associative(Case& c);
void renamed_exits(Case& c);

// --- changes that nobody can observe (metamorphic_properties.cpp)
void names_do_not_matter(Case& c);
void empty_assumes_everywhere(Case& c);
void an_assume_in_two(Case& c);
void a_version_twice(Case& c);
void a_true_predicate_more(Case& c);
void what_is_not_reached_does_not_matter(Case& c);

} // namespace sourir::testing
