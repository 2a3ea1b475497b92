// The stepper on a full screen (source, environment, continuations, heap, rule, output): its state,
// what keys do, what is drawn, and its command line.
#pragma once

#include "sourir/cli/tui/step_terminal.h"

#include <functional>
#include <optional>

namespace sourir {

// The command line at the bottom of the screen.
class Prompt {
public:
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;
  explicit Prompt(Complete complete) : complete_(std::move(complete)) {}

  void open(std::string text);
  bool is_open() const { return open_; }
  // Returns the line when it is entered, and adds it to the history. Escape, and Backspace in an
  // empty line, close the prompt.
  std::optional<std::string> key(const Key& key);

  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; } // in bytes
  // The completions that Tab found, if it found several.
  const std::string& candidates() const { return candidates_; }

private:
  void insert(char32_t character);
  void erase(std::size_t begin, std::size_t end);
  void recall(bool older);
  void complete();
  std::size_t before(std::size_t at) const;
  std::size_t after(std::size_t at) const;

  Complete complete_;
  bool open_ = false;
  std::string text_, candidates_;
  std::size_t cursor_ = 0;
  std::vector<std::string> history_;
  std::size_t recalled_ = 0; // index into history_; its size: none
};

// The state of the screen and the effects of keys, independent of a terminal.
class Screen {
public:
  explicit Screen(StepSession& session);

  void key(const Key& key);
  // For any size, also 0 by 0.
  Canvas draw(int rows, int columns);
  bool has_ended() const { return ended_; }
  // The message for drawing during a long walk.
  void say_working();

private:
  struct Scroll {
    std::size_t first = 0, left = 0;
    std::size_t total = 0, rows = 0, columns = 0; // at the last drawing
  };

  void command(const std::string& line);
  void show_answer(const StepReply& reply);
  void command_key(char32_t character);
  void scroll_key(Key::Kind kind);
  void popup_key(const Key& key);
  void toggle_breakpoint();
  void follow();
  void focus(int by);

  void draw_pane(Canvas& canvas, Pane pane, const Area& area);
  void draw_popup(Canvas& canvas, const Area& area);
  void draw_bottom(Canvas& canvas, const Layout& layout) const;
  std::string title() const;
  Scroll& scroll() { return scrolls_[static_cast<std::size_t>(focus_)]; }

  StepSession& session_;
  Prompt prompt_;
  std::array<Scroll, kPanes> scrolls_;
  Pane focus_ = Pane::Source;
  bool zoom_ = false, ended_ = false;
  std::uint32_t cursor_ = 1; // line of the source
  bool centre_ = true;       // centre the cursor at the next drawing
  std::string message_;
  bool error_ = false;
  std::vector<std::string> popup_; // lines of a long answer, over the panes
  std::size_t popup_first_ = 0;
};

// Runs the screen until `q`, the end of the input, or a signal that ends the process. Precondition:
// standard input and output are a terminal. Returns the exit status; nothing: the terminal cannot
// address its cells.
std::optional<int> run_screen(StepSession& session);

} // namespace sourir
