; what compilers seldom or never emit
ds_wrap_rtn_b32 v0, v37, v20, v21
ds_wrap_rtn_b32 v0, v36, v22, v21 offset:4
ds_wrxchg2_rtn_b32 v[0:1], v36, v20, v21 offset0:1 offset1:3
ds_wrxchg2_rtn_b64 v[0:3], v36, v[24:25], v[26:27] offset0:1 offset1:128
ds_wrxchg2st64_rtn_b32 v[0:1], v36, v20, v21 offset0:1 offset1:5
ds_wrxchg2st64_rtn_b64 v[0:3], v36, v[24:25], v[26:27] offset0:1 offset1:3
ds_write_addtid_b32 v20 offset:64
ds_read_addtid_b32 v0 offset:68
ds_condxchg32_rtn_b64 v[0:1], v36, v[20:21] offset:8
ds_condxchg32_rtn_b64 v[0:1], v37, v[24:25] offset:20
ds_{add,sub,rsub,inc,dec,min,max}_u32 v37, v20 offset:12
ds_{min,max}_i32 v37, v21
ds_{and,or,xor}_b32 v37, v20
ds_{add,sub,rsub,inc,dec,min,max}_u64 v37, v[24:25] offset:8
ds_{min,max}_i64 v37, v[24:25]
ds_{and,or,xor}_b64 v37, v[24:25]
ds_mskor_b32 v37, v20, v21
ds_mskor_b64 v37, v[24:25], v[26:27]
ds_mskor_rtn_b64 v[0:1], v37, v[24:25], v[26:27]
ds_cmpst_b32 v37, v20, v21
ds_cmpst_b64 v37, v[24:25], v[26:27]
ds_write_b32 v36, v11
ds_{add,min,max}_f32 v36, v10
ds_cmpst_f32 v36, v10, v11
ds_write_b64 v36, v[14:15]
ds_{add,min,max}_f64 v36, v[16:17]
ds_cmpst_f64 v36, v[14:15], v[16:17]
ds_write_b32 v36, v30
ds_pk_add_f16 v36, v31
ds_pk_add_rtn_f16 v0, v36, v31
ds_nop
ds_swizzle_b32 v0, v20 offset:{0xe000,0xe010,0xe01f,0xe005,0xc020,0xc420,0xc7e0,0xc021,0xc461,0xdff3}
