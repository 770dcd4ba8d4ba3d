// Managed, pinned and registered memory, the stream-ordered allocator, virtual memory management.
#include <sys/mman.h>

#include "check.h"

static void managed() {
  int *data, mostly = 0;
  HIP(hipMallocManaged(&data, 4000));
  for (int i = 0; i < 1000; i++) data[i] = i;
  increment<<<4, 256>>>(data, 1000);
  HIP(hipDeviceSynchronize());
  EXPECT(data[0] == 1 && data[999] == 1000);
  HIP(hipMemPrefetchAsync(data, 4000, 0, 0));
  HIP(hipMemAdvise(data, 4000, hipMemAdviseSetReadMostly, 0));
  HIP(hipDeviceSynchronize());
  HIP(hipMemRangeGetAttribute(&mostly, sizeof mostly, hipMemRangeAttributeReadMostly, data, 4000));
  EXPECT(mostly == 1);
  HIP(hipFree(data));
}

static void pinned() {
  int *host, *device;
  hipPointerAttribute_t attributes;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host), 4000));
  for (int i = 0; i < 1000; i++) host[i] = i;
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  increment<<<4, 256>>>(device, 1000);
  HIP(hipDeviceSynchronize());
  EXPECT(host[5] == 6);
  HIP(hipPointerGetAttributes(&attributes, host));
  EXPECT(attributes.type == hipMemoryTypeHost);
  HIP(hipHostFree(host));
}

static void registered() {
  int* device;
  auto* host = static_cast<int*>(std::aligned_alloc(4096, 4096));
  HIP(hipHostRegister(host, 4096, 0));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  host[0] = 1;
  increment<<<1, 64>>>(device, 1);
  HIP(hipDeviceSynchronize());
  EXPECT(host[0] == 2);
  HIP(hipHostUnregister(host));
  void* nowhere = mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(static_cast<char*>(nowhere) + 4096, 4096);
  EXPECT(hipHostRegister(nowhere, 8192, 0) != hipSuccess);
}

static void stream_ordered() {
  hipStream_t stream;
  int *data, back = 0;
  HIP(hipStreamCreate(&stream));
  for (size_t bytes : {size_t{1} << 20, size_t{5} << 20, size_t{2} << 30}) {  // the last exceeds many file size limits
    HIP(hipMallocAsync(reinterpret_cast<void**>(&data), bytes, stream));
    HIP(hipMemsetAsync(data, 0, 1 << 20, stream));
    increment<<<4, 256, 0, stream>>>(data, 1000);
    HIP(hipMemcpyAsync(&back, data, sizeof back, hipMemcpyDeviceToHost, stream));
    HIP(hipFreeAsync(data, stream));
    HIP(hipStreamSynchronize(stream));
    EXPECT(back == 1);
  }
}

static void virtual_memory() {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  size_t granularity;
  HIP(hipMemGetAllocationGranularity(&granularity, &properties, hipMemAllocationGranularityMinimum));
  const size_t bytes = (size_t{4} << 20) / granularity * granularity;
  hipMemGenericAllocationHandle_t handle;
  void* base;
  HIP(hipMemCreate(&handle, bytes, &properties, 0));
  HIP(hipMemAddressReserve(&base, 2 * bytes, 0, 0, 0));
  auto* first = static_cast<int*>(base);
  auto* second = reinterpret_cast<int*>(static_cast<char*>(base) + bytes);
  HIP(hipMemMap(first, bytes, 0, handle, 0));
  HIP(hipMemMap(second, bytes, 0, handle, 0));  // the same memory again
  hipMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  HIP(hipMemSetAccess(base, 2 * bytes, &access, 1));
  int value = 5;
  HIP(hipMemcpy(first, &value, sizeof value, hipMemcpyHostToDevice));
  increment<<<1, 64>>>(second, 1);
  HIP(hipMemcpy(&value, first, sizeof value, hipMemcpyDeviceToHost));
  EXPECT(value == 6);
  hipMemGenericAllocationHandle_t retained;
  HIP(hipMemRetainAllocationHandle(&retained, first));
  HIP(hipMemRelease(retained));
  HIP(hipMemUnmap(second, bytes));
  int file;
  HIP(hipMemExportToShareableHandle(&file, handle, hipMemHandleTypePosixFileDescriptor, 0));
  hipMemGenericAllocationHandle_t imported;
  HIP(hipMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(static_cast<intptr_t>(file)),
                                      hipMemHandleTypePosixFileDescriptor));
  HIP(hipMemMap(second, bytes, 0, imported, 0));
  HIP(hipMemSetAccess(second, bytes, &access, 1));
  unsigned long long flags = 0;
  HIP(hipMemGetAccess(&flags, &properties.location, second));
  EXPECT(flags == hipMemAccessFlagsProtReadWrite);
  increment<<<1, 64>>>(second, 1);
  HIP(hipMemcpy(&value, first, sizeof value, hipMemcpyDeviceToHost));
  EXPECT(value == 7);
  HIP(hipMemUnmap(first, bytes));
  HIP(hipMemUnmap(second, bytes));
  HIP(hipMemRelease(imported));
  HIP(hipMemAddressFree(base, 2 * bytes));
  HIP(hipMemRelease(handle));
}

int main() {
  managed();
  pinned();
  registered();
  stream_ordered();
  virtual_memory();
  std::puts("PASS");
}
