#include "sourir/syntax/text/printer.h"

#include "sourir/syntax/text/print_state.h"

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kIndent = 2;     // of instructions, where labels have lines of their own
constexpr std::size_t kMaxGutter = 16; // a longer label gets a line of its own

bool needs_header(const Function& function, const Names& names) {
  const Version& version = function.versions.front();
  return function.versions.size() > 1 || names.text(version.name) != "anon" || version.cont ||
         !version.when.empty() || !version.comments.empty();
}

// Whether a main can be printed as the leading lines of the file.
bool goes_without_header(const Function& function, const Names& names) {
  if (!function.implicit || names.text(function.name) != "main" || !function.params.empty() ||
      !function.comments.empty() || needs_header(function, names))
    return false;
  const Version& version = function.versions.front();
  return !version.body.empty() || !version.end.labels.empty() || !version.end.scopes.empty();
}

bool has(CommentSlot comments, bool own_line) {
  return std::any_of(comments.begin(), comments.end(),
                     [own_line](const Comment* c) { return c->own_line == own_line; });
}

std::uint32_t label_count(const Marks& marks) {
  return static_cast<std::uint32_t>(marks.labels.size());
}

bool has_labels(const Version& version) {
  return !version.end.labels.empty() ||
         std::any_of(version.body.begin(), version.body.end(),
                     [](const Stmt& stmt) { return !stmt.marks.labels.empty(); });
}

} // namespace

void Printer::program(const Program& program) {
  for (const Function& f : program.functions) function(f, &f == &program.functions.front());
  while (out_.ends_with("\n\n")) out_.pop_back();
}

void Printer::function(const Function& function, bool first) {
  if (function.versions.empty()) return;
  const bool script = first && goes_without_header(function, names_);
  if (!script) {
    const CommentSlots comments(function.comments, 0);
    own_lines(comments.at(0), 0);
    put("function "), put(text(function.name)), put("("), params(function), put(")");
    line_ends(comments.at(0)), end_line();
  }
  const bool headers = needs_header(function, names_);
  for (const Version& v : function.versions) {
    if (headers) version_header(v);
    gutter_ = script && !has_labels(v) ? 0 : kIndent;
    version(v, script);
  }
}

void Printer::params(const Function& function) {
  std::string_view separator;
  for (const Var x : function.params) {
    put(separator), put(paper_ ? "" : "var "), put(text(x));
    separator = ", ";
  }
}

void Printer::version(const Version& version, bool script) {
  quiet_ = true;
  uses_.clear();
  if (paper_)
    find_gutter(version);
  else
    find_sigils(version);
  bool first = true;
  for (const Stmt& stmt : version.body) {
    line(stmt.marks, &stmt.instr, first && script ? 0 : gutter_);
    first = false;
  }
  line(version.end, nullptr, 0);
  quiet_ = out_.empty() || out_.ends_with("\n\n"); // the body may have been empty
}

void Printer::version_header(const Version& version) {
  const CommentSlots comments(version.comments, 0);
  own_lines(comments.at(0), 0);
  put("version "), put(text(version.name));
  if (version.cont) {
    put(" cont "), put(text(version.cont->entry)), put(" [");
    std::string_view separator;
    for (const Var x : version.cont->names) {
      put(separator), put(text(x));
      separator = ", ";
    }
    put("]");
  }
  if (!version.when.empty()) put(" when ["), list(version.when), put("]");
  line_ends(comments.at(0)), end_line();
}

void Printer::line(const Marks& marks, const Instruction* instr, std::size_t indent) {
  const CommentSlots slots(marks.comments, label_count(marks));
  const CommentSlot comments = slots.at(label_count(marks));
  const bool same_line = labels(marks, slots, instr != nullptr && marks.scopes.empty());
  if (!same_line) own_lines(comments, indent);
  if (instr == nullptr && marks.scopes.empty()) {
    for (const Comment* comment : comments)
      if (!comment->own_line) own_line(*comment, indent);
    return;
  }
  if (!same_line) out_.append(gutter_, ' ');
  scopes(marks);
  if (instr != nullptr) {
    if (!marks.scopes.empty()) put(" ");
    instruction(*instr, gutter_, true);
  }
  line_ends(comments);
  end_line();
}

bool Printer::labels(const Marks& marks, const CommentSlots& comments, bool before_instruction) {
  const std::uint32_t count = label_count(marks);
  for (std::uint32_t k = 0; k < count; ++k) {
    const CommentSlot here = comments.at(k);
    own_lines(here, 0);
    label(marks.labels[k]);
    const std::size_t width = text(marks.labels[k]).size() + 2;
    if (paper_ && before_instruction && k + 1 == count && width <= gutter_ && !has(here, false) &&
        !has(comments.at(count), true)) {
      out_.append(gutter_ - width + 1, ' ');
      return true;
    }
    line_ends(here);
    end_line();
  }
  return false;
}

void Printer::label(Label label) {
  if (!paper_) {
    const auto use = uses_.find(label);
    const std::uint8_t bits = use == uses_.end() ? 0 : use->second;
    put(bits == 0 ? ">" : bits == kBranch ? "$" : "");
  }
  put(text(label)), put(":");
}

void Printer::scopes(const Marks& marks) {
  std::string_view before;
  for (const ScopeNote& note : marks.scopes) {
    put(before), put("{");
    std::string_view separator;
    for (const Var x : note.names) {
      put(separator), put(text(x));
      separator = ", ";
    }
    if (note.open) put(separator), put("...");
    put("}");
    before = " ";
  }
}

void Printer::find_sigils(const Version& version) {
  for (const Stmt& stmt : version.body) {
    if (const auto* branch = std::get_if<Branch>(&stmt.instr)) {
      uses_[branch->if_true] |= kBranch;
      uses_[branch->if_false] |= kBranch;
    } else if (const auto* go = std::get_if<Goto>(&stmt.instr)) {
      uses_[go->target] |= kGoto;
    }
  }
}

void Printer::find_gutter(const Version& version) {
  for (const Stmt& stmt : version.body) {
    if (stmt.marks.labels.empty()) continue;
    const std::size_t width = text(stmt.marks.labels.back()).size() + 2;
    if (width <= kMaxGutter) gutter_ = std::max(gutter_, width);
  }
}

CommentSlots::CommentSlots(const std::vector<Comment>& comments, std::uint32_t last_slot)
    : last_slot_(last_slot) {
  sorted_.reserve(comments.size());
  for (const Comment& comment : comments) sorted_.push_back(&comment);
  // All point into one vector, so that addresses keep the order of equals.
  const auto before = [](const Comment* a, const Comment* b) {
    return a->slot != b->slot ? a->slot < b->slot : a < b;
  };
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), before))
    std::sort(sorted_.begin(), sorted_.end(), before);
}

CommentSlot CommentSlots::at(std::uint32_t slot) const {
  const auto before = [](const Comment* comment, std::uint32_t s) { return comment->slot < s; };
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), slot, before);
  const auto last =
      slot >= last_slot_ ? sorted_.end() : std::lower_bound(first, sorted_.end(), slot + 1, before);
  return {first, last};
}

void Printer::own_lines(CommentSlot comments, std::size_t indent) {
  for (const Comment* comment : comments)
    if (comment->own_line) own_line(*comment, indent);
}

void Printer::own_line(const Comment& comment, std::size_t indent) {
  if (comment.own_line && comment.text.empty()) {
    if (!quiet_) out_ += '\n';
    quiet_ = true;
    return;
  }
  out_.append(indent, ' ');
  comment_text(comment);
  end_line();
}

void Printer::line_ends(CommentSlot comments) {
  for (const Comment* comment : comments)
    if (!comment->own_line) put(" "), comment_text(*comment);
}

// A comment ends with its line, whoever made it.
void Printer::comment_text(const Comment& comment) {
  put("#");
  for (const char c : comment.text.substr(0, comment.text.find_last_not_of(" \t\r\v\f") + 1))
    out_ += c == '\n' ? ' ' : c;
}

std::string print(const Program& program, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.program(program);
  return printer.take();
}

} // namespace sourir
