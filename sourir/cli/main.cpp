#include "sourir/cli/run_main.h"

#include <algorithm>

int main(int argc, char** argv) {
  return sourir::run_main({argv + std::min(argc, 1), argv + argc});
}
