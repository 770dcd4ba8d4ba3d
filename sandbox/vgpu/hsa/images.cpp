// Images and samplers. CDNA has no image instructions: the real parts announce the extension with every limit 0 and
// refuse each image, and so do we, without a report.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

namespace {

// The extension's codes lie outside hsa_status_t's enumerators, in ROCr as here.
const auto kNoImages = static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
const auto kNoSamplers = static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED);

}  // namespace

extern "C" {

hsa_status_t hsa_amd_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*, const hsa_amd_image_descriptor_t*,
                                  const void*, hsa_access_permission_t, hsa_ext_image_t*) {
  return kNoImages;
}

hsa_status_t hsa_ext_image_create(hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*, hsa_access_permission_t,
                                  hsa_ext_image_t*) {
  return kNoImages;
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*,
                                              hsa_access_permission_t, hsa_ext_image_data_layout_t, size_t, size_t,
                                              hsa_ext_image_t*) {
  return kNoImages;
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t, const hsa_ext_image_descriptor_t*, hsa_access_permission_t,
                                         hsa_ext_image_data_info_t*) {
  return kNoImages;
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t, hsa_ext_image_t) { return HSA_STATUS_ERROR_INVALID_ARGUMENT; }

hsa_status_t hsa_ext_image_export(hsa_agent_t, hsa_ext_image_t, void*, size_t, size_t, const hsa_ext_image_region_t*) {
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_ext_image_import(hsa_agent_t, const void*, size_t, size_t, hsa_ext_image_t,
                                  const hsa_ext_image_region_t*) {
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t, const hsa_ext_sampler_descriptor_v2_t*, hsa_ext_sampler_t*) {
  return kNoSamplers;
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t, hsa_ext_sampler_t) { return HSA_STATUS_ERROR_INVALID_ARGUMENT; }

}  // extern "C"
