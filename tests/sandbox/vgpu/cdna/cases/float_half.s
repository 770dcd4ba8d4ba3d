; packed halves: v30 v31 v32, s18
v_{add,sub,subrev,mul,min,max}_f16_e32 v0, v30, v31
v_{add,sub,mul,min,max}_f16_e64 v0, -v30, |v31|
v_{add,mul}_f16_e64 v0, v30, s18 clamp
v_add_f16 v0, 1.0, v31
v_mul_f16 v0, 0x3c01, v31
v_{fma,mad,div_fixup,min3,max3,med3}_f16 v0, v30, v31, v32
v_{fma,mad,max3}_f16 v0, v30, -v31, |v32| op_sel:[0,1,1,0]
v_{fma,mad,min3,med3}_f16 v0, v30, v31, v32 op_sel:[1,0,1,1]
v_{fma,mad}_f16 v0, v30, v31, v32 clamp
v_mad_legacy_f16 v0, v30, v31, v32
v_mac_f16_e32 v0, v30, v31
v_madak_f16 v0, v30, v31, 0x3555
v_madmk_f16 v0, v30, 0x3555, v31
v_{trunc,floor,ceil,rndne,fract}_f16_e32 v0, v30
v_ldexp_f16 v0, v30, v33
v_frexp_mant_f16_e32 v0, v30
v_frexp_exp_i16_f16_e32 v0, v30
v_pack_b32_f16 v0, v30, v31
v_pack_b32_f16 v0, -v30, |v31| op_sel:[1,0,0]
v_add_f16_sdwa v0, v30, v31 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0
v_mul_f16_sdwa v0, -v30, |v31| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
v_max_f16_sdwa v0, v30, v31 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1
