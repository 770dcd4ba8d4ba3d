// Events: points in time, and points in a capture.
#pragma once
#include <memory>
#include <vector>

#include "cudart/graphs.h"

namespace w2w::cudart {

struct Capture;

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  double milliseconds = 0;
  std::shared_ptr<Capture> capture;  // set while it was recorded in a capture
  std::vector<Node*> captured;
};

Event* find_event(cudaEvent_t handle);

}  // namespace w2w::cudart
