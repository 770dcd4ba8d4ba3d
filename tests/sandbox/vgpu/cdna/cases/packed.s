v_pk_{add,mul,min,max}_f16 v0, v30, v31
v_pk_{add,mul,min,max}_f16 v0, v30, v31 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]
v_pk_{add,mul}_f16 v0, v30, v31 clamp
v_pk_fma_f16 v0, v30, v31, v32
v_pk_fma_f16 v0, v30, v31, v32 op_sel:[1,0,1] op_sel_hi:[0,0,1] neg_lo:[0,1,0] neg_hi:[1,0,1] clamp
v_pk_fmac_f16 v0, v30, v31
v_pk_add_f16 v0, v30, s18
v_pk_add_f16 v0, v30, 1.0 op_sel_hi:[1,0]
v_pk_{add,sub,min,max}_{u16,i16} v0, v20, v21
v_pk_{add,sub}_{u16,i16} v0, v20, v21 op_sel:[1,0] op_sel_hi:[0,1] clamp
v_pk_mad_{u16,i16} v0, v20, v21, v22
v_pk_mad_{u16,i16} v0, v20, v21, v22 clamp
v_pk_mul_lo_u16 v0, v20, v21 op_sel_hi:[0,1]
v_pk_{lshlrev_b16,lshrrev_b16,ashrrev_i16} v0, v23, v20
v_pk_lshlrev_b16 v0, 3, v20 op_sel_hi:[0,1]
v_pk_add_u16 v0, v20, -1
v_pk_{add,mul}_f32 v[0:1], v[10:11], v[12:13]
v_pk_{add,mul}_f32 v[0:1], v[10:11], v[12:13] op_sel:[1,0] op_sel_hi:[0,0] neg_lo:[0,1] neg_hi:[1,0]
v_pk_mul_f32 v[0:1], v[10:11], s[10:11] op_sel_hi:[1,0]
v_pk_fma_f32 v[0:1], v[10:11], v[12:13], v[14:15]
v_pk_fma_f32 v[0:1], v[10:11], v[12:13], v[14:15] op_sel:[0,1,1] op_sel_hi:[1,0,0]
v_pk_mov_b32 v[0:1], v[10:11], v[12:13] op_sel:[1,0]
v_fma_mix_f32 v0, v30, v31, v32 op_sel:[1,0,1] op_sel_hi:[1,1,1]
v_fma_mix_f32 v0, v10, -v31, |v12| op_sel:[0,1,0] op_sel_hi:[0,1,0]
v_fma_mixlo_f16 v0, v10, v31, v12 op_sel:[0,1,0] op_sel_hi:[0,1,0]
v_fma_mixhi_f16 v0, v30, v31, v12 op_sel:[0,1,0] op_sel_hi:[1,1,0] clamp
v_dot2_i32_i16 v0, v20, v21, v22
v_dot2_u32_u16 v0, v20, v21, v22 clamp
v_dot4_{i32_i8,u32_u8} v0, v20, v21, v22
v_dot4_{i32_i8,u32_u8} v0, v20, v21, v22 clamp
v_dot8_{i32_i4,u32_u4} v0, v20, v21, v22
v_dot2c_i32_i16_e32 v0, v20, v21
v_dot4c_i32_i8_e32 v0, v20, v21
v_dot8c_i32_i4_e32 v0, v20, v21
v_dot4c_i32_i8_dpp v0, v20, v21 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf
