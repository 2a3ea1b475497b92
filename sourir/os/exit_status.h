// The exit statuses of the process; the numbers from 64 on are those of sysexits.h. `run` also
// exits with the program's own result, 0 to 255: --json tells the two apart.
#pragma once

namespace sourir::exit_status {

inline constexpr int kFine = 0;
inline constexpr int kFound = 1;        // a check has a finding
inline constexpr int kInconclusive = 2; // a check has no answer
inline constexpr int kUsage = 64;
inline constexpr int kRejected = 65;   // the program is not well-formed
inline constexpr int kUnreadable = 66; // a file cannot be read
inline constexpr int kStuck = 67;
inline constexpr int kLimit = 68;      // also: the machine has no more memory
inline constexpr int kBug = 70;        // of sourir itself
inline constexpr int kUnwritable = 74; // the output cannot be written
inline constexpr int kInterrupted = 130;
inline constexpr int kNobodyReads = 141; // the reader of a pipe has closed it: as if by SIGPIPE

} // namespace sourir::exit_status
