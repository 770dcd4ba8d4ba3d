// Task graphs. Nodes run one after the other in an order that respects the edges.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "cudart/operations.h"

namespace w2w::cudart {

struct Node {
  Operation operation;
  std::vector<Node*> dependencies;
  Graph* graph = nullptr;
  bool enabled = true;
  size_t origin = 0;  // position in the graph that this one was copied from
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  unsigned long long id = 0;

  Node* add(Operation operation, std::vector<Node*> dependencies);
  // Copies of all nodes; child graphs are copied as well.
  std::shared_ptr<Graph> clone() const;
  // Nodes in an order that respects the edges; empty if there is a cycle.
  std::vector<const Node*> order() const;
};

// Handles: cudaGraph_t and cudaGraphExec_t own a graph.
Graph* find_graph(cudaGraph_t handle);
cudaGraph_t make_graph_handle(std::shared_ptr<Graph> graph);
std::shared_ptr<Graph> share_graph(cudaGraph_t handle);
inline Node* as_node(cudaGraphNode_t handle) { return reinterpret_cast<Node*>(handle); }
inline cudaGraphNode_t node_handle(Node* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

// ---- between the descriptions of nodes in the API and operations
cudaError_t operation_from(const cudaKernelNodeParams& params, Operation* operation);
cudaError_t operation_from(const cudaMemcpy3DParms& params, Operation* operation);
cudaError_t operation_from(const cudaMemsetParams& params, Operation* operation);
cudaError_t operation_from(const cudaHostNodeParams& params, Operation* operation);

}  // namespace w2w::cudart
