ds_write_{b8,b16,b32,b8_d16_hi,b16_d16_hi} v36, v20 offset:20
ds_read_{u8,i8,u16,i16,b32} v0, v36 offset:20
ds_read_{u8_d16,i8_d16,u16_d16,u8_d16_hi,i8_d16_hi,u16_d16_hi} v0, v36 offset:3
ds_write_b64 v36, v[24:25]
ds_write_b96 v36, v[20:22] offset:4
ds_write_b128 v36, v[24:27] offset:16
ds_read_b64 v[0:1], v36
ds_read_b96 v[0:2], v36 offset:4
ds_read_b128 v[0:3], v36 offset:16
ds_write2_b32 v36, v20, v21 offset0:1 offset1:3
ds_write2_b64 v36, v[24:25], v[26:27] offset0:0 offset1:64
ds_write2st64_b32 v36, v20, v21 offset0:1 offset1:2
ds_write2st64_b64 v36, v[24:25], v[26:27] offset0:1 offset1:4
ds_read2_b32 v[0:1], v36 offset0:1 offset1:3
ds_read2_b64 v[0:3], v36 offset0:0 offset1:64
ds_read2st64_b32 v[0:1], v36 offset0:1 offset1:2
ds_read2st64_b64 v[0:3], v36 offset0:1 offset1:4
ds_read_b32 v0, v20 ; mostly out of bounds
ds_write_b32 v20, v21
ds_read_b128 v[0:3], v23
ds_bpermute_b32 v0, v20, v21
ds_bpermute_b32 v0, v20, v21 offset:8
ds_permute_b32 v0, v20, v21
ds_swizzle_b32 v0, v20 offset:{0x041f,0x801b,0x7c1f,0x00ff,0x2010}
ds_append v0 offset:16
ds_consume v0 offset:20
