#include "sourir/passes/core/feedback_form.h"

#include "sourir/syntax/json/json_parts.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sourir {
namespace {

class FeedbackReader {
public:
  FeedbackReader(JsonReader& json, FeedbackFile& file)
      : json_(json), parts_(json, FrameForm::StateMap), file_(file) {}

  void read(const JsonValue& root) {
    json_.object(root,
                 needs("format", [&](const JsonValue& v) { json_.constant(v, "sourir-feedback"); }),
                 needs("version", [&](const JsonValue& v) { json_.constant(v, 1); }),
                 may_have("complete", [&](const JsonValue& v) { file_.complete = json_.flag(v); }),
                 may_have("branches", each(&FeedbackReader::branch)),
                 may_have("predicates", each(&FeedbackReader::held_predicate)),
                 may_have("results", each(&FeedbackReader::result)),
                 may_have("unreached", each(&FeedbackReader::unreached)),
                 may_have("dispatched", each(&FeedbackReader::dispatched)),
                 may_have("functions", each(&FeedbackReader::of_function)),
                 may_have("types", each(&FeedbackReader::types)),
                 may_have("targets", each(&FeedbackReader::targets)),
                 may_have("branch_counts", each(&FeedbackReader::branch_count)),
                 may_have("samples", each(&FeedbackReader::samples)));
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

  void branch(const JsonValue& value) { counts(value, into_->branches.emplace_back()); }
  void branch_count(const JsonValue& value) { counts(value, file_.branch_counts.emplace_back()); }

  void counts(const JsonValue& value, Feedback::BranchCounts& counts) {
    json_.object(value, needs("at", parts_.into(counts.at)), needs("taken", count(counts.taken)),
                 needs("not_taken", count(counts.not_taken)));
  }

  void held_predicate(const JsonValue& value) { predicate(value, into_->predicates); }
  void result(const JsonValue& value) { predicate(value, into_->results); }
  void unreached(const JsonValue& value) { parts_.into(into_->unreached.emplace_back())(value); }

  void dispatched(const JsonValue& value) {
    Feedback::Dispatched& one = into_->dispatched.emplace_back();
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { one.function = json_.name<FunName>(v); }),
        needs("when", [&](const JsonValue& v) { guards(v, one.when); }));
  }

  void guards(const JsonValue& value, std::vector<Expr>& into) {
    json_.each(value, [&](const JsonValue& guard) { expression(guard, into.emplace_back()); });
  }

  void predicate(const JsonValue& value, std::vector<Feedback::Predicate>& into) {
    Feedback::Predicate& held = into.emplace_back();
    json_.object(value, needs("at", parts_.into(held.at)),
                 needs("predicate", [&](const JsonValue& v) { expression(v, held.predicate); }));
  }

  void expression(const JsonValue& value, Expr& into) {
    const auto expr = parse_expr(json_.text(value), json_.names());
    if (!expr) return json_.expected(value, "an expression such as \"x != nil\"");
    into = *expr;
  }

  void of_function(const JsonValue& value) {
    FeedbackFile::OfFunction& one = file_.functions.emplace_back();
    into_ = &one.feedback;
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { one.function = json_.name<FunName>(v); }),
        may_have("branches", each(&FeedbackReader::branch)),
        may_have("predicates", each(&FeedbackReader::held_predicate)),
        may_have("results", each(&FeedbackReader::result)),
        may_have("unreached", each(&FeedbackReader::unreached)),
        may_have("dispatched", each(&FeedbackReader::dispatched)),
        may_have("when", [&](const JsonValue& v) { guards(v, one.when); }));
    into_ = &file_.feedback;
  }

  std::optional<Kind> type(std::string_view name) {
    const auto at = std::ranges::find(kTypeNames, name);
    if (at == kTypeNames.end()) return std::nullopt;
    return static_cast<Kind>(at - kTypeNames.begin());
  }

  void types(const JsonValue& value) {
    FeedbackFile::Types& one = file_.types.emplace_back();
    json_.object(value, needs("at", parts_.into(one.at)), needs("name", parts_.into(one.name)),
                 needs("types", [&](const JsonValue& v) {
                   json_.each(v, [&](const JsonValue& element) {
                     if (const auto kind = type(json_.text(element)))
                       return void(one.types |= *kind);
                     json_.expected(element, "a type such as \"int\"");
                   });
                 }));
  }

  void targets(const JsonValue& value) {
    FeedbackFile::Targets& one = file_.targets.emplace_back();
    json_.object(
        value, needs("at", parts_.into(one.at)),
        needs("functions", [&](const JsonValue& v) { one.functions = parts_.names<FunName>(v); }),
        may_have("others", [&](const JsonValue& v) { one.others = json_.flag(v); }));
  }

  // The count of a type, or of a type of elements; null: there is none.
  static std::uint32_t* sampled(std::string_view name, FeedbackFile::Samples& one) {
    for (std::size_t t = 0; t < kTypes; ++t)
      if (name == type_name(static_cast<Kind>(t), one.elements)) return &one.counts[t];
    return nullptr;
  }

  void samples(const JsonValue& value) {
    FeedbackFile::Samples& one = file_.samples.emplace_back();
    const auto text = [&](std::string& into) {
      return [this, &into](const JsonValue& v) { into = json_.text(v); };
    };
    json_.object(value, needs("code", text(one.code)), needs("at", text(one.at)),
                 needs("name", text(one.name)), needs("counts", [&](const JsonValue& v) {
                   const auto* const object = std::get_if<JsonObject>(&v.data);
                   if (object == nullptr) return json_.expected(v, "an object");
                   one.elements = !object->empty() && object->front().key.ends_with("[]");
                   for (const JsonMember& member : *object) {
                     if (!sampled(member.key, one))
                       return json_.expected(v, "counts by type, such as \"int\" or \"int[]\"");
                     *sampled(member.key, one) = json_.number(member.value);
                   }
                 }));
  }

  JsonReader& json_;
  JsonParts parts_;
  FeedbackFile& file_;
  Feedback* into_ = &file_.feedback; // the part that is read
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

  std::string exists(const Place& place) {
    std::string problem;
    find(place, problem);
    return problem;
  }

  std::string branch(const Place& place) {
    std::string problem;
    const auto at = find(place, problem);
    if (!at) return problem;
    const Version* const in = positions_.version(place.function, place.version);
    if (std::holds_alternative<Branch>(in->body[*at].instr)) return {};
    return fmt::format("at {} stands no branch", print(place, names_));
  }

  std::string call(const FeedbackFile::Targets& targets) {
    std::string problem;
    const auto at = find(targets.at, problem);
    if (!at) return problem;
    if (positions_.call(targets.at.function, targets.at.version, *at) == nullptr)
      return fmt::format("at {} stands no call", print(targets.at, names_));
    for (const FunName f : targets.functions)
      if (std::string none = function(f); !none.empty()) return none;
    return {};
  }

  std::string function(FunName name) const {
    if (find_function(positions_.program(), name) != nullptr) return {};
    return fmt::format("there is no function {}", names_.text(name));
  }

  // Guards on the parameters of the function.
  std::string guards(FunName name, const std::vector<Expr>& when) const {
    const Function* const f = find_function(positions_.program(), name);
    if (f == nullptr) return function(name);
    std::string problem;
    for (const Expr& guard : when)
      for_each_name(guard, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
        if (use.role == NameRole::FunRef) {
          if (std::string none = function(FunName{use.id}); !none.empty())
            problem = std::move(none);
        } else if (std::ranges::find(f->params, Var{use.id}) == f->params.end()) {
          problem =
              fmt::format("{} is no parameter of {}", names_.text(Var{use.id}), names_.text(name));
        }
      });
    return problem;
  }

  std::string predicate(const Feedback::Predicate& held) {
    std::string problem;
    const auto at = find(held.at, problem);
    if (!at) return problem;
    const auto* const scope = positions_.scope(held.at.function, held.at.version, *at);
    if (scope == nullptr) return fmt::format("nothing reaches {}", print(held.at, names_));
    for_each_name(held.predicate, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
      if (use.role == NameRole::FunRef) {
        if (std::string none = function(FunName{use.id}); !none.empty()) problem = std::move(none);
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

std::string read_feedback(std::string_view json, Names& names, FeedbackFile& into) {
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
  FeedbackFile file;
  file.feedback = feedback;
  return feedback_problems(file, program, names);
}

namespace {

Feedback::Predicate as_predicate(const FeedbackFile::Types& types) {
  return {types.at, KindTest{types.name, types.types.only().value_or(Kind::Nil)}};
}

} // namespace

std::vector<std::string> feedback_problems(const FeedbackFile& file, const Program& program,
                                           const Names& names) {
  Places places(program, names);
  std::vector<std::string> problems;
  const auto add = [&](std::string problem) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  const auto add_all = [&](const Feedback& feedback) {
    for (const Feedback::BranchCounts& counts : feedback.branches) add(places.branch(counts.at));
    for (const Feedback::Predicate& held : feedback.predicates) add(places.predicate(held));
    for (const Feedback::Predicate& held : feedback.results) add(places.predicate(held));
    for (const Place& place : feedback.unreached) add(places.exists(place));
    for (const Feedback::Dispatched& one : feedback.dispatched)
      add(places.guards(one.function, one.when));
  };
  add_all(file.feedback);
  for (const FeedbackFile::OfFunction& one : file.functions) {
    add(places.guards(one.function, one.when));
    add_all(one.feedback);
  }
  for (const FeedbackFile::Types& types : file.types) add(places.predicate(as_predicate(types)));
  for (const FeedbackFile::Targets& targets : file.targets) add(places.call(targets));
  for (const Feedback::BranchCounts& counts : file.branch_counts) add(places.branch(counts.at));
  return problems;
}

namespace {

using Json = nlohmann::ordered_json;

class FeedbackWriter {
public:
  FeedbackWriter(const Program& program, const Names& names)
      : places_(program, names), names_(names) {}

  Json write(const FeedbackFile& file) {
    Json out{{"format", "sourir-feedback"}, {"version", 1}};
    if (!file.complete) out["complete"] = false;
    put(out, file.feedback);
    out["functions"] = Json::array();
    for (const FeedbackFile::OfFunction& one : file.functions)
      out["functions"].push_back(write(one));
    out["types"] = list(file.types, [&](const auto& one) {
      if (!places_.predicate(as_predicate(one)).empty()) return Json();
      Json names = Json::array();
      for (std::size_t t = 0; t < kTypes; ++t)
        if (one.types.has(static_cast<Kind>(t))) names.push_back(kTypeNames[t]);
      return Json{{"at", print(one.at, names_)},
                  {"name", names_.text(one.name)},
                  {"types", std::move(names)}};
    });
    out["targets"] = list(file.targets, [&](const auto& one) {
      Json functions = Json::array();
      for (const FunName f : one.functions) functions.push_back(names_.text(f));
      Json json{{"at", print(one.at, names_)}, {"functions", std::move(functions)}};
      if (one.others) json["others"] = true;
      return json;
    });
    out["branch_counts"] = branches(file.branch_counts);
    out["samples"] = list(file.samples, [](const auto& one) {
      Json counts = Json::object();
      for (std::size_t t = 0; t < kTypes; ++t)
        if (one.counts[t] != 0)
          counts[type_name(static_cast<Kind>(t), one.elements)] = one.counts[t];
      return Json{{"code", one.code}, {"at", one.at}, {"name", one.name}, {"counts", counts}};
    });
    return out;
  }

  Json write(const FeedbackFile::OfFunction& one) {
    Json out{{"function", names_.text(one.function)}};
    put(out, one.feedback);
    if (!one.when.empty()) out["when"] = texts(one.when);
    return out;
  }

private:
  // Without those for which `form` gives null.
  template <class T, class F>
  static Json list(const std::vector<T>& all, F&& form) {
    Json out = Json::array();
    for (const T& one : all)
      if (Json json = form(one); !json.is_null()) out.push_back(std::move(json));
    return out;
  }

  Json branches(const std::vector<Feedback::BranchCounts>& all) {
    return list(all, [&](const Feedback::BranchCounts& counts) {
      return Json{{"at", print(counts.at, names_)},
                  {"taken", counts.taken},
                  {"not_taken", counts.not_taken}};
    });
  }

  void put(Json& out, const Feedback& feedback) {
    out["branches"] = branches(feedback.branches);
    out["predicates"] = predicates(feedback.predicates);
    if (!feedback.results.empty()) out["results"] = predicates(feedback.results);
    if (!feedback.unreached.empty())
      out["unreached"] = list(feedback.unreached, [&](const Place& place) {
        return places_.exists(place).empty() ? Json(print(place, names_)) : Json();
      });
    if (!feedback.dispatched.empty())
      out["dispatched"] = list(feedback.dispatched, [&](const Feedback::Dispatched& one) {
        return Json{{"function", names_.text(one.function)}, {"when", texts(one.when)}};
      });
  }

  Json texts(const std::vector<Expr>& guards) {
    return list(guards, [&](const Expr& guard) { return Json(print(guard, names_)); });
  }

  Json predicates(const std::vector<Feedback::Predicate>& all) {
    return list(all, [&](const Feedback::Predicate& held) {
      if (!places_.predicate(held).empty()) return Json();
      return Json{{"at", print(held.at, names_)}, {"predicate", print(held.predicate, names_)}};
    });
  }

  Places places_;
  const Names& names_;
};

} // namespace

std::string feedback_json(const FeedbackFile& file, const Program& program, const Names& names) {
  return FeedbackWriter(program, names)
             .write(file)
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string function_feedback_json(const FeedbackFile::OfFunction& one, const Program& program,
                                   const Names& names) {
  return FeedbackWriter(program, names)
      .write(one)
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string incomplete_feedback_json(const std::vector<std::string>& functions) {
  return fmt::format("{{\"format\": \"sourir-feedback\", \"version\": 1, \"complete\": false,\n"
                     " \"functions\": [{}]}}\n",
                     fmt::join(functions, ",\n  "));
}

} // namespace sourir
