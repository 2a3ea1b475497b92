#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/json_inside.h"
#include "sourir/syntax/json/json_parts.h"
#include "sourir/syntax/json/json_writer.h"

#include <unordered_set>

namespace sourir {
namespace {

void write_states(JsonWriter& json, const VersionMap& map) {
  JsonText& out = json.out();
  out.key("states").open('[');
  for (const auto& [at, state] : map.states) {
    out.line(3).open('{').key("at").number(at).key("exit");
    state ? json.metadata(*state) : void(out.null());
    out.close('}');
  }
  out.close(']');
}

void write_pending(JsonWriter& json, const VersionMap& map) {
  JsonText& out = json.out();
  out.key("pending").open('[');
  for (const auto& [at, pending] : map.pending) {
    out.line(3).open('{').key("at").number(at).key("frames");
    if (pending) {
      json.list(pending->frames, [&](const OuterFrame& f) { json.outer_frame(f); });
      json.with_block(pending->with);
    } else {
      out.null();
    }
    out.close('}');
  }
  out.close(']');
}

bool is_null(const JsonValue& value) { return std::holds_alternative<JsonNull>(value.data); }

class StateMapReader {
public:
  explicit StateMapReader(JsonReader& json) : json_(json), parts_(json, FrameForm::StateMap) {}

  StateMap read(const JsonValue& root) {
    json_.object(
        root, needs("format", [&](const JsonValue& v) { json_.constant(v, "sourir-state-map"); }),
        needs("version", [&](const JsonValue& v) { json_.constant(v, 1); }),
        needs("versions", [&](const JsonValue& v) {
          json_.each(v, [&](const JsonValue& one) { version(one); });
        }));
    return std::move(result_);
  }

private:
  void version(const JsonValue& value) {
    VersionMap& map = result_.versions.emplace_back();
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { map.function = json_.name<FunName>(v); }),
        needs("version", [&](const JsonValue& v) { map.version = json_.name<VerName>(v); }),
        needs("identity",
              [&](const JsonValue& v) {
                if (!is_null(v)) map.identity = identity(v);
              }),
        needs("states",
              [&](const JsonValue& v) {
                json_.each(v, [&](const JsonValue& one) { state(one, map); });
              }),
        needs("pending", [&](const JsonValue& v) {
          json_.each(v, [&](const JsonValue& one) { pending(one, map); });
        }));
    if (!seen_.insert((std::uint64_t{map.function.id} << 32) | map.version.id).second)
      json_.problem(value.where, "a version that is listed already");
  }

  Place identity(const JsonValue& value) {
    Place place;
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { place.function = json_.name<FunName>(v); }),
        needs("version", [&](const JsonValue& v) { place.version = json_.name<VerName>(v); }));
    return place;
  }

  void state(const JsonValue& value, VersionMap& map) {
    Position at = 0;
    std::optional<Metadata> exit;
    json_.object(value, needs("at", [&](const JsonValue& v) { at = json_.number(v); }),
                 needs("exit", [&](const JsonValue& v) {
                   if (!is_null(v)) exit = parts_.metadata(v);
                 }));
    if (!map.states.emplace(at, std::move(exit)).second)
      json_.problem(value.where, "a position that is listed already");
  }

  void pending(const JsonValue& value, VersionMap& map) {
    Position at = 0;
    Pending pending;
    bool known = true;
    json_.object(
        value, needs("at", [&](const JsonValue& v) { at = json_.number(v); }),
        needs("frames",
              [&](const JsonValue& v) {
                if (known = !is_null(v); !known) return;
                json_.each(v, [&](const JsonValue& f) {
                  pending.frames.push_back(parts_.outer_frame(f));
                });
                if (pending.frames.empty()) json_.expected(v, "at least one frame, or null");
              }),
        may_have("with", [&](const JsonValue& v) { pending.with = parts_.with_block(v); }));
    const auto entry = known ? std::optional(std::move(pending)) : std::nullopt;
    if (!map.pending.emplace(at, entry).second)
      json_.problem(value.where, "a position that is listed already");
  }

  JsonReader& json_;
  JsonParts parts_;
  StateMap result_;
  std::unordered_set<std::uint64_t> seen_;
};

} // namespace

std::string to_json(const StateMap& map, const Names& names) {
  JsonWriter json(names);
  JsonText& out = json.out();
  out.open('{').key("format").text("sourir-state-map").key("version").number(1);
  out.key("versions").open('[');
  for (const VersionMap& v : map.versions) {
    out.line(1).open('{').key("function"), json.name(v.function);
    out.key("version"), json.name(v.version);
    out.key("identity");
    if (v.identity) {
      out.open('{').key("function"), json.name(v.identity->function);
      out.key("version"), json.name(v.identity->version), out.close('}');
    } else {
      out.null();
    }
    write_states(json, v);
    write_pending(json, v);
    out.close('}');
  }
  out.line(0).close(']').close('}');
  return out.take() + "\n";
}

StateMap read_state_map(const JsonValue& value, JsonReader& json) {
  return StateMapReader(json).read(value);
}

std::optional<StateMap> state_map_from_json(std::string_view text, Names& names,
                                            std::string& error) {
  error.clear();
  JsonProblem problem;
  const auto root = read_json(text, problem);
  if (!root) {
    error = problem.message;
    return std::nullopt;
  }
  JsonReader reader(names, [&](Span, const std::string& message) {
    if (!error.empty()) error += '\n';
    error += message;
  });
  StateMap map = read_state_map(*root, reader);
  if (reader.problems() > 0) return std::nullopt;
  return map;
}

} // namespace sourir
