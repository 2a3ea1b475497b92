// Processes that serve: one line for each request, within limits.
#include "sourir/os/process.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

using enum ProcessResult::Stop;

Process server(const std::string& script) {
  return Process({.words = {"/bin/sh", "-c", script},
                  .input = "first\n",
                  .own_group = true,
                  .serves = "MAY_SERVE"});
}

constexpr ProcessLimits kSmall{.seconds = 20, .output = 100, .output_must_fit = true};
constexpr const char* kEcho = "read x; echo \"$MAY_SERVE $x\" >&4; while read x <&3; do "
                              "echo \"again $x\" >&4; done";

TEST(ServingProcess, AnswersOneRequestAfterTheOther) {
  Process process = server(kEcho);
  const ProcessResult first = process.run(kSmall);
  EXPECT_EQ(first.stop, Answered);
  EXPECT_EQ(first.answer, "3,4 first");
  for (const char* const word : {"a", "b"}) {
    const ProcessResult next = process.request(word, kSmall);
    EXPECT_EQ(next.stop, Answered);
    EXPECT_EQ(next.answer, std::string("again ") + word);
  }
}

TEST(ServingProcess, MayStayAnOrdinaryOne) {
  Process process = server("cat");
  const ProcessResult done = process.run(kSmall);
  EXPECT_TRUE(done.fine());
  EXPECT_EQ(done.output, "first\n");
  EXPECT_LT(process.pid(), 0);
}

TEST(ServingProcess, IsKilledAtALimit) {
  const std::string first = "read x; echo 1 >&4; read x <&3; ";
  const std::pair<std::string, ProcessResult::Stop> mistakes[] = {
      {"yes", TooMuchOutput},
      {"yes | tr -d '\\n' >&4", TooMuchOutput},
      {"exec sleep 1000", OutOfTime},
      {"echo 2 >&4", Answered},
      {"printf '2\\n3\\n' >&4", NotOneLine},
      {"exit 5", None},
  };
  for (const auto& [then, stop] : mistakes) {
    Process process = server(first + then + "; read x <&3");
    ASSERT_EQ(process.run(kSmall).stop, Answered);
    ProcessLimits limits = kSmall;
    limits.seconds = stop == OutOfTime ? 0.2 : 20;
    EXPECT_EQ(process.request("x", limits).stop, stop) << then;
    EXPECT_EQ(process.pid() < 0, stop != Answered) << then;
  }
}

TEST(ServingProcess, AnswersOnlyWhenItIsAsked) {
  Process process = server("read x; echo 1 >&4; sleep 0.1; echo 2 >&4; echo done; read x <&3");
  ASSERT_EQ(process.run(kSmall).stop, Answered);
  for (std::string output; output.find("done") == std::string::npos;) process.read_into(output);
  const ProcessResult next = process.request("x", kSmall);
  EXPECT_EQ(next.how_it_ended(), "answered with more than one line");
  EXPECT_LT(process.pid(), 0);
}

} // namespace
} // namespace sourir
