// What `opt` shows, checks and counts after each pass.
#pragma once

#include "sourir/cli/opt.h"
#include "sourir/cli/opt_verify.h"

namespace sourir {

class PassWatch {
public:
  // Keeps references to all; null: nothing is verified.
  PassWatch(const OptOptions& options, PassVerifier* verifier, Names& names)
      : options_(options), verifier_(verifier), names_(names) {}

  Verdict after(const PassEvent& event);
  // The end of the pipeline.
  void finish(const PipelineResult& result);
  int status() const { return status_; } // what `opt` exits with, kFine if nothing is wrong

private:
  void show(const PassEvent& event) const;
  bool over_limit(const PassReport& report);
  bool broken(const Program& program, const std::string& pass);

  const OptOptions& options_;
  PassVerifier* verifier_;
  Names& names_;
  std::uint64_t changes_ = 0;
  int status_ = 0;
};

} // namespace sourir
