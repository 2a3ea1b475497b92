#include "tests/property/cases.h"

#include "sourir/syntax/text/printer.h"
#include "tests/property/shrink_tape.h"

#include <gtest/gtest.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

namespace sourir::testing {

namespace {

using Words = std::vector<std::uint32_t>;

// `read`: reads of a tape what the case needs.
rc::Gen<Words> tapes(const std::function<void(Tape&)>& read) {
  return [read](const rc::Random& random, int) {
    rc::Random source = random;
    Tape tape(source.next());
    read(tape);
    const UsedWords used = [read](const Words& words) {
      Tape again(words);
      read(again);
      return again.used().size();
    };
    const auto drafts = rc::shrinkable::shrinkRecur(
        Draft{tape.used()}, [used](const Draft& draft) { return smaller(draft, used); });
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
  Tape tape(recipe.tape);
  made->policy = random_policy(tape, recipe.size);
  made->random = random_case(tape, made->policy, made->names);
  for (const std::uint32_t word : recipe.tape) {
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
  out << "\nand --leave=" << made->random.leave
      << "\nTo run it again, put this line into tests/property/tapes.txt and use"
         " --gtest_filter='*KeptTapes*':\n"
      << recipe.size << ": " << print_tape(recipe.tape) << '\n';
}

void check_cases(CaseProperty property, int times, std::uint32_t size) {
  const auto read = [size](Tape& tape) {
    Names names;
    const Policy policy = random_policy(tape, size);
    random_case(tape, policy, names);
  };
  const auto recipes =
      rc::gen::map(tapes(read), [size](Words words) { return Recipe{size, std::move(words)}; });
  check(times, [&] {
    const Recipe recipe = *recipes;
    const auto made = make(recipe);
    property(*made);
  });
}

void check_tapes(TapeProperty property, int times) {
  constexpr int kWords = 64;
  const auto read = [](Tape& tape) {
    for (int i = 0; i < kWords; ++i) tape.word();
  };
  check(times, [&] {
    Tape tape(*tapes(read));
    property(tape);
  });
}

} // namespace sourir::testing
