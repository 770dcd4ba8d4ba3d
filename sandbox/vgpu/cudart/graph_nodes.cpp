// Adding nodes to graphs, and reading and changing what they do.
#include <cstring>

#include "cudart/errors.h"
#include "cudart/events.h"
#include "cudart/graphs.h"
#include "cudart/heap.h"

namespace w2w::cudart {

cudaError_t operation_from(const cudaKernelNodeParams& params, Operation* operation) {
  KernelOperation kernel;
  kernel.function = find_function(params.func);
  if (!kernel.function) return cudaErrorInvalidDeviceFunction;
  if (params.extra) return unsupported_function("cudaGraphAddKernelNode", "with packed arguments (extra)");
  kernel.host_function = params.func;
  kernel.grid = params.gridDim;
  kernel.block = params.blockDim;
  kernel.dynamic_shared = params.sharedMemBytes;
  cudaError_t error = copy_arguments(&kernel, params.kernelParams);
  if (error == cudaSuccess) *operation = std::move(kernel);
  return error;
}

cudaError_t operation_from(const cudaHostNodeParams& params, Operation* operation) {
  *operation = HostOperation{params.fn, params.userData};
  return cudaSuccess;
}

namespace {

// Add a checked operation behind `dependencies`.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                     Operation operation) {
  Graph* found = find_graph(graph);
  if (!node || !found || (count && !dependencies)) return cudaErrorInvalidValue;
  cudaError_t error = check(operation);
  if (error != cudaSuccess) return error;
  std::vector<Node*> before;
  for (size_t i = 0; i < count; ++i) {
    if (!dependencies[i] || as_node(dependencies[i])->graph != found) return cudaErrorInvalidValue;
    before.push_back(as_node(dependencies[i]));
  }
  *node = node_handle(found->add(std::move(operation), std::move(before)));
  return cudaSuccess;
}

template <class Params>
cudaError_t add_from(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                     const Params* params) {
  return api([&] {
    if (!params) return cudaErrorInvalidValue;
    Operation operation;
    cudaError_t error = operation_from(*params, &operation);
    return error == cudaSuccess ? add_node(node, graph, dependencies, count, std::move(operation)) : error;
  });
}

template <class Params>
cudaError_t set_from(cudaGraphNode_t node, const Params* params) {
  return api([&] {
    if (!node || !params) return cudaErrorInvalidValue;
    Operation operation;
    cudaError_t error = operation_from(*params, &operation);
    if (error == cudaSuccess && operation.index() != as_node(node)->operation.index()) error = cudaErrorInvalidValue;
    if (error == cudaSuccess) error = check(operation);
    if (error == cudaSuccess) as_node(node)->operation = std::move(operation);
    return error;
  });
}

// Calls body(operation) where the node is of that kind.
template <class Kind, class Body>
cudaError_t with_node(cudaGraphNode_t node, Body body) {
  return api([&] {
    Kind* operation = node ? std::get_if<Kind>(&as_node(node)->operation) : nullptr;
    return operation ? body(*operation) : cudaErrorInvalidValue;
  });
}

cudaMemcpy3DParms plain_copy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = {};
  params.dstPtr = cudaPitchedPtr{to, size, size, 1};
  params.srcPtr = cudaPitchedPtr{const_cast<void*>(from), size, size, 1};
  params.extent = cudaExtent{size, 1, 1};
  params.kind = kind;
  return params;
}

struct TypeOf {
  cudaGraphNodeType operator()(const KernelOperation&) const { return cudaGraphNodeTypeKernel; }
  cudaGraphNodeType operator()(const CopyOperation&) const { return cudaGraphNodeTypeMemcpy; }
  cudaGraphNodeType operator()(const FillOperation&) const { return cudaGraphNodeTypeMemset; }
  cudaGraphNodeType operator()(const HostOperation&) const { return cudaGraphNodeTypeHost; }
  cudaGraphNodeType operator()(const EmptyOperation&) const { return cudaGraphNodeTypeEmpty; }
  cudaGraphNodeType operator()(const RecordOperation&) const { return cudaGraphNodeTypeEventRecord; }
  cudaGraphNodeType operator()(const WaitOperation&) const { return cudaGraphNodeTypeWaitEvent; }
  cudaGraphNodeType operator()(const ChildOperation&) const { return cudaGraphNodeTypeGraph; }
  cudaGraphNodeType operator()(const AllocateOperation&) const { return cudaGraphNodeTypeMemAlloc; }
  cudaGraphNodeType operator()(const FreeOperation&) const { return cudaGraphNodeTypeMemFree; }
};

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api([&] {
    if (!node || !type) return cudaErrorInvalidValue;
    *type = std::visit(TypeOf{}, as_node(node)->operation);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const cudaKernelNodeParams* params) {
  return add_from(node, graph, dependencies, count, params);
}
W2W_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set_from(node, params);
}
W2W_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return with_node<KernelOperation>(node, [&](KernelOperation& kernel) {
    // The pointers to the arguments must stay valid as long as the node does.
    static thread_local std::vector<void*> pointers;
    if (!params) return cudaErrorInvalidValue;
    pointers.clear();
    for (auto& argument : kernel.arguments) pointers.push_back(argument.data());
    memset(params, 0, sizeof *params);
    params->func = const_cast<void*>(kernel.host_function);
    params->gridDim = kernel.grid;
    params->blockDim = kernel.block;
    params->sharedMemBytes = static_cast<unsigned>(kernel.dynamic_shared);
    params->kernelParams = pointers.data();
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                                    const cudaLaunchAttributeValue* value) {
  return with_node<KernelOperation>(node, [&](KernelOperation& kernel) {
    if (!value) return cudaErrorInvalidValue;
    if (attribute == cudaLaunchAttributeCooperative) kernel.cooperative = value->cooperative != 0;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                                    cudaLaunchAttributeValue* value) {
  return with_node<KernelOperation>(node, [&](KernelOperation& kernel) {
    if (!value) return cudaErrorInvalidValue;
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeCooperative) value->cooperative = kernel.cooperative;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const cudaMemcpy3DParms* params) {
  return add_from(node, graph, dependencies, count, params);
}
W2W_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count, void* to,
                                             const void* from, size_t size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = plain_copy(to, from, size, kind);
  return add_from(node, graph, dependencies, count, &params);
}
W2W_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set_from(node, params);
}
W2W_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t size,
                                                   cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = plain_copy(to, from, size, kind);
  return set_from(node, &params);
}
W2W_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return with_node<CopyOperation>(node, [&](CopyOperation& copy) {
    if (!params) return cudaErrorInvalidValue;
    *params = plain_copy(copy.to, copy.from, copy.width, copy.kind);
    params->dstPtr = cudaPitchedPtr{copy.to, copy.to_pitch, copy.width, copy.height};
    params->srcPtr = cudaPitchedPtr{const_cast<void*>(copy.from), copy.from_pitch, copy.width, copy.height};
    params->extent = cudaExtent{copy.width, copy.height, copy.depth};
    return cudaSuccess;
  });
}

namespace {

cudaError_t add_symbol_copy(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                            const void* symbol, size_t offset, cudaMemcpy3DParms params, bool to_symbol) {
  DeviceVariable variable;
  cudaError_t error = locate_symbol(symbol, &variable);
  if (error != cudaSuccess) return record_error(error);
  (to_symbol ? params.dstPtr : params.srcPtr).ptr = static_cast<char*>(variable.address) + offset;
  return add_from(node, graph, dependencies, count, &params);
}

}  // namespace

W2W_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, size_t count,
                                                   const void* symbol, const void* from, size_t size, size_t offset,
                                                   cudaMemcpyKind kind) {
  return add_symbol_copy(node, graph, dependencies, count, symbol, offset, plain_copy(nullptr, from, size, kind), true);
}
W2W_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                                     const void* symbol, size_t size, size_t offset,
                                                     cudaMemcpyKind kind) {
  return add_symbol_copy(node, graph, dependencies, count, symbol, offset, plain_copy(to, nullptr, size, kind), false);
}

W2W_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const cudaMemsetParams* params) {
  return add_from(node, graph, dependencies, count, params);
}
W2W_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set_from(node, params);
}
W2W_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return with_node<FillOperation>(node, [&](FillOperation& fill) {
    if (!params) return cudaErrorInvalidValue;
    *params = cudaMemsetParams{fill.to, fill.pitch, fill.value, fill.element, fill.width, fill.height};
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                         size_t count, const cudaHostNodeParams* params) {
  return add_from(node, graph, dependencies, count, params);
}
W2W_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set_from(node, params);
}
W2W_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return with_node<HostOperation>(node, [&](HostOperation& host) {
    if (!params) return cudaErrorInvalidValue;
    *params = cudaHostNodeParams{host.function, host.data};
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                          size_t count) {
  return api([&] { return add_node(node, graph, dependencies, count, EmptyOperation{}); });
}

W2W_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child) {
  return api([&] {
    Graph* found = find_graph(child);
    return found ? add_node(node, graph, dependencies, count, ChildOperation{found->clone()}) : cudaErrorInvalidValue;
  });
}
W2W_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node<ChildOperation>(node, [&](ChildOperation& child) {
    if (!graph) return cudaErrorInvalidValue;
    *graph = make_graph_handle(child.graph);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  return api([&] {
    Event* found = find_event(event);
    return found ? add_node(node, graph, dependencies, count, RecordOperation{found}) : cudaErrorInvalidValue;
  });
}
W2W_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  return api([&] {
    Event* found = find_event(event);
    return found ? add_node(node, graph, dependencies, count, WaitOperation{found}) : cudaErrorInvalidValue;
  });
}

W2W_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count,
                                             cudaMemAllocNodeParams* params) {
  return api([&] {
    if (!params || !params->bytesize) return cudaErrorInvalidValue;
    // The address is fixed when the node is made, and the memory stays until the program ends.
    params->dptr = w2w::Heap::instance().allocate(params->bytesize, w2w::Heap::kGranule, w2w::MemoryKind::kDevice);
    if (!params->dptr) return cudaErrorMemoryAllocation;
    return add_node(node, graph, dependencies, count, AllocateOperation{params->dptr, params->bytesize});
  });
}
W2W_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, size_t count, void* address) {
  return api([&] { return add_node(node, graph, dependencies, count, FreeOperation{address}); });
}

W2W_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* params) {
  if (!params) return record_error(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& kernel = params->kernel;
      cudaKernelNodeParams plain = {};
      plain.func = kernel.func;
      plain.gridDim = kernel.gridDim;
      plain.blockDim = kernel.blockDim;
      plain.sharedMemBytes = kernel.sharedMemBytes;
      plain.kernelParams = kernel.kernelParams;
      plain.extra = kernel.extra;
      return add_from(node, graph, dependencies, count, &plain);
    }
    case cudaGraphNodeTypeMemcpy:
      return add_from(node, graph, dependencies, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& fill = params->memset;
      cudaMemsetParams plain{fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height};
      return add_from(node, graph, dependencies, count, &plain);
    }
    case cudaGraphNodeTypeHost: {
      cudaHostNodeParams plain{params->host.fn, params->host.userData};
      return add_from(node, graph, dependencies, count, &plain);
    }
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, params->graph.graph);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, count, params->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, count, params->eventWait.event);
    default:
      return unsupported_function("cudaGraphAddNode", "with this kind of node");
  }
}
