; integers: v13 v20 v21 v22, v[24:25]..., shift amounts v23
v_{add,sub,subrev}_u32_e32 v0, v20, v21
v_{add,sub,subrev}_u32_e64 v0, v20, s14 clamp
v_{add,sub}_i32 v0, v20, v21
v_{add,sub}_i32 v0, v20, v21 clamp
v_{add,sub,subrev,mul_lo,min,max}_u16_e32 v0, v20, v21
v_{min,max}_i16_e32 v0, v20, v21
v_{add,sub,subrev}_u16_e64 v0, v20, v21 clamp
v_{add,sub}_i16 v0, v20, v21 op_sel:[1,0,1]
v_{add,sub}_i16 v0, v20, v21 clamp
v_{add,sub,subrev}_co_u32_e32 v0, vcc, v20, v21
v_{add,sub,subrev}_co_u32_e64 v0, s[20:21], v20, v21
v_{add,sub}_co_u32_e64 v0, s[20:21], v20, v21 clamp
v_{addc,subb,subbrev}_co_u32_e32 v0, vcc, v20, v21, vcc
v_{addc,subb,subbrev}_co_u32_e64 v0, s[20:21], v20, v21, s[16:17]
v_addc_co_u32_e64 v0, s[20:21], v20, v21, vcc clamp
v_{mul_lo,mul_hi}_u32 v0, v20, v21
v_mul_hi_i32 v0, v20, s14
v_{min,max}_{i32,u32}_e32 v0, v20, v21
v_{min3,max3,med3}_{i32,u32,i16,u16} v0, v20, v21, v22
v_{min3,max3,med3}_{i16,u16} v0, v20, v21, v22 op_sel:[1,0,1,1]
v_{mul,mul_hi}_u32_u24_e32 v0, v20, v21
v_{mul,mul_hi}_i32_i24_e32 v0, v20, v21
v_mad_u32_u24 v0, v20, v21, v22
v_mad_i32_i24 v0, v20, v21, v22 clamp
v_mad_u32_u24 v0, v20, v21, v22 clamp
v_mad_{u16,i16} v0, v20, v21, v22
v_mad_{u16,i16} v0, v20, v21, v22 clamp
v_mad_{u16,i16} v0, v20, v21, v22 op_sel:[1,1,0,1]
v_mad_legacy_{u16,i16} v0, v20, v21, v22
v_mad_u32_u16 v0, v20, v21, v22 op_sel:[1,0,0,0]
v_mad_i32_i16 v0, v20, v21, v22 clamp
v_mad_u64_u32 v[0:1], s[20:21], v20, v21, v[24:25]
v_mad_i64_i32 v[0:1], vcc, v20, v21, v[24:25]
v_mad_u64_u32 v[0:1], s[20:21], v20, s14, 0
v_cndmask_b32_e32 v0, v20, v21, vcc
v_cndmask_b32_e64 v0, -v10, |v11|, s[16:17]
v_{sad_u8,sad_hi_u8,sad_u16,sad_u32,msad_u8,lerp_u8} v0, v20, v21, v22
v_{qsad,mqsad}_pk_u16_u8 v[0:1], v[24:25], v20, v[26:27]
v_add_u32_sdwa v0, sext(v20), v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1
v_sub_u32_sdwa v0, v20, sext(v21) dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:BYTE_3
v_add_u16_sdwa v0, v20, v21 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:BYTE_3
v_add_u32_sdwa v0, v20, v21 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:BYTE_3
v_lshlrev_b32_sdwa v0, v23, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_2
v_or_b32_sdwa v0, v20, v21 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
v_add_co_u32_sdwa v0, vcc, v20, v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
v_add_u32_dpp v0, v20, v21 row_{shl:1,shl:15,shr:4,ror:5} row_mask:0xf bank_mask:0xf
v_add_u32_dpp v0, v20, v21 row_{mirror,half_mirror,bcast:15,bcast:31,newbcast:7} row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v20 wave_{shl:1,shr:1,rol:1,ror:1} row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v20 row_bcast:15 row_mask:0xa bank_mask:0xf bound_ctrl:1
v_mov_b32_dpp v0, v20 quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0x3 bound_ctrl:1
v_add_co_u32_dpp v0, vcc, v20, v21 row_shr:1 row_mask:0xf bank_mask:0xf
v_max_u16_dpp v0, v20, v21 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:1
