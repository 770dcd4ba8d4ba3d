// One use of values that may be undefined a run, named by the argument: wrong ones, and right ones that look alike.
#include <cstring>

#include "check.h"

constexpr int kCount = 256;

struct Padded {
  double value;
  int tag;
};

__global__ void add_one(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void fill(float* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void branch_on(const int* in, int* out) {
  if (in[threadIdx.x] > 3) out[threadIdx.x] = atomicAdd(out, 1);
}
__global__ void look_up(const int* in, int* out) { out[in[threadIdx.x] & 255] = 1; }
__global__ void fill_padded(Padded* out) {
  out[threadIdx.x].value = threadIdx.x;
  out[threadIdx.x].tag = threadIdx.x;
}
__global__ void copy_padded(const Padded* in, Padded* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void use_padded(const Padded* in, float* out) {
  out[threadIdx.x] = static_cast<float>(in[threadIdx.x].value + in[threadIdx.x].tag);
}
__global__ void count(int* counters) { atomicAdd(&counters[threadIdx.x % 4], 1); }
__global__ void exchange(int* places) { atomicExch(&places[threadIdx.x % 4], 1); }
__global__ void sum_shared(float* out, int written) {
  __shared__ float shared[kCount];
  if (static_cast<int>(threadIdx.x) < written) shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kCount; i++) sum += shared[i];
  out[threadIdx.x] = sum;
}
__global__ void select_shared(float* out, int written) {
  __shared__ float shared[kCount];
  if (static_cast<int>(threadIdx.x) < written) shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const float value = shared[threadIdx.x];
  out[threadIdx.x] = static_cast<int>(threadIdx.x) < written ? value : -1.0f;
}
// Lanes below `active` take the value of their neighbour above.
__global__ void take_neighbour(int* out, int active, int stored) {
  const int lane = threadIdx.x;
  int value = lane * 3, taken = 0;
  if (lane < active) taken = __builtin_amdgcn_ds_bpermute(4 * (lane + 1), value);
  if (lane < stored) out[lane] = taken + 1;
}
// A tree of shuffles among the lower half of a wave: only the lower lanes' sums are right.
__global__ void sum_lanes(int* out, int active, int farthest) {
  int sum = threadIdx.x;
  if (static_cast<int>(threadIdx.x) >= active) return;
  for (int distance = farthest; distance; distance /= 2) sum += __shfl_down(sum, distance, 64);
  if (threadIdx.x == 0) out[0] = sum;
}
__global__ void vote_with_neighbour(int* out, int active) {
  if (static_cast<int>(threadIdx.x) >= active) return;
  int taken = __shfl_down(static_cast<int>(threadIdx.x), 1, 64);
  if (taken > 5) out[threadIdx.x] = atomicAdd(out, 1);
}
// row_shl:1 gives lane l the value of lane l + 1; bound_ctrl gives 0 where that is off.
__global__ void shift_row(int* out, int active, int stored) {
  const int lane = threadIdx.x;
  int value = lane * 3, taken = 0;
  if (lane < active) taken = __builtin_amdgcn_update_dpp(0, value, 0x101, 0xf, 0xf, true);
  if (lane < stored) out[lane] = taken + 1;
}

struct Row {
  const char* name;
  void (*launch)(int* unwritten, int* written, int* out);
};
float* f(int* memory) { return reinterpret_cast<float*>(memory); }
Padded* p(int* memory) { return reinterpret_cast<Padded*>(memory); }
constexpr Row kRows[] = {
    {"compute_from_unwritten", [](int* u, int*, int* out) { add_one<<<1, kCount>>>(f(u), f(out)); }},
    {"compute_from_copied", [](int*, int* w, int* out) { add_one<<<1, kCount>>>(f(w), f(out)); }},
    {"compute_from_set", [](int* u, int*, int* out) { CHECK(hipMemset(u, 0, kCount * 4));
                                                      add_one<<<1, kCount>>>(f(u), f(out)); }},
    {"compute_from_written_by_host", [](int* u, int*, int* out) { memset(u, 0, kCount * 4);
                                                                  add_one<<<1, kCount>>>(f(u), f(out)); }},
    {"compute_from_stored", [](int* u, int*, int* out) { fill<<<1, kCount>>>(f(u));
                                                         add_one<<<1, kCount>>>(f(u), f(out)); }},
    {"compute_past_stored", [](int* u, int*, int* out) { fill<<<1, kCount - 1>>>(f(u));
                                                         add_one<<<1, kCount>>>(f(u), f(out)); }},
    {"copy_of_unwritten", [](int* u, int*, int* out) { copy<<<1, kCount>>>(u, out); }},
    {"compute_from_copy_of_unwritten", [](int* u, int*, int* out) { copy<<<1, kCount>>>(u, out);
                                                                    add_one<<<1, kCount>>>(f(out), f(out)); }},
    {"branch_on_unwritten", [](int* u, int*, int* out) { branch_on<<<1, kCount>>>(u, out); }},
    {"branch_on_written", [](int*, int* w, int* out) { branch_on<<<1, kCount>>>(w, out); }},
    {"address_from_unwritten", [](int* u, int*, int* out) { look_up<<<1, kCount>>>(u, out); }},
    {"address_from_written", [](int*, int* w, int* out) { look_up<<<1, kCount>>>(w, out); }},
    {"copy_of_padding", [](int* u, int*, int* out) { fill_padded<<<1, 64>>>(p(u)); copy_padded<<<1, 64>>>(p(u), p(u) + 64);
                                                     use_padded<<<1, 64>>>(p(u) + 64, f(out)); }},
    {"count_from_unwritten", [](int* u, int*, int*) { count<<<1, 64>>>(u); }},
    {"count_from_written", [](int*, int* w, int*) { count<<<1, 64>>>(w); }},
    {"exchange_with_unwritten", [](int* u, int*, int*) { exchange<<<1, 64>>>(u); }},
    {"unwritten_shared", [](int*, int*, int* out) { sum_shared<<<1, kCount>>>(f(out), kCount - 1); }},
    {"written_shared", [](int*, int*, int* out) { sum_shared<<<1, kCount>>>(f(out), kCount); }},
    {"unwritten_shared_not_chosen", [](int*, int*, int* out) { select_shared<<<1, kCount>>>(f(out), 100); }},
    {"neighbour_off", [](int*, int*, int* out) { take_neighbour<<<1, 64>>>(out, 40, 40); }},
    {"neighbour_on", [](int*, int*, int* out) { take_neighbour<<<1, 64>>>(out, 40, 39); }},
    {"half_a_wave_sums_itself", [](int*, int*, int* out) { sum_lanes<<<1, 64>>>(out, 32, 16); }},
    {"half_a_wave_sums_the_other", [](int*, int*, int* out) { sum_lanes<<<1, 64>>>(out, 32, 32); }},
    // Lanes without a work-item give 0, which sums rely on.
    {"part_of_a_wave_sums_itself", [](int*, int*, int* out) { sum_lanes<<<1, 40>>>(out, 64, 32); }},
    {"vote_of_lane_off", [](int*, int*, int* out) { vote_with_neighbour<<<1, 64>>>(out, 40); }},
    {"vote_of_lane_on", [](int*, int*, int* out) { vote_with_neighbour<<<1, 64>>>(out, 64); }},
    {"row_neighbour_off", [](int*, int*, int* out) { shift_row<<<1, 64>>>(out, 40, 40); }},
    {"row_neighbour_on", [](int*, int*, int* out) { shift_row<<<1, 64>>>(out, 40, 39); }},
};

int main(int, char** argv) {
  DeviceVector<int> unwritten(8 * kCount), written(std::vector<int>(kCount, 7)), out(std::vector<int>(kCount, 0));
  for (const Row& row : kRows) {
    if (strcmp(row.name, argv[1])) continue;
    row.launch(unwritten.data, written.data, out.data);
    CHECK(hipDeviceSynchronize());
    puts("done");
    return 0;
  }
  puts("no such row");
  return 3;
}
