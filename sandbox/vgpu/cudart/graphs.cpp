#include "cudart/graphs.h"

#include <algorithm>
#include <map>

#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

// Handles are the addresses of graphs; a graph is shared with the captures and executables that use it.
struct Registry {
  std::mutex mutex;
  std::map<Graph*, std::shared_ptr<Graph>> graphs;
  unsigned long long next_id = 1;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

}  // namespace

Node* Graph::add(Operation operation, std::vector<Node*> dependencies) {
  auto node = std::make_unique<Node>();
  node->operation = std::move(operation);
  node->dependencies = std::move(dependencies);
  node->graph = this;
  node->origin = nodes.size();
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::map<const Node*, Node*> twins;
  for (const auto& node : nodes) {
    Operation operation = node->operation;
    if (auto* child = std::get_if<ChildOperation>(&operation)) child->graph = child->graph->clone();
    Node* twin = copy->add(std::move(operation), {});
    twin->enabled = node->enabled;
    twins[node.get()] = twin;
  }
  for (const auto& node : nodes)
    for (Node* dependency : node->dependencies)
      if (twins.count(dependency)) twins[node.get()]->dependencies.push_back(twins[dependency]);
  return copy;
}

std::vector<const Node*> Graph::order() const {
  std::map<const Node*, size_t> waiting;
  std::map<const Node*, std::vector<const Node*>> followers;
  std::vector<const Node*> ordered;
  for (const auto& node : nodes) {
    waiting[node.get()] = node->dependencies.size();
    for (const Node* dependency : node->dependencies) followers[dependency].push_back(node.get());
    if (node->dependencies.empty()) ordered.push_back(node.get());
  }
  for (size_t i = 0; i < ordered.size(); ++i)
    for (const Node* follower : followers[ordered[i]])
      if (--waiting[follower] == 0) ordered.push_back(follower);
  if (ordered.size() != nodes.size()) ordered.clear();
  return ordered;
}

Graph* find_graph(cudaGraph_t handle) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto* graph = reinterpret_cast<Graph*>(handle);
  return registry().graphs.count(graph) ? graph : nullptr;
}

std::shared_ptr<Graph> share_graph(cudaGraph_t handle) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto place = registry().graphs.find(reinterpret_cast<Graph*>(handle));
  return place == registry().graphs.end() ? nullptr : place->second;
}

cudaGraph_t make_graph_handle(std::shared_ptr<Graph> graph) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  Graph* address = graph.get();
  if (!address->id) address->id = registry().next_id++;
  registry().graphs[address] = std::move(graph);
  return reinterpret_cast<cudaGraph_t>(address);
}

cudaError_t execute_graph(const Graph& graph) {
  for (const Node* node : graph.order()) {
    if (!node->enabled) continue;
    cudaError_t error = execute(node->operation);
    if (error != cudaSuccess) return error;
    if (sticky_error() != cudaSuccess) return cudaSuccess;
  }
  return cudaSuccess;
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

namespace {

template <class Body>
cudaError_t with_graph(cudaGraph_t handle, Body body) {
  return api([&] {
    Graph* graph = find_graph(handle);
    return graph ? body(*graph) : cudaErrorInvalidValue;
  });
}

// Copies handles out; without an array it only counts. Entries past the end become null, as CUDA does it.
template <class Handle>
void return_handles(const std::vector<Handle>& found, Handle* array, size_t* count) {
  if (array) {
    for (size_t i = 0; i < *count; ++i) array[i] = i < found.size() ? found[i] : Handle{};
    *count = std::min(*count, found.size());
  } else {
    *count = found.size();
  }
}

}  // namespace

W2W_API cudaError_t cudaGraphCreate(cudaGraph_t* handle, unsigned flags) {
  return api([&] {
    if (!handle || flags) return cudaErrorInvalidValue;
    *handle = make_graph_handle(std::make_shared<Graph>());
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return api([&] {
    std::lock_guard<std::mutex> lock(registry().mutex);
    return registry().graphs.erase(reinterpret_cast<Graph*>(handle)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

W2W_API cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t original) {
  return with_graph(original, [&](Graph& graph) {
    if (!copy) return cudaErrorInvalidValue;
    *copy = make_graph_handle(graph.clone());
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return with_graph(clone, [&](Graph& graph) {
    auto& nodes = as_node(original)->graph->nodes;
    auto place = std::find_if(nodes.begin(), nodes.end(), [&](auto& n) { return n.get() == as_node(original); });
    const auto index = static_cast<size_t>(place - nodes.begin());
    if (!node || index >= graph.nodes.size()) return cudaErrorInvalidValue;
    *node = node_handle(graph.nodes[index].get());
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    if (!count) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> found;
    for (auto& node : graph.nodes) found.push_back(node_handle(node.get()));
    return_handles(found, nodes, count);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    if (!count) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> found;
    for (auto& node : graph.nodes)
      if (node->dependencies.empty()) found.push_back(node_handle(node.get()));
    return_handles(found, nodes, count);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                      cudaGraphEdgeData* data, size_t* count) {
  return with_graph(handle, [&](Graph& graph) {
    if (!count) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> sources, targets;
    for (auto& node : graph.nodes) {
      for (Node* dependency : node->dependencies) {
        sources.push_back(node_handle(dependency));
        targets.push_back(node_handle(node.get()));
      }
    }
    size_t room = *count;
    return_handles(sources, from, count);
    if (to) return_handles(targets, to, &room);
    if (data) std::fill_n(data, *count, cudaGraphEdgeData{});
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                                 cudaGraphEdgeData*, size_t* count) {
  return api([&] {
    if (!node || !count) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> found;
    for (Node* dependency : as_node(node)->dependencies) found.push_back(node_handle(dependency));
    return_handles(found, dependencies, count);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                                   cudaGraphEdgeData*, size_t* count) {
  return api([&] {
    if (!node || !count) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> found;
    for (auto& other : as_node(node)->graph->nodes) {
      const auto& before = other->dependencies;
      if (std::find(before.begin(), before.end(), as_node(node)) != before.end())
        found.push_back(node_handle(other.get()));
    }
    return_handles(found, dependents, count);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                             const cudaGraphEdgeData*, size_t count) {
  return with_graph(handle, [&](Graph& graph) {
    if (count && (!from || !to)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      Node *source = as_node(from[i]), *target = as_node(to[i]);
      if (source == target || source->graph != &graph || target->graph != &graph) return cudaErrorInvalidValue;
      target->dependencies.push_back(source);
    }
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                                const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return with_graph(handle, [&](Graph&) {
    for (size_t i = 0; i < count; ++i) {
      auto& list = as_node(to[i])->dependencies;
      auto place = std::find(list.begin(), list.end(), as_node(from[i]));
      if (place == list.end()) return cudaErrorInvalidValue;
      list.erase(place);
    }
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return api([&] {
    if (!handle) return cudaErrorInvalidValue;
    Node* gone = as_node(handle);
    auto& nodes = gone->graph->nodes;
    for (auto& node : nodes) {
      auto& list = node->dependencies;
      list.erase(std::remove(list.begin(), list.end(), gone), list.end());
    }
    nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](auto& node) { return node.get() == gone; }));
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphGetId(cudaGraph_t handle, unsigned* id) {
  return with_graph(handle, [&](Graph& graph) {
    if (!id) return cudaErrorInvalidValue;
    *id = static_cast<unsigned>(graph.id);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return api([&] {
    if (!node || !graph) return cudaErrorInvalidValue;
    *graph = reinterpret_cast<cudaGraph_t>(as_node(node)->graph);
    return cudaSuccess;
  });
}
