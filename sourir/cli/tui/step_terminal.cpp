#include "sourir/cli/tui/step_terminal.h"

#include <curses.h>
#include <langinfo.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstring>
#include <cwchar>

extern "C" char* tigetstr(const char* name); // <term.h> also defines `columns` as a macro

namespace sourir {

namespace {

// --- A crash restores the terminal ---------------------------------------------------------------

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
struct termios g_before; // NOLINT(bugprone-dynamic-static-initializers): plain data
char g_leave[128];
std::size_t g_leave_size = 0;

extern "C" void on_fatal(int signal) { // the handler was reset: returning would loop
  (void)tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
  (void)!::write(STDOUT_FILENO, g_leave, g_leave_size);
  (void)::raise(signal);
}

void append_capability(const char* name) {
  const char* text = tigetstr(name);
  if (!text || text == reinterpret_cast<const char*>(-1)) return;
  const std::size_t size = std::strlen(text);
  if (g_leave_size + size > sizeof g_leave) return;
  std::memcpy(g_leave + g_leave_size, text, size);
  g_leave_size += size;
}

void guard_against_crashes() {
  g_leave_size = 0;
  for (const char* name : {"sgr0", "rmkx", "rmcup", "cnorm"}) append_capability(name);
  struct sigaction action{};
  action.sa_handler = on_fatal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (const int signal : kFatal) sigaction(signal, &action, nullptr);
}

// --- Styles --------------------------------------------------------------------------------------

enum : short { kYellow = 1, kMagenta, kRed, kCyan };

attr_t attributes(Style style, bool colour) {
  const auto in = [&](short pair) { return colour ? static_cast<attr_t>(COLOR_PAIR(pair)) : 0; };
  switch (style) {
  case Style::Plain:
  case Style::Message: return A_NORMAL;
  case Style::Title: return A_REVERSE;
  case Style::Heading: return A_DIM;
  case Style::Focus: return A_BOLD | in(kCyan);
  case Style::Here: return A_BOLD | (colour ? in(kYellow) : static_cast<attr_t>(A_REVERSE));
  case Style::Deopt: return A_BOLD | (colour ? in(kMagenta) : static_cast<attr_t>(A_REVERSE));
  case Style::Cursor: return A_UNDERLINE;
  case Style::Breakpoint: return colour ? in(kRed) : static_cast<attr_t>(A_BOLD);
  case Style::Error: return A_BOLD | in(kRed);
  case Style::Keys: return A_DIM;
  }
  return A_NORMAL;
}

bool start_colours(bool wanted) {
  if (!wanted || !has_colors() || start_color() == ERR) return false;
  use_default_colors();
  init_pair(kYellow, COLOR_BLACK, COLOR_YELLOW);
  init_pair(kMagenta, COLOR_WHITE, COLOR_MAGENTA);
  init_pair(kRed, COLOR_RED, -1);
  init_pair(kCyan, COLOR_CYAN, -1);
  return true;
}

// --- Text ----------------------------------------------------------------------------------------

bool& g_colour() {
  static bool colour = false;
  return colour;
}

// In a locale that is not UTF-8: lines in ASCII, `?` for everything else.
std::string in_ascii(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80)
      out += text[i];
    else if ((byte & 0xC0) != 0x80)
      out += text.compare(i, 3, "─") == 0 ? '-' : text[i] == "─"[0] ? '|' : '?';
  }
  return out;
}

bool locale_is_utf8() { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

Key special(wint_t code) {
  using enum Key::Kind;
  static constexpr struct {
    wint_t code;
    Key::Kind kind;
  } kKeys[] = {{KEY_ENTER, Enter},    {KEY_BTAB, BackTab}, {KEY_BACKSPACE, Backspace},
               {KEY_DC, Delete},      {KEY_UP, Up},        {KEY_DOWN, Down},
               {KEY_LEFT, Left},      {KEY_RIGHT, Right},  {KEY_PPAGE, PageUp},
               {KEY_NPAGE, PageDown}, {KEY_HOME, Home},    {KEY_END, End},
               {KEY_RESIZE, Resize}};
  for (const auto& key : kKeys)
    if (key.code == code) return {key.kind};
  return {};
}

Key plain(wint_t code) {
  switch (code) {
  case '\n':
  case '\r': return {Key::Kind::Enter};
  case '\t': return {Key::Kind::Tab};
  case 27: return {Key::Kind::Escape};
  case 8:
  case 127: return {Key::Kind::Backspace};
  default: return {Key::Kind::Character, static_cast<char32_t>(code)};
  }
}

} // namespace

std::unique_ptr<Terminal> Terminal::open(bool colour) {
  if (!locale_is_utf8()) {
    const std::string name = std::setlocale(LC_CTYPE, nullptr);
    if (name == "C" || name == "POSIX") std::setlocale(LC_CTYPE, "C.UTF-8"); // only a default
  }
  if (tcgetattr(STDIN_FILENO, &g_before) != 0) return {};
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (!screen) return {};
  if (!tigetstr("cup") || tigetstr("cup") == reinterpret_cast<char*>(-1)) {
    endwin();
    delscreen(screen);
    return {};
  }
  guard_against_crashes();
  g_colour() = start_colours(colour);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  set_escdelay(25);
  return std::unique_ptr<Terminal>(new Terminal);
}

Terminal::~Terminal() {
  endwin();
  for (const int signal : kFatal) std::signal(signal, SIG_DFL);
}

int Terminal::rows() const { return getmaxy(stdscr); }
int Terminal::columns() const { return getmaxx(stdscr); }

void Terminal::show(const Canvas& canvas) {
  erase();
  const bool utf8 = locale_is_utf8();
  for (const Piece& piece : canvas.pieces) {
    attrset(attributes(piece.style, g_colour()));
    mvaddstr(piece.y, piece.x, (utf8 ? piece.text : in_ascii(piece.text)).c_str());
  }
  attrset(A_NORMAL);
  const bool cursor = canvas.cursor_y >= 0;
  curs_set(cursor ? 1 : 0);
  move(cursor ? canvas.cursor_y : std::max(0, canvas.rows - 1), cursor ? canvas.cursor_x : 0);
  refresh();
}

Key Terminal::read() {
  wint_t code = 0;
  const int kind = get_wch(&code);
  if (kind == ERR) { // a signal (errno is not kept), or a closed input
    constexpr int kMost = 20;
    return {++failed_reads_ < kMost ? Key::Kind::None : Key::Kind::Closed};
  }
  failed_reads_ = 0;
  if (kind != KEY_CODE_YES && code == 0x0C) clearok(curscr, TRUE); // Ctrl-L: redraw
  return kind == KEY_CODE_YES ? special(code) : plain(code);
}

} // namespace sourir
