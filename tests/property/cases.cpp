#include "tests/property/cases.h"

#include "sourir/syntax/printer.h"

#include <gtest/gtest.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

namespace sourir::testing {

namespace {

using Words = std::vector<std::uint32_t>;

rc::Seq<std::uint32_t> smaller_words(std::uint32_t word) {
  std::vector<std::uint32_t> smaller;
  for (const std::uint32_t w : {std::uint32_t{0}, word / 2, word - word / 8})
    if (w < word && (smaller.empty() || smaller.back() != w)) smaller.push_back(w);
  return rc::seq::fromContainer(smaller);
}

// Shorter tapes first. A tape that is longer than what is read of it is cut.
template <class Used>
rc::Seq<Words> smaller_tapes(const Words& words, const Used& used) {
  const std::size_t n = used(words);
  Words cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
  return rc::seq::concat(rc::shrink::removeChunks(cut),
                         rc::shrink::eachElement(cut, smaller_words));
}

template <class Used>
rc::Gen<Words> tapes(Used used) {
  return [used](const rc::Random& random, int) {
    rc::Random source = random;
    Tape tape(source.next());
    return rc::shrinkable::shrinkRecur(
        used.draw(tape), [used](const Words& words) { return smaller_tapes(words, used); });
  };
}

// How much of a tape a case of this size reads.
struct CaseUse {
  std::uint32_t size;

  Words draw(Tape& tape) const {
    Names names;
    const Policy policy = random_policy(tape, size);
    random_case(tape, policy, names);
    return tape.used();
  }
  std::size_t operator()(const Words& words) const {
    Tape tape(words);
    return draw(tape).size();
  }
};

struct FixedUse {
  std::size_t words;

  Words draw(Tape& tape) const {
    for (std::size_t i = 0; i < words; ++i) tape.word();
    return tape.used();
  }
  std::size_t operator()(const Words& tape) const { return tape.size(); }
};

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
  const auto recipes = rc::gen::map(tapes(CaseUse{size}),
                                    [size](Words words) { return Recipe{size, std::move(words)}; });
  check(times, [&] {
    const Recipe recipe = *recipes;
    const auto made = make(recipe);
    property(*made);
  });
}

void check_tapes(TapeProperty property, int times) {
  constexpr std::size_t kWords = 64;
  check(times, [&] {
    Tape tape(*tapes(FixedUse{kWords}));
    property(tape);
  });
}

} // namespace sourir::testing
