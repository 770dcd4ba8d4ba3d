v_bitop3_b32 v0, v20, v21, v22 bitop3:{0x1,0x96,0xe8,0xfe}
v_bitop3_b16 v0, v20, v21, v22 bitop3:0x6a
v_prng_b32_e32 v0, v20
v_cvt_pk_f16_f32 v0, v10, v11
v_cvt_pk_bf16_f32 v0, v10, v11
v_cvt_f32_bf16_e32 v0, v30
v_dot2_f32_bf16 v0, v20, v21, v10
