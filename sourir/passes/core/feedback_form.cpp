#include "sourir/passes/core/feedback_form.h"

#include "sourir/syntax/json/json_parts.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

class FeedbackReader {
public:
  FeedbackReader(JsonReader& json, Feedback& into)
      : json_(json), parts_(json, FrameForm::StateMap), into_(into) {}

  void read(const JsonValue& root) {
    json_.object(root,
                 needs("format", [&](const JsonValue& v) { json_.constant(v, "sourir-feedback"); }),
                 needs("version", [&](const JsonValue& v) { json_.constant(v, 1); }),
                 may_have("branches", each(&FeedbackReader::branch)),
                 may_have("predicates", each(&FeedbackReader::held_predicate)));
  }

private:
  std::function<void(const JsonValue&)> each(void (FeedbackReader::*one)(const JsonValue&)) {
    return [this, one](const JsonValue& v) {
      json_.each(v, [&](const JsonValue& element) { (this->*one)(element); });
    };
  }

  auto count(std::uint64_t& into) {
    return [this, &into](const JsonValue& v) {
      const auto* const number = std::get_if<std::uint64_t>(&v.data);
      if (number == nullptr) return json_.expected(v, "a number");
      into = *number;
    };
  }

  void branch(const JsonValue& value) {
    Feedback::BranchCounts& counts = into_.branches.emplace_back();
    json_.object(value, needs("at", parts_.into(counts.at)), needs("taken", count(counts.taken)),
                 needs("not_taken", count(counts.not_taken)));
  }

  void held_predicate(const JsonValue& value) {
    Feedback::Predicate& held = into_.predicates.emplace_back();
    json_.object(value, needs("at", parts_.into(held.at)),
                 needs("predicate", [&](const JsonValue& v) {
                   const auto expr = parse_expr(json_.text(v), json_.names());
                   if (!expr) return json_.expected(v, "an expression such as \"x != nil\"");
                   held.predicate = *expr;
                 }));
  }

  JsonReader& json_;
  JsonParts parts_;
  Feedback& into_;
};

class Places {
public:
  Places(const Program& program, const Names& names) : positions_(program), names_(names) {}

  // The position, or the reason why there is none in `problem`.
  std::optional<Position> find(const Place& place, std::string& problem) {
    const auto at = positions_.resolve(place);
    const Version* const in = positions_.version(place.function, place.version);
    if (at && *at < in->body.size()) return at;
    problem = fmt::format("the program has no place {}", print(place, names_));
    return std::nullopt;
  }

  std::string branch(const Place& place) {
    std::string problem;
    const auto at = find(place, problem);
    if (!at) return problem;
    const Version* const in = positions_.version(place.function, place.version);
    if (std::holds_alternative<Branch>(in->body[*at].instr)) return {};
    return fmt::format("at {} stands no branch", print(place, names_));
  }

  std::string predicate(const Feedback::Predicate& held) {
    std::string problem;
    const auto at = find(held.at, problem);
    if (!at) return problem;
    const auto* const scope = positions_.scope(held.at.function, held.at.version, *at);
    if (scope == nullptr) return fmt::format("nothing reaches {}", print(held.at, names_));
    for_each_name(held.predicate, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
      if (use.role == NameRole::FunRef) {
        if (find_function(positions_.program(), FunName{use.id}) == nullptr)
          problem = fmt::format("there is no function {}", names_.text(FunName{use.id}));
      } else if (std::ranges::find(*scope, Var{use.id}) == scope->end()) {
        problem = fmt::format("{} is not in scope at {}", names_.text(Var{use.id}),
                              print(held.at, names_));
      }
    });
    return problem;
  }

private:
  ProgramPositions positions_;
  const Names& names_;
};

} // namespace

std::string read_feedback(std::string_view json, Names& names, Feedback& into) {
  JsonProblem problem;
  const auto root = read_json(json, problem);
  if (!root) return problem.message;
  std::string problems;
  JsonReader reader(names, [&](Span, const std::string& message) {
    problems += (problems.empty() ? "" : "; ") + message;
  });
  FeedbackReader(reader, into).read(*root);
  return problems;
}

std::string read_assumption(std::string_view text, Names& names, Feedback& into) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return fmt::format("'{}' is no assumption such as 'f.v.Loop: x != nil'", text);
  const auto place = parse_place(text.substr(0, colon), names);
  if (!place) return fmt::format("'{}' is no place F.V.L or F.V.L+n", text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto predicate = parse_expr(rest, names);
  if (!predicate) return fmt::format("'{}' is no expression such as 'x != nil'", rest);
  into.predicates.push_back({*place, *predicate});
  return {};
}

std::vector<std::string> feedback_problems(const Feedback& feedback, const Program& program,
                                           const Names& names) {
  Places places(program, names);
  std::vector<std::string> problems;
  const auto add = [&](std::string problem) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  for (const Feedback::BranchCounts& counts : feedback.branches) add(places.branch(counts.at));
  for (const Feedback::Predicate& held : feedback.predicates) add(places.predicate(held));
  return problems;
}

} // namespace sourir
