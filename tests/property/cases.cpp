#include "tests/property/cases.h"

#include "sourir/syntax/text/printer.h"
#include "tests/property/shrink_choices.h"

#include <gtest/gtest.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

namespace sourir::testing {

namespace {

using Words = std::vector<std::uint32_t>;

// `read`: reads of a choice sequence what the case needs.
rc::Gen<Words> sequences(const std::function<void(ChoiceSequence&)>& read) {
  return [read](const rc::Random& random, int) {
    rc::Random source = random;
    ChoiceSequence choices(source.next());
    read(choices);
    const UsedWords used = [read](const Words& words) {
      ChoiceSequence again(words);
      read(again);
      return again.used().size();
    };
    const auto drafts = rc::shrinkable::shrinkRecur(
        Draft{choices.used()}, [used](const Draft& draft) { return smaller(draft, used); });
    return rc::shrinkable::map(drafts, [](Draft&& draft) { return std::move(draft.words); });
  };
}

template <class Testable>
void check(int times, Testable testable) {
  const auto& configuration = rc::detail::configuration();
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
  metadata.description = info->name();
  rc::detail::TestParams params = configuration.testParams;
  params.maxSuccess *= times;
  rc::detail::TestListenerAdapter listener;
  const auto result =
      rc::detail::checkTestable(testable, metadata, params, listener, configuration.reproduce);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << text.str();
}

} // namespace

std::unique_ptr<Case> make(const Recipe& recipe) {
  auto made = std::make_unique<Case>();
  made->recipe = recipe;
  ChoiceSequence choices(recipe.choices);
  made->policy = random_policy(choices, recipe.size);
  made->random = random_case(choices, made->policy, made->names);
  for (const std::uint32_t word : recipe.choices) {
    made->number ^= word;
    made->number = next_random(made->number);
  }
  return made;
}

void showValue(const Recipe& recipe, std::ostream& out) {
  const auto made = make(recipe);
  out << "the program\n" << print(made->random.program, made->names) << "with the inputs";
  for (const Value& v : made->random.inputs)
    if (const auto literal = to_literal(v)) out << ' ' << print(*literal, made->names);
  out << "\nand --deopt=" << made->random.deopt
      << "\nTo run it again, put this line into tests/property/choice_sequences.txt and use"
         " --gtest_filter='*KeptSequences*':\n"
      << recipe.size << ": " << print_choices(recipe.choices) << '\n';
}

void check_cases(CaseProperty property, int times, std::uint32_t size) {
  const auto read = [size](ChoiceSequence& choices) {
    Names names;
    const Policy policy = random_policy(choices, size);
    random_case(choices, policy, names);
  };
  const auto recipes =
      rc::gen::map(sequences(read), [size](Words words) { return Recipe{size, std::move(words)}; });
  check(times, [&] {
    const Recipe recipe = *recipes;
    const auto made = make(recipe);
    property(*made);
  });
}

void check_choices(ChoicesProperty property, int times) {
  constexpr int kWords = 64;
  const auto read = [](ChoiceSequence& choices) {
    for (int i = 0; i < kWords; ++i) choices.word();
  };
  check(times, [&] {
    ChoiceSequence choices(*sequences(read));
    property(choices);
  });
}

} // namespace sourir::testing
