#include "sourir/semantics/text/state_text.h"

#include "sourir/semantics/run.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

namespace sourir {

namespace {

constexpr std::size_t kShownValue = 60; // bytes

struct FrameView {
  const ResolvedVersion* code;
  Pc pc;
  Env env;
};

// At most kReportedFrames, as in the reports of engines; the number of frames is compared as depth.
std::vector<FrameView> views_of(const Config& c, std::size_t count) {
  count = std::min(count, kReportedFrames);
  std::vector<FrameView> frames{{c.code, c.pc, c.env()}};
  for (std::size_t i = c.frames.size(); i > 0 && frames.size() < count; --i) {
    const Continuation& k = c.frames[i - 1];
    frames.push_back({k.code, k.pc, c.stack.data() + k.base});
  }
  return frames;
}

// Walks arrays in the order in which they are shown, with an explicit stack.
class Walk {
public:
  Walk(Digest& digest, const Heap& heap, const Names& names)
      : digest_(digest), heap_(heap), names_(names) {}

  void add(Value root) {
    one(root);
    while (!open_.empty() && left_ > 0) {
      auto& [block, next] = open_.back();
      if (next == heap_.blocks[block].size()) {
        digest_.add("]");
        open_.pop_back();
        continue;
      }
      --left_;
      one(heap_.blocks[block][next++]);
    }
    open_.clear();
  }

private:
  struct Open {
    std::uint32_t block;
    std::size_t next;
  };

  void one(Value v) {
    digest_.add(static_cast<std::uint64_t>(v.tag()));
    if (v.is(Tag::Array)) {
      const auto [at, fresh] = met_.try_emplace(v.as_array().index, met_.size());
      digest_.add(at->second);
      if (fresh) open_.push_back({v.as_array().index, 0});
    } else if (v.is(Tag::Float)) {
      const double d = v.as_float();
      digest_.add(std::isnan(d) ? 0x7FF8'0000'0000'0000 : std::bit_cast<std::uint64_t>(d));
    } else {
      std::string text;
      if (!v.is(Tag::Unbound)) append_scalar(text, v, names_);
      digest_.add(text);
    }
  }

  Digest& digest_;
  const Heap& heap_;
  const Names& names_;
  std::unordered_map<std::uint32_t, std::uint64_t> met_;
  std::vector<Open> open_;
  std::uint64_t left_ = kDigestedCells;
};

} // namespace

void Digest::add(std::uint64_t word) {
  for (int byte = 0; byte < 8; ++byte) {
    hash_ ^= word >> (8 * byte) & 0xFF;
    hash_ *= 0x100'0000'01B3;
  }
}

void Digest::add(std::string_view text) {
  add(text.size());
  for (const char c : text) {
    hash_ ^= static_cast<unsigned char>(c);
    hash_ *= 0x100'0000'01B3;
  }
}

std::string Digest::hex() const { return fmt::format("{:016x}", hash_); }

Json frames_json(const Config& c, std::size_t count, const Names& names) {
  Json out = Json::array();
  for (const FrameView& f : views_of(c, count)) {
    Json values = Json::object();
    for (Slot s = 0; s < f.code->slots.size(); ++s)
      if (!f.env[s].is(Tag::Unbound))
        values[std::string(names.text(f.code->slots[s]))] =
            show(f.env[s], c.heap, names, kShownValue);
    out.push_back({{"at", position_name(*f.code, f.pc, names)}, {"values", std::move(values)}});
  }
  return out;
}

std::string frames_digest(const Config& c, std::size_t count, const Names& names) {
  Digest digest;
  Walk walk(digest, c.heap, names);
  for (const FrameView& f : views_of(c, count)) {
    digest.add(position_name(*f.code, f.pc, names));
    for (Slot s = 0; s < f.code->slots.size(); ++s) {
      if (f.env[s].is(Tag::Unbound)) continue;
      digest.add(names.text(f.code->slots[s]));
      walk.add(f.env[s]);
    }
  }
  return digest.hex();
}

std::string value_digest(Value value, const Heap& heap, const Names& names) {
  Digest digest;
  Walk(digest, heap, names).add(value);
  return digest.hex();
}

Json value_json(Value v, const Heap& heap, const Names& names, std::size_t limit) {
  switch (v.tag()) {
  case Tag::Nil:
  case Tag::Unbound: return {{"nil", nullptr}};
  case Tag::Bool: return {{"bool", v.as_bool()}};
  case Tag::Int: return {{"int", std::to_string(v.as_int())}};
  case Tag::Float: return {{"float", print_float(v.as_float())}};
  case Tag::String: return {{"string", names.text(v.as_string())}};
  case Tag::Fun: return {{"fun", names.text(v.as_fun())}};
  case Tag::Array: return {{"array", show(v, heap, names, limit)}};
  }
  return {};
}

Json environment_json(const ResolvedVersion& code, Env env, const Heap& heap, const Names& names) {
  Json out = Json::object();
  for (Slot slot = 0; slot < code.slots.size(); ++slot)
    if (!env[slot].is(Tag::Unbound))
      out[std::string(names.text(code.slots[slot]))] = value_json(env[slot], heap, names);
  return out;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string version_name(const ResolvedVersion& code, const Names& names) {
  return std::string(names.text(code.function)) + "." + std::string(names.text(code.version));
}

std::string position_name(const ResolvedVersion& code, Pc pc, const Names& names) {
  return version_name(code, names) + "+" + std::to_string(pc);
}

// The slots of a continuation start with its own names, not with parameters.
std::string version_text(const ResolvedVersion& code, const Names& names) {
  Program alone;
  Function& f = alone.functions.emplace_back();
  f.name = code.function;
  if (!code.source->cont) f.params.assign(code.slots.begin(), code.slots.begin() + code.parameters);
  f.versions.push_back(*code.source);
  return print(alone, names);
}

std::string instruction_text(const ResolvedVersion& code, Pc pc, const Names& names) {
  const auto& body = code.source->body;
  if (pc >= body.size()) return "(end of main)";
  return print_line(body[pc].instr, names);
}

std::vector<std::string> exit_targets(const resolved::Exit& exit, const Names& names) {
  std::vector<std::string> out{print(exit.frame.code->place(exit.frame.pc), names)};
  for (const resolved::OuterFrame& o : exit.outer)
    out.push_back(print(o.frame.code->place(o.frame.pc), names));
  return out;
}

} // namespace sourir
