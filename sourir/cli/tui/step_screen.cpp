#include "sourir/cli/tui/step_screen.h"

#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"
#include "sourir/stepper/step_columns.h"
#include "sourir/stepper/step_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

// --- What keys do --------------------------------------------------------------------------------

namespace {

struct KeyRow {
  char32_t key;
  std::string_view command;
};
constexpr KeyRow kKeyCommands[] = {
    {'s', "step"},   {'b', "back"},           {'n', "next"},     {'N', "reverse-next"},
    {'f', "finish"}, {'F', "reverse-finish"}, {'c', "continue"}, {'r', "reverse-continue"},
    {'d', "deopt"},  {'D', "reverse-deopt"}};

constexpr std::string_view kHelp =
    "s step          b back             one rule forward, back\n"
    "n next          N reverse-next     over a call\n"
    "f finish        F reverse-finish   out of the frame\n"
    "c continue      r reverse-continue to a breakpoint, the end, the start\n"
    "d deopt         D reverse-deopt    to just before a deoptimization\n"
    "B               set or remove a breakpoint at the line of the cursor\n"
    "arrows, PgUp, PgDn, Home, End      scroll the pane that has the focus\n"
    "Tab, Shift-Tab  give the focus to the next, the previous pane\n"
    "z               the pane with the focus alone, or all panes again\n"
    ".               back to the line that is done next\n"
    ":               a command, as below; Tab completes, Up recalls\n"
    "Enter           the last move again\n"
    "q               quit\n"
    "\n";

} // namespace

Screen::Screen(StepSession& session)
    : session_(session),
      prompt_([this](std::string_view line) { return session_.complete(line); }) {
  message_ = "? helps, q quits";
  follow();
}

void Screen::say_working() {
  error_ = false;
  message_ = fmt::format("working, {} steps; Ctrl-C interrupts", session_.walker().config().steps);
}

void Screen::key(const Key& key) {
  if (prompt_.is_open()) {
    const std::optional<std::string> line = prompt_.key(key);
    message_ = visible(prompt_.candidates());
    error_ = false;
    if (line)
      for (const std::string_view one : commands_in(*line)) command(std::string(one));
  } else if (!popup_.empty()) {
    popup_key(key);
  } else if (key.kind == Key::Kind::Character) {
    command_key(key.character);
  } else if (key.kind == Key::Kind::Enter) {
    command("");
  } else if (key.kind == Key::Kind::Tab || key.kind == Key::Kind::BackTab) {
    focus(key.kind == Key::Kind::Tab ? 1 : -1);
  } else {
    scroll_key(key.kind);
  }
}

void Screen::command_key(char32_t character) {
  const auto* row = std::ranges::find(kKeyCommands, character, &KeyRow::key);
  if (row != std::end(kKeyCommands)) return command(std::string(row->command));
  message_.clear();
  switch (character) {
  case 'q': ended_ = true; break;
  case ':': prompt_.open(""); break;
  case 'g': prompt_.open("goto "); break;
  case 'B': toggle_breakpoint(); break;
  case 'z': zoom_ = !zoom_; break;
  case '.': follow(); break;
  case 0x0C: // Ctrl-L
    break;
  case '?':
  case 'h':
    popup_ = lines_of(std::string(kHelp) + session_.execute("help").text());
    popup_first_ = 0;
    break;
  default: message_ = "? shows what the keys do";
  }
}

void Screen::command(const std::string& line) {
  const std::uint64_t before = session_.walker().config().steps;
  const StepReply reply = session_.execute(line);
  show_answer(reply);
  ended_ = ended_ || reply.quit;
  if (session_.walker().config().steps != before) follow();
  if (const auto* view = std::get_if<StepView>(&reply.answer))
    if (const auto* list = std::get_if<ListView>(view); list && !list->lines.empty()) {
      cursor_ = list->lines[list->lines.size() / 2].number;
      centre_ = true;
    }
}

// A move is one line, as the panes show the rest; answers of several lines become a popup.
void Screen::show_answer(const StepReply& reply) {
  error_ = !reply.ok();
  std::vector<std::string> lines = lines_of(reply.text());
  const auto* view = std::get_if<StepView>(&reply.answer);
  if (const auto* move = view ? std::get_if<MoveView>(view) : nullptr) {
    const std::string why = why_text(*move);
    message_ =
        move->steps.size() == 1
            ? (move->direction == StepDirection::Back ? "undone: " : "") + step_text(move->steps[0])
            : fmt::format("{} step{} {}", move->moved, move->moved == 1 ? "" : "s",
                          move->direction == StepDirection::Back ? "undone" : "done");
    message_ = visible(why.empty() ? message_ : message_ + "; " + why);
  } else if (view && std::holds_alternative<ListView>(*view)) {
    message_.clear();
  } else if (lines.size() > 1) {
    popup_ = std::move(lines);
    popup_first_ = 0;
    message_.clear();
  } else {
    message_ = lines.empty() ? "" : lines.front();
  }
}

void Screen::toggle_breakpoint() {
  std::uint32_t number = 0;
  for (const StepPosition at : session_.program().positions_on(cursor_))
    number = std::max(number, session_.walker().breakpoints().at(at));
  command(number != 0 ? fmt::format("delete {}", number) : fmt::format("break {}", cursor_));
  if (!popup_.empty()) { // the answer of `break` has several lines
    message_ = "breakpoint set";
    popup_.clear();
  }
}

void Screen::follow() {
  const Walker& walker = session_.walker();
  if (!walker.config().stopped()) cursor_ = session_.program().line(walker.position());
  centre_ = true;
  for (const Pane pane : {Pane::NextRule, Pane::Stack, Pane::Heap})
    scrolls_[static_cast<std::size_t>(pane)].first = 0;
  scrolls_[static_cast<std::size_t>(Pane::Output)].first = ~std::size_t{0}; // its end
}

void Screen::focus(int by) {
  const auto next = static_cast<std::size_t>(static_cast<int>(focus_) + by + int{kPanes});
  focus_ = static_cast<Pane>(next % kPanes);
}

void Screen::popup_key(const Key& key) {
  constexpr std::size_t kPage = 10;
  using enum Key::Kind;
  if (key.kind == Resize || key.kind == None) return;
  const std::size_t most = popup_.size() - 1;
  if (key.kind == Down)
    popup_first_ = std::min(popup_first_ + 1, most);
  else if (key.kind == PageDown)
    popup_first_ = std::min(popup_first_ + kPage, most);
  else if (key.kind == Up)
    popup_first_ -= popup_first_ > 0;
  else if (key.kind == PageUp)
    popup_first_ -= std::min(popup_first_, kPage);
  else
    popup_.clear();
}

void Screen::scroll_key(Key::Kind kind) {
  using enum Key::Kind;
  Scroll& s = scroll();
  const std::size_t page = std::max<std::size_t>(s.rows, 2) - 1;
  const std::size_t end = s.total > 0 ? s.total - 1 : 0;
  const bool source = focus_ == Pane::Source;
  std::size_t at = source ? cursor_ - 1 : s.first;
  if (kind == Up) at -= at > 0;
  if (kind == Down) at += 1;
  if (kind == PageUp) at -= std::min(at, page);
  if (kind == PageDown) at += page;
  if (kind == Home) at = 0;
  if (kind == End) at = source ? end : s.total - std::min(s.total, s.rows);
  if (kind == Left) s.left -= std::min<std::size_t>(s.left, 8);
  if (kind == Right) s.left += 8;
  at = std::min(at, end);
  if (source)
    cursor_ = static_cast<std::uint32_t>(at + 1);
  else
    s.first = at;
}

// --- The loop of keys ----------------------------------------------------------------------------

std::optional<int> run_screen(StepSession& session) {
  standard_output().flush();
  const std::unique_ptr<Terminal> terminal = Terminal::open(colour_on(STDOUT_FILENO));
  if (!terminal) return {};
  Screen screen(session);
  const auto show = [&] { terminal->show(screen.draw(terminal->rows(), terminal->columns())); };
  session.walker().on_progress([&] {
    screen.say_working();
    show();
  });
  while (!screen.has_ended() && SignalWatch::ending() == 0) {
    show();
    const Key key = terminal->read();
    if (key.kind == Key::Kind::Closed) break;
    if (SignalWatch::ending() != 0) break;
    SignalWatch::interrupt() = false;
    screen.key(key);
  }
  session.walker().on_progress({});
  return exit_status::kFine;
}

// --- Drawing -------------------------------------------------------------------------------------

namespace {

void put(Canvas& canvas, const Area& area, int row, std::string_view text, Style style) {
  if (area.empty() || row >= area.rows) return;
  canvas.pieces.push_back(
      {area.y + row, area.x, cut(text, 0, static_cast<std::size_t>(area.columns)), style});
}

std::string padded(std::string text, int width, const char* with) {
  for (auto n = static_cast<int>(columns(text)); n < width; ++n) text += with;
  return text;
}

void draw_separator(Canvas& canvas, const Layout& layout) {
  const auto heading = [&](int row, bool left) {
    return std::ranges::any_of(layout.panes, [&](const Area& pane) {
      return !pane.empty() && pane.y == row && (pane.x == 0) == left;
    });
  };
  for (int row = 0; row < layout.separator.rows; ++row) {
    const bool left = heading(layout.separator.y + row, true);
    const bool right = heading(layout.separator.y + row, false);
    put(canvas, layout.separator, row,
        left    ? right ? "┼" : "┤"
        : right ? "├"
                : "│",
        Style::Heading);
  }
}

} // namespace

std::string Screen::title() const {
  const HereView here = view_here(session_.view_context());
  const std::string name = session_.program().source().name();
  std::string text = fmt::format(" step {}  ", here.step);
  text += here.at ? fmt::format("{}  line {}", here.at->place, here.at->line) : "stopped";
  text += here.end.empty() ? "  " + here.rule + " fires next" : "  " + here.end;
  return visible(fmt::format("{}   {}", text, name));
}

void Screen::draw_pane(Canvas& canvas, Pane pane, const Area& area) {
  if (area.empty()) return;
  Scroll& s = scrolls_[static_cast<std::size_t>(pane)];
  s.rows = static_cast<std::size_t>(area.rows - 1);
  s.columns = static_cast<std::size_t>(area.columns);
  PaneText text;
  if (pane == Pane::Source) {
    const std::size_t at = cursor_ - 1;
    if (centre_ ? at < s.first + 1 || at + 2 > s.first + s.rows : at < s.first)
      s.first = centre_ ? at - std::min(at, s.rows / 2) : at;
    else if (s.rows > 0 && at >= s.first + s.rows)
      s.first = at + 1 - s.rows;
    centre_ = false;
  } else {
    s.total = view_pane(session_, pane, {0, 0, s.columns, 0, 0}).total;
    s.first = std::min(s.first, s.total - std::min(s.total, std::max<std::size_t>(s.rows, 1)));
  }
  text = view_pane(session_, pane, {s.first, s.rows, s.columns, s.left, cursor_});
  s.total = text.total;
  const bool more = s.first + s.rows < s.total;
  const std::string heading =
      fmt::format("─ {}{} ", text.heading, more ? fmt::format(" (more below)") : "");
  put(canvas, area, 0, padded(heading, area.columns, "─"),
      pane == focus_ ? Style::Focus : Style::Heading);
  for (std::size_t i = 0; i < text.lines.size(); ++i)
    put(canvas, area, static_cast<int>(i + 1), text.lines[i].text, text.lines[i].style);
}

void Screen::draw_popup(Canvas& canvas, const Area& area) {
  if (area.empty()) return;
  std::vector<std::string> lines;
  for (const std::string& line : popup_)
    for (std::string& part : wrap(line, static_cast<std::size_t>(area.columns)))
      lines.push_back(std::move(part));
  const auto room = static_cast<std::size_t>(area.rows - 1);
  popup_first_ =
      std::min(popup_first_, lines.size() - std::min(lines.size(), std::max<std::size_t>(room, 1)));
  const bool more = popup_first_ + room < lines.size();
  put(canvas, area, 0,
      padded(more ? "─ answer (more below: Down, PgDn; any other key closes) "
                  : "─ answer (any key closes) ",
             area.columns, "─"),
      Style::Focus);
  for (std::size_t i = 0; i < room && popup_first_ + i < lines.size(); ++i)
    put(canvas, area, static_cast<int>(i + 1), lines[popup_first_ + i], Style::Plain);
}

void Screen::draw_bottom(Canvas& canvas, const Layout& layout) const {
  put(canvas, layout.keys, 0,
      " ? help  q quit  s/b step/back  d/D deopt  c/r continue  n/N next  f/F finish  B break  "
      ": command  Tab pane  z zoom",
      Style::Keys);
  const Area& area = layout.message;
  if (!prompt_.is_open()) {
    put(canvas, area, 0, message_, error_ ? Style::Error : Style::Message);
    return;
  }
  const auto width = static_cast<std::size_t>(area.columns);
  const std::string line = ":" + visible(prompt_.text());
  const std::size_t at = columns(":" + visible(prompt_.text().substr(0, prompt_.cursor())));
  const std::size_t from = at + 1 > width ? at + 1 - width : 0;
  put(canvas, area, 0, cut(line, from, width), Style::Message);
  canvas.cursor_y = area.y;
  canvas.cursor_x = area.x + static_cast<int>(at - from);
  if (!message_.empty() && !layout.keys.empty()) {
    canvas.pieces.pop_back(); // the line moves below the candidates
    put(canvas, area, 0, message_, Style::Message);
    std::erase_if(canvas.pieces, [](const Piece& piece) { return piece.style == Style::Keys; });
    put(canvas, layout.keys, 0, cut(line, from, width), Style::Message);
    canvas.cursor_y = layout.keys.y;
  }
}

Canvas Screen::draw(int rows, int columns) {
  Canvas canvas{rows, columns, {}};
  const Layout layout =
      lay_out(rows, columns, focus_, zoom_ || !popup_.empty(), deopt_rows(session_, columns));
  put(canvas, layout.title, 0, padded(title(), columns, " "), Style::Title);
  if (!popup_.empty()) {
    draw_popup(canvas, layout.pane(focus_));
  } else {
    for (std::size_t pane = 0; pane < kPanes; ++pane)
      draw_pane(canvas, static_cast<Pane>(pane), layout.panes[pane]);
    if (!zoom_) draw_separator(canvas, layout);
  }
  if (!layout.message.empty()) draw_bottom(canvas, layout);
  return canvas;
}

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string utf8(char32_t c) {
  const auto tail = [](char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(c)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(c >> 6), tail(c)};
  return {static_cast<char>(0xF0 | c >> 18), tail(c >> 12), tail(c >> 6), tail(c)};
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, other] = std::ranges::mismatch(common, word);
    common.erase(end, common.end());
  }
  return common;
}

} // namespace

void Prompt::open(std::string text) {
  open_ = true;
  text_ = std::move(text);
  cursor_ = text_.size();
  recalled_ = history_.size();
  candidates_.clear();
}

std::size_t Prompt::before(std::size_t at) const {
  while (at > 0 && continues(text_[--at])) {
  }
  return at;
}

std::size_t Prompt::after(std::size_t at) const {
  while (at < text_.size() && ++at < text_.size() && continues(text_[at])) {
  }
  return at;
}

void Prompt::erase(std::size_t begin, std::size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

void Prompt::insert(char32_t character) {
  constexpr std::size_t kLongest = 4000;
  if (character == 0x15) erase(0, cursor_); // Ctrl-U
  if (character < 0x20 || character == 0x7F || text_.size() > kLongest) return;
  const std::string bytes = utf8(character);
  text_.insert(cursor_, bytes);
  cursor_ += bytes.size();
}

void Prompt::recall(bool older) {
  if (older ? recalled_ == 0 : recalled_ >= history_.size()) return;
  recalled_ = older ? recalled_ - 1 : recalled_ + 1;
  text_ = recalled_ < history_.size() ? history_[recalled_] : std::string();
  cursor_ = text_.size();
}

void Prompt::complete() {
  const std::string head = text_.substr(0, cursor_);
  const std::vector<std::string> words = complete_(head);
  if (words.empty()) return;
  const std::size_t blank = head.find_last_of(" \t");
  const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
  const std::string common = common_beginning(words) + (words.size() == 1 ? " " : "");
  text_.replace(begin, cursor_ - begin, common);
  cursor_ = begin + common.size();
  if (words.size() > 1)
    for (const std::string& word : words) candidates_ += word + "  ";
}

std::optional<std::string> Prompt::key(const Key& key) {
  using enum Key::Kind;
  candidates_.clear();
  switch (key.kind) {
  case Character: insert(key.character); break;
  case Backspace:
    if (text_.empty()) open_ = false;
    erase(before(cursor_), cursor_);
    break;
  case Delete: erase(cursor_, after(cursor_)); break;
  case Left: cursor_ = before(cursor_); break;
  case Right: cursor_ = after(cursor_); break;
  case Home: cursor_ = 0; break;
  case End: cursor_ = text_.size(); break;
  case Up:
  case Down: recall(key.kind == Up); break;
  case Tab: complete(); break;
  case Escape: open_ = false; break;
  case Enter:
    open_ = false;
    if (!text_.empty() && (history_.empty() || history_.back() != text_)) history_.push_back(text_);
    return text_;
  default: break;
  }
  return {};
}

} // namespace sourir
