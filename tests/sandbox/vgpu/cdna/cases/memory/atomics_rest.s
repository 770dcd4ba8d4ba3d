; flat ones in all memories, and those without result
flat_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,inc,dec,swap} v0, v[48:49], v20 sc0
flat_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,inc,dec,swap}_x2 v[0:1], v[34:35], v[24:25] sc0
flat_atomic_{add,umax,swap} v[44:45], v21
flat_atomic_{sub,xor}_x2 v[44:45], v[24:25]
flat_atomic_cmpswap_x2 v[0:1], v[38:39], v[24:27] sc0
flat_atomic_cmpswap v[34:35], v[20:21]
flat_store_dword v[38:39], v10
flat_atomic_add_f32 v0, v[38:39], v11 sc0
flat_store_dwordx2 v[38:39], v[14:15]
flat_atomic_{add,min,max}_f64 v[0:1], v[38:39], v[16:17] sc0
flat_store_dword v[38:39], v30
flat_atomic_pk_add_f16 v0, v[38:39], v31 sc0
global_atomic_{sub,smin,umin,smax,umax,and,or,xor,inc,dec} v[48:49], v20, off offset:16
global_atomic_{sub,smin,umin,smax,umax,and,or,xor,inc,dec}_x2 v[48:49], v[24:25], off offset:-8
flat_store_dword v[38:39], v30
flat_atomic_pk_add_bf16 v0, v[38:39], v31 sc0
global_atomic_pk_add_bf16 v0, v[38:39], v31, off sc0
ds_write_b32 v36, v30
ds_pk_add_bf16 v36, v31
ds_pk_add_rtn_bf16 v0, v36, v31
