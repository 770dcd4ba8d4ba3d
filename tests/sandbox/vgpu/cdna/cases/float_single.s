; singles: v10 v11 v12, s10
v_{add,sub,subrev,mul,min,max}_f32_e32 v0, v10, v11
v_{add,sub,mul,mul_legacy,min,max}_f32_e64 v0, -v10, |v11|
v_{add,mul,max}_f32_e64 v0, -|v10|, s10 clamp
v_add_f32 v0, 1.0, v11
v_mul_f32 v0, 0.15915494, v11
v_mul_f32 v0, 0x40490fdb, v11
v_add_f32 v0, -16, v11
v_{fma,min3,max3,med3}_f32 v0, v10, v11, v12
v_fma_f32 v0, -v10, |v11|, -|v12| clamp
v_{fma,med3}_f32 v0, s10, v11, 0.5
v_fmac_f32_e32 v0, v10, v11
v_fmac_f32_e64 v0, -v10, v11
v_fmaak_f32 v0, v10, v11, 0x3f000000
v_fmamk_f32 v0, v10, 0x3f000000, v11
v_{trunc,floor,ceil,rndne,fract}_f32_e32 v0, v10
v_floor_f32_e64 v0, -v10
v_ldexp_f32 v0, v10, v33
v_frexp_mant_f32_e32 v0, v10
v_frexp_exp_i32_f32_e32 v0, v10
v_div_fixup_f32 v0, v10, v11, v12
v_add_f32_sdwa v0, v10, v11 dst_sel:DWORD src0_sel:DWORD src1_sel:DWORD
v_add_f32_dpp v0, v10, v11 row_shr:1 row_mask:0xf bank_mask:0xf
v_add_f32_dpp v0, -v10, |v11| row_shr:3 row_mask:0xa bank_mask:0x7 bound_ctrl:1
v_{max,mul}_f32_dpp v0, v10, v11 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
; the output modifier is ignored, for denormals are kept
v_add_f32_e64 v0, v10, v11 mul:2
