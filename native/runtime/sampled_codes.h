// The sampled code objects: their records, and the lookup of records by address and by name.
//
// Owns: the records (profiler/sampled_code.h), for as long as the run and its report.
// Never: takes a sample, or decides what follows from one.
// Threads: make() and publish(): one at a time; remove(): the thread of the program; find(): a
// signal handler on it; published() and all(): any, also while another thread makes records.
#pragma once

#include "native/runtime/native_code.h"
#include "profiler/sampled_code.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sourir::native {

class SampledCodes {
public:
  // Called for each code object that is published, on the thread that publishes. May be empty.
  void on_publish(std::function<void()> call) { on_publish_ = std::move(call); }

  // A new record for a code object that will be compiled from this version. It lies below 2 GiB if
  // the system has such memory: then its address is an operand of an instruction.
  profiler::SampledCode& make(const std::string& version);
  // Precondition: the code is compiled, and the record's description of it is complete.
  void publish(profiler::SampledCode& code);
  // The instrumented code for that of the record may be entered.
  void add_instrumented(profiler::SampledCode& sampled, const NativeCode& code);
  // The code is about to be freed.
  void remove(const profiler::SampledCode& code);

  profiler::SampledCode* find(std::uint64_t address) const { return table_.find(address); }
  profiler::SampledCode* published(const std::string& name) const; // null: none (yet)
  struct Records {
    std::vector<std::shared_ptr<const profiler::SampledCode>>
        published;                        // in the order of their ids
    std::vector<std::string> unpublished; // names of those whose code is not compiled (yet)
    std::vector<std::string> names;       // of both, by id
  };
  Records all() const;

private:
  profiler::CodeTable table_;
  mutable std::mutex mutex_;                                 // of the following
  std::deque<std::shared_ptr<profiler::SampledCode>> codes_; // in the order of their ids
  std::map<std::string, std::uint32_t> numbers_;             // by version: code objects so far
  std::map<std::string, profiler::SampledCode*> published_;
  std::function<void()> on_publish_;
};

} // namespace sourir::native
