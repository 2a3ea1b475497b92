// The terminal: output of pieces of text, input of keys. Only step_terminal.cpp uses ncurses.
#pragma once

#include "sourir/cli/tui/step_panes.h"

#include <memory>
#include <string>
#include <vector>

namespace sourir {

struct Key {
  enum class Kind : std::uint8_t {
    None, // no key; perhaps a signal
    Character,
    Enter,
    Tab,
    BackTab,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Resize,
    Closed, // the input has ended
  };
  Kind kind = Kind::None;
  char32_t character = 0;
};

// A piece of a row. The text is visible (step_columns.h) and lies inside the screen.
struct Piece {
  int y = 0, x = 0;
  std::string text;
  Style style = Style::Plain;
};

struct Canvas {
  int rows = 0, columns = 0;
  std::vector<Piece> pieces;
  int cursor_y = -1, cursor_x = -1; // -1: not shown
};

class Terminal {
public:
  // Empty if this terminal cannot address its cells.
  static std::unique_ptr<Terminal> open(bool colour);
  ~Terminal(); // restores the terminal
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int rows() const;
  int columns() const;
  void show(const Canvas& canvas);
  Key read();

private:
  Terminal() = default;

  int failed_reads_ = 0; // in a row
};

} // namespace sourir
