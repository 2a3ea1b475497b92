// The JSON forms: lossless both ways, and any input gives a program or problems.
#include "sourir/syntax/exits.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace sourir {
namespace {

Parsed parse_text(const std::string& text, Names& names) {
  const Source source("t.sou", text);
  Diagnostics problems;
  Parsed parsed = parse(source, names, problems);
  for (const Diagnostic& d : problems.sorted())
    EXPECT_NE(d.severity, Severity::Error) << d.message << "\n" << text;
  return parsed;
}

std::vector<std::string> problems_of(const std::string& json) {
  Names names;
  Diagnostics problems;
  from_json(Source("t.json", json), names, problems);
  std::vector<std::string> messages;
  for (const Diagnostic& d : problems.sorted()) messages.push_back(d.message);
  return messages;
}

void expect_round_trip(const std::string& text) {
  Names names;
  const Parsed parsed = parse_text(text, names);
  const std::string json = to_json(parsed.program, parsed.spans, names);
  Diagnostics problems;
  const Parsed back = from_json(Source("t.json", json), names, problems);
  for (const Diagnostic& d : problems.sorted()) ADD_FAILURE() << d.message << "\n" << json;
  EXPECT_EQ(back.program, parsed.program) << json;
  EXPECT_EQ(back.spans, parsed.spans) << json;
  EXPECT_EQ(to_json(back.program, back.spans, names), json);

  const std::string bare = to_json(parsed.program, {}, names);
  const Parsed bare_back = from_json(Source("t.json", bare), names, problems);
  EXPECT_EQ(bare_back.program, parsed.program);
  EXPECT_EQ(bare_back.spans, SourceMap{});
  EXPECT_EQ(bare.find("spans"), std::string::npos);
}

constexpr const char* kEverything = R"(# a comment in front
function main() # of the header

# own line
version fast when [true, (1 == 1)] # of the version
{...} var x = -9223372036854775808
  var y # nil
>a: $b: assume [(x is int), (y == nil)] else (main, base, a) [var x = x, var y = (x + 1)], (main, base, c) [var r = $, var x = nil] with {
    # deferred
    var t = (x * 2) # times
    array q = [t, 'main, "a\"\n\\ü"]
    array p[3]
    p[0] <- q
    # the end
  }
  anchor else (main, base, a) [var x = x, var y]
  guard_hint (x == 1), true
  drop y
  array z[4]
  array w = []
  w[x] <- length(z)
  x <- w[0]
  read x
  assert !x
  call s = 'main() c2
  { x , s, ... } print -0.0
  branch (x % 2) $l1 $l2
$l1:
  goto l3
$l2:
  stop
l3:
  stop -x
version base
>a: var f = 1e300
>c: return f
>end:
# after
version k cont L [x, y]
  return 1.5
)";

TEST(Json, KeepsEverything) {
  expect_round_trip(kEverything);
  expect_round_trip("var x = 1 # implicit\n\n# c\nprint x\n");
  expect_round_trip("function main()\nfunction f(var a, var b)\nreturn a\n");
}

TEST(Json, KeepsTheExamples) {
  for (const auto& entry : std::filesystem::directory_iterator(SOURIR_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".sou") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    SCOPED_TRACE(entry.path());
    expect_round_trip(text.str());
  }
}

TEST(Json, PutsOneStatementOnALine) {
  Names names;
  const Parsed parsed =
      parse_text("function f(var x)\nversion v\nl: var y = (x + 1)\nreturn y\n", names);
  EXPECT_EQ(to_json(parsed.program, {}, names),
            R"({"format": "sourir-program", "version": 1, "functions": [
 {"name": "f", "params": ["x"], "versions": [
  {"name": "v", "body": [
   {"labels": ["l"], "instr": {"op": "var", "name": "y", "value": {"binary": "+", "left": {"var": "x"}, "right": {"int": "1"}}}},
   {"instr": {"op": "return", "value": {"var": "y"}}}
  ]}
 ]}
]}
)");
}

TEST(Json, IsRecognized) {
  EXPECT_TRUE(looks_like_json("{\"format\": 1}"));
  EXPECT_TRUE(looks_like_json(" \n{ \r\n\t\""));
  for (const char* text :
       {"", "{", "{}", "{a} print 1", "{...} print 1", "print 1", "\"{\"", "[{\""})
    EXPECT_FALSE(looks_like_json(text)) << text;
}

// A program around one instruction.
std::string around(const std::string& instruction) {
  return R"({"format": "sourir-program", "version": 1, "functions": [{"name": "main", "params": [],
    "versions": [{"name": "v", "body": [{"instr": )" +
         instruction + "}]}]}]}";
}

TEST(Json, AbsentKeysHaveDefaults) {
  EXPECT_EQ(problems_of(around(R"({"op": "stop"})")), std::vector<std::string>{});
}

TEST(Json, ShowsWhereAShapeIsWrong) {
  const std::string at = "/functions/0/versions/0/body/0/instr";
  const auto expect = [&](const std::string& instruction, const std::string& message) {
    const auto problems = problems_of(around(instruction));
    ASSERT_EQ(problems.size(), 1u) << instruction;
    EXPECT_EQ(problems.front(), at + message);
  };
  expect("3", ": expected an instruction: an object with the key \"op\", found the number 3");
  expect(R"({"op": "jump"})", R"(/op: expected an operation, found "jump")");
  expect(R"({"op": "goto"})", R"(: the key "target" is missing)");
  expect(R"({"op": "goto", "target": "l", "to": 1})", R"(: unknown key "to")");
  expect(R"({"op": "drop", "name": "1x"})", R"(/name: expected a name, found "1x")");
  expect(R"({"op": "drop", "name": "x.y"})", R"(/name: expected a name, found "x.y")");
  expect(R"({"op": "drop", "name": ""})", R"(/name: expected a name, found "")");
  expect(R"({"op": "drop", "name": "length"})",
         R"(/name: expected a name that is no reserved word, found "length")");
  expect(R"({"op": "print", "value": {"int": 3}})",
         "/value: expected an integer of 64 bits as a string, found the number 3");
}

TEST(Json, RefusesBadValues) {
  const auto refused = [](const std::string& e) {
    const auto problems = problems_of(around(R"({"op": "print", "value": )" + e + "}"));
    return problems.size() == 1 ? problems.front() : std::to_string(problems.size()) + " problems";
  };
  for (const char* e :
       {R"({"int": "9223372036854775808"})",
        R"({"int": ""})",
        R"({"int": " 1"})",
        R"({"int": "1.0"})",
        R"({"int": "0x1"})",
        R"({"float": "1"})",
        R"({"float": "nan"})",
        R"({"float": "1e999"})",
        R"({"float": ".5"})",
        R"({"float": 1.5})",
        R"({"nil": 0})",
        R"({"bool": "true"})",
        R"({"var": "x", "int": "1"})",
        R"({})",
        R"([])",
        R"(null)",
        R"(-1)",
        R"({"binary": "+", "left": {"int": "1"}})",
        R"({"unary": "+", "operand": {"nil": null}})",
        R"({"binary": "+", "left": {"int": "1"}, "right": {"length": {"var": "x"}}})",
        R"({"array": "x", "index": {"array": "y", "index": {"int": "0"}}})",
        R"({"operand": {"var": "x"}, "is": "number"})",
        R"({"operand": {"var": "x"}, "elements": "string"})",
        R"({"fun": "main.v"})"})
    EXPECT_EQ(refused(e).find("/functions/0/versions/0/body/0/instr/value"), 0u) << refused(e);
}

TEST(Json, RefusesWhatNoTextCanSay) {
  const auto at = [](const std::string& exit) {
    return problems_of(around(R"({"op": "anchor", "exit": )" + exit + "}")).size();
  };
  EXPECT_EQ(at(R"({"frame": {"target": "f.v.L", "varmap": []}})"), 0u);
  EXPECT_EQ(at(R"({"frame": {"target": "f.v.L", "varmap": [], "unknown": ["x"]}})"), 1u);
  for (const char* place : {"f.v+1", "f.v.L+1", "f.v", "f.v.", "f", "", " f.v.L", "f.v.L+0",
                            "f.v.while", "f.v.L+99999999999", "f.v.L+-1", "f.v.else"})
    EXPECT_EQ(at(R"({"frame": {"target": ")" + std::string(place) + R"(", "varmap": []}})"),
              std::string(place) == "f.v.while" ? 0u : 1u)
        << place;
  const std::string version = R"({"name": "v", "body": []})";
  const auto functions = [](const std::string& all) {
    return problems_of(R"({"format": "sourir-program", "version": 1, "functions": [)" + all + "]}")
        .size();
  };
  const std::string implicit = R"({"name": "main", "params": [], "implicit": true, "versions": [)";
  EXPECT_EQ(functions(implicit + R"({"name": "anon", "body": []}]})"), 0u);
  EXPECT_EQ(functions(implicit + R"({"name": "v", "body": []}]})"), 1u);
  EXPECT_EQ(functions(implicit + R"({"name": "anon", "when": [{"bool": true}], "body": []}]})"),
            1u);
}

TEST(Json, RefusesWhatIsNoJsonOrTooDeep) {
  const auto only = [](const std::string& text) {
    const auto problems = problems_of(text);
    return problems.size() == 1 ? problems.front() : std::to_string(problems.size()) + " problems";
  };
  EXPECT_EQ(only(""), "not JSON: syntax error while parsing value - unexpected end of input; "
                      "expected '[', '{', or a literal");
  EXPECT_EQ(only("{\"a\": 1").find("not JSON: "), 0u);
  EXPECT_EQ(only("{\"a\": \"\xff\"}").find("not JSON: "), 0u);
  EXPECT_EQ(only("{\"a\": \"\\ud800\"}").find("not JSON: "), 0u);
  EXPECT_EQ(only("{\"a\": 1e999}").find("not JSON: "), 0u);
  EXPECT_EQ(only("{} {}").find("not JSON: "), 0u);
  EXPECT_EQ(only(R"({"a": 1, "a": 1})"), "a key that stands twice in one object");
  EXPECT_EQ(only("{\"a\": " + std::string(1'000'000, '[')), "brackets nested deeper than 64");
  std::string nested = "{\"a\": ";
  for (int i = 0; i < 1'000'000; ++i) nested += "{\"a\":";
  EXPECT_EQ(only(nested), "brackets nested deeper than 64");
  std::string keys = "{\"k\": 1";
  for (int i = 0; i < 100'000; ++i) keys += ", \"" + std::to_string(i) + "\": 1";
  EXPECT_EQ(only(keys + "}"), "an object with too many keys");
}

TEST(Json, ReportsAtMostTwentyProblems) {
  std::string body = R"({"instr": 1})";
  for (int i = 0; i < 1000; ++i) body += R"(, {"instr": 1})";
  EXPECT_EQ(problems_of(R"({"format": "sourir-program", "version": 1, "functions": [{"name": "f",
    "params": [], "versions": [{"name": "v", "body": [)" +
                        body + "]}]}]}")
                .size(),
            20u);
}

TEST(Json, PointsAtTheValue) {
  const std::string json = around(R"({"op": "drop", "name": "else"})");
  const Source source("t.json", json);
  Names names;
  Diagnostics problems;
  from_json(source, names, problems);
  const Span where = problems.sorted().front().span;
  EXPECT_EQ(json.substr(where.begin, where.end - where.begin), "\"else\"");
}

// The printer keeps one blank line where there are several, and none at the start of a body.
Program without_blank_lines(Program program) {
  const auto strip = [](std::vector<Comment>& comments) {
    std::erase_if(comments, [](const Comment& c) { return c.own_line && c.text.empty(); });
  };
  const auto exit = [&](Metadata& metadata) {
    for (Deferred& d : metadata.with) strip(d.comments);
    strip(metadata.with_end);
  };
  for (Function& f : program.functions) {
    strip(f.comments);
    for (Version& v : f.versions) {
      strip(v.comments), strip(v.end.comments);
      for (Stmt& stmt : v.body) {
        strip(stmt.leading.comments);
        if (Metadata* const found = exit_of(stmt.instr)) exit(*found);
      }
    }
  }
  return program;
}

// Whatever is done to a document, it is refused, or it is a program that the text can say too.
TEST(Json, SurvivesChangedBytes) {
  std::string json;
  {
    Names names;
    const Parsed parsed = parse_text(kEverything, names);
    json = to_json(parsed.program, {}, names);
  }
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % n; };
  std::size_t accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string changed = json;
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(changed.size()), other = below(changed.size());
      switch (below(4)) {
      case 0: changed[at] = static_cast<char>(random()); break;
      case 1: changed.erase(at, below(20)); break;
      case 2: changed.insert(at, changed.substr(other, below(20))); break;
      default: changed[at] = changed[other]; break;
      }
    }
    Names names;
    Diagnostics problems;
    const Parsed read = from_json(Source("t.json", changed), names, problems);
    if (problems.has_errors()) continue;
    ++accepted;
    const Source text("t.sou", print(read.program, names));
    Program again = parse(text, names, problems).program;
    ASSERT_FALSE(problems.has_errors()) << changed << "\n" << text.text();
    ASSERT_EQ(without_blank_lines(again), without_blank_lines(read.program)) << changed << "\n"
                                                                             << text.text();
  }
  EXPECT_GT(accepted, 50u);
}

// A pass that drops labels leaves the comments of several lines at one instruction.
TEST(Json, SeveralCommentsAtTheEndOfALineAreOne) {
  Names names;
  Program program = parse_text("print 1 # one\n", names).program;
  auto& comments = program.functions[0].versions[0].body[0].leading.comments;
  ASSERT_EQ(comments.size(), 1U);
  comments.push_back({.own_line = false, .text = " two"});
  Diagnostics problems;
  const Program again =
      from_json(Source("t.json", to_json(program, {}, names)), names, problems).program;
  ASSERT_FALSE(problems.has_errors());
  EXPECT_EQ(print(again, names), print(program, names));
  EXPECT_EQ(again.functions[0].versions[0].body[0].leading.comments.size(), 1U);
}

TEST(Json, KeepsCommentsAnywhereOrRefusesThem) {
  std::mt19937 random(2);
  std::size_t accepted = 0;
  for (int round = 0; round < 500; ++round) {
    Names names;
    Parsed parsed = parse_text(kEverything, names);
    const auto add = [&](std::vector<Comment>& comments, std::size_t labels) {
      if (random() % 8 != 0) return;
      const auto slot = static_cast<std::uint32_t>(random() % (labels + 1));
      comments.insert(comments.begin(),
                      {slot, random() % 2 == 0, " c" + std::to_string(random() % 10)});
    };
    for (Function& f : parsed.program.functions) {
      add(f.comments, 0);
      for (Version& v : f.versions) {
        add(v.comments, 0);
        // One after the last instruction of another version would be read as the next header's.
        if (&v == &f.versions.back()) add(v.end.comments, v.end.labels.size());
        for (Stmt& stmt : v.body) {
          add(stmt.leading.comments, stmt.leading.labels.size());
          if (auto* assume = std::get_if<Assume>(&stmt.instr)) {
            add(assume->exit.with_end, 0);
            for (Deferred& d : assume->exit.with) add(d.comments, 0);
          }
        }
      }
    }
    Diagnostics problems;
    const Source json("t.json", to_json(parsed.program, parsed.spans, names));
    const Parsed read = from_json(json, names, problems);
    if (problems.has_errors()) continue;
    ++accepted;
    const Source text("t.sou", print(read.program, names));
    const Program again = parse(text, names, problems).program;
    ASSERT_EQ(without_blank_lines(again), without_blank_lines(read.program)) << text.text();
  }
  EXPECT_GT(accepted, 100u);
}

TEST(Json, KeepsStateMaps) {
  Names names;
  const auto fun = [&](const char* n) { return names.intern<FunName>(n); };
  const auto ver = [&](const char* n) { return names.intern<VerName>(n); };
  const Var x = names.intern<Var>("x"), y = names.intern<Var>("y");
  const Place place{fun("f"), ver("v"), names.intern<Label>("L"), 2};
  const Place plain{fun("f"), ver("v"), {}, 7};
  Metadata state{{place, {{x, SimpleExpr(y)}}, {y}}, {}, {}, {}};
  state.outer = {{plain, y, {{x, Length{SimpleExpr(y)}}}, {}}};
  state.with = {{Decl{y, {}}, {}}};
  StateMap map{{{fun("f"), ver("w"), Place{fun("f"), ver("v"), {}, 0}, {}, {}},
                {fun("g"), ver("w"), {}, {}, {}}}};
  map.versions[1].states = {{3, state}, {4, std::nullopt}};
  map.versions[1].call_sites = {{5, CallSiteFrames{state.outer, state.with}}, {6, std::nullopt}};
  const std::string json = to_json(map, names);
  const auto back = state_map_from_json(json, names);
  ASSERT_TRUE(back) << back.error().message << json;
  EXPECT_EQ(*back, map) << json;

  EXPECT_FALSE(state_map_from_json("[", names));
  const auto wrong = state_map_from_json(
      R"({"format": "sourir-state-map", "version": 3, "versions": [3]})", names);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "/version: expected the number 2, found the number 3\n"
                                   "/versions/0: expected an object, found the number 3");
}

} // namespace
} // namespace sourir
