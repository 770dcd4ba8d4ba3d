// Waves and work-groups between uses. One pool a thread, so no locks; freed when the thread ends.
#pragma once
#include <memory>
#include <vector>

#include "simt/wave.h"

namespace w2w::simt {

class Pool {
 public:
  std::unique_ptr<Workgroup> take_group();  // throws std::bad_alloc
  std::unique_ptr<Wave> take_wave();        // throws std::bad_alloc
  // Keeps a few for the next use and frees the rest. A group keeps its waves.
  void give_back(std::unique_ptr<Workgroup> group);
  void give_back(std::unique_ptr<Wave> wave);

 private:
  std::vector<std::unique_ptr<Workgroup>> groups_;
  std::vector<std::unique_ptr<Wave>> waves_;
  size_t kept_waves_ = 0;  // in `waves_` and in groups
};

}  // namespace w2w::simt
