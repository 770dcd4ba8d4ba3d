// Instantiated graphs: a copy of the graph, which launches run.
#include <algorithm>
#include <set>

#include "cudart/errors.h"
#include "cudart/graphs.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

struct Executable {
  std::shared_ptr<Graph> graph;
  std::vector<const Node*> originals;  // nodes of the source graph, by position
  unsigned long long flags = 0;
};

std::mutex mutex;
std::set<Executable*>& executables() {
  static auto* instance = new std::set<Executable*>;
  return *instance;
}

template <class Body>
cudaError_t with_executable(cudaGraphExec_t handle, Body body) {
  return api([&] {
    auto* executable = reinterpret_cast<Executable*>(handle);
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!executables().count(executable)) return cudaErrorInvalidValue;
    }
    return body(*executable);
  });
}

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph, unsigned long long flags) {
  Graph* found = find_graph(graph);
  if (!handle || !found) return cudaErrorInvalidValue;
  if (!found->nodes.empty() && found->order().empty()) return cudaErrorInvalidValue;
  auto* executable = new Executable;
  executable->graph = found->clone();
  executable->flags = flags;
  for (auto& node : found->nodes) executable->originals.push_back(node.get());
  std::lock_guard<std::mutex> lock(mutex);
  executables().insert(executable);
  *handle = reinterpret_cast<cudaGraphExec_t>(executable);
  return cudaSuccess;
}

// The executable's own node for a node of the graph that it was made from.
Node* find_twin(Executable& executable, cudaGraphNode_t original) {
  auto& originals = executable.originals;
  auto place = std::find(originals.begin(), originals.end(), as_node(original));
  return place == originals.end() ? nullptr
                                  : executable.graph->nodes[static_cast<size_t>(place - originals.begin())].get();
}

template <class Params>
cudaError_t set_params(cudaGraphExec_t handle, cudaGraphNode_t original, const Params* params) {
  return with_executable(handle, [&](Executable& executable) {
    Node* node = find_twin(executable, original);
    if (!node || !params) return cudaErrorInvalidValue;
    Operation operation;
    cudaError_t error = operation_from(*params, &operation);
    if (error == cudaSuccess && operation.index() != node->operation.index()) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) error = check(operation);
    if (error == cudaSuccess) node->operation = std::move(operation);
    return error;
  });
}

// The same nodes of the same kinds with the same edges.
bool same_shape(const Graph& a, const Graph& b) {
  auto position = [](const Graph& graph, const Node* node) {
    return std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](auto& n) { return n.get() == node; }) -
           graph.nodes.begin();
  };
  if (a.nodes.size() != b.nodes.size()) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &x = *a.nodes[i], &y = *b.nodes[i];
    if (x.operation.index() != y.operation.index() || x.dependencies.size() != y.dependencies.size()) return false;
    for (size_t j = 0; j < x.dependencies.size(); ++j)
      if (position(a, x.dependencies[j]) != position(b, y.dependencies[j])) return false;
  }
  return true;
}

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return api([&] { return instantiate(executable, graph, flags); });
}
W2W_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                  unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
W2W_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                   cudaGraphInstantiateParams* params) {
  if (!params) return record_error(cudaErrorInvalidValue);
  cudaError_t error = cudaGraphInstantiate(executable, graph, params->flags);
  params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}

W2W_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return with_executable(handle, [](Executable& executable) {
    std::lock_guard<std::mutex> lock(mutex);
    executables().erase(&executable);
    delete &executable;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return with_executable(handle,
                         [&](Executable& executable) { return submit(stream, ChildOperation{executable.graph}); });
}

W2W_API cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  return with_executable(
      handle, [&](Executable&) { return find_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

W2W_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  return with_executable(handle, [&](Executable& executable) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = executable.flags;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                        cudaGraphExecUpdateResultInfo* info) {
  return with_executable(handle, [&](Executable& executable) {
    Graph* found = find_graph(graph);
    if (!found || !info) return cudaErrorInvalidValue;
    *info = cudaGraphExecUpdateResultInfo{};
    if (!same_shape(*executable.graph, *found)) {
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    executable.graph = found->clone();
    executable.originals.clear();
    for (auto& node : found->nodes) executable.originals.push_back(node.get());
    info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const cudaKernelNodeParams* params) {
  return set_params(executable, node, params);
}
W2W_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const cudaMemcpy3DParms* params) {
  return set_params(executable, node, params);
}
W2W_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                                       const void* from, size_t size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = {};
  params.dstPtr = cudaPitchedPtr{to, size, size, 1};
  params.srcPtr = cudaPitchedPtr{const_cast<void*>(from), size, size, 1};
  params.extent = cudaExtent{size, 1, 1};
  params.kind = kind;
  return set_params(executable, node, &params);
}
W2W_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const cudaMemsetParams* params) {
  return set_params(executable, node, params);
}
W2W_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                   const cudaHostNodeParams* params) {
  return set_params(executable, node, params);
}

W2W_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original, unsigned enabled) {
  return with_executable(handle, [&](Executable& executable) {
    Node* node = find_twin(executable, original);
    if (!node) return cudaErrorInvalidValue;
    node->enabled = enabled != 0;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original, unsigned* enabled) {
  return with_executable(handle, [&](Executable& executable) {
    Node* node = find_twin(executable, original);
    if (!node || !enabled) return cudaErrorInvalidValue;
    *enabled = node->enabled;
    return cudaSuccess;
  });
}
