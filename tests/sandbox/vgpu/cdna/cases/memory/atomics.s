global_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,inc,dec,swap} v0, v[48:49], v20, off sc0
global_atomic_{add,swap,umax} v36, v21, s[62:63] offset:4
global_atomic_cmpswap v0, v[48:49], v[20:21], off sc0
global_atomic_cmpswap_x2 v[0:1], v[48:49], v[24:27], off sc0
global_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,inc,dec,swap}_x2 v[0:1], v[48:49], v[24:25], off sc0
global_atomic_swap v[38:39], v10, off
global_atomic_add_f32 v0, v[38:39], v11, off sc0
global_atomic_swap_x2 v[38:39], v[14:15], off
global_atomic_{add_f64,min_f64,max_f64} v[0:1], v[38:39], v[16:17], off sc0
global_atomic_swap v[38:39], v30, off
global_atomic_pk_add_f16 v0, v[38:39], v31, off sc0
flat_atomic_{add,smax} v0, v[34:35], v20 sc0
flat_atomic_add_x2 v[0:1], v[38:39], v[24:25] sc0
flat_atomic_cmpswap v0, v[38:39], v[20:21] sc0
ds_{add,sub,rsub,inc,dec,min,max}_rtn_u32 v0, v37, v20 offset:8
ds_{min,max}_rtn_i32 v0, v37, v20
ds_{and,or,xor,wrxchg}_rtn_b32 v0, v37, v20
ds_{add,sub,rsub,inc,dec,min,max}_rtn_u64 v[0:1], v37, v[24:25]
ds_{min,max}_rtn_i64 v[0:1], v37, v[24:25]
ds_{and,or,xor,wrxchg}_rtn_b64 v[0:1], v37, v[24:25]
ds_{add,min,max}_u32 v37, v20
ds_mskor_rtn_b32 v0, v37, v20, v21
ds_cmpst_rtn_b32 v0, v37, v20, v21
ds_cmpst_rtn_b64 v[0:1], v37, v[24:25], v[26:27]
ds_wrxchg_rtn_b32 v0, v36, v10
ds_cmpst_rtn_f32 v0, v36, v10, v11
ds_{add,min,max}_rtn_f32 v0, v36, v11
ds_wrxchg_rtn_b64 v[0:1], v36, v[14:15]
ds_{add,min,max}_rtn_f64 v[0:1], v36, v[16:17]
ds_cmpst_rtn_f64 v[0:1], v36, v[14:15], v[16:17]
ds_wrxchg_rtn_b32 v0, v36, v30
ds_pk_add_rtn_f16 v0, v36, v31
