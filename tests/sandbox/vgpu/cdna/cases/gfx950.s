v_bitop3_b32 v0, v20, v21, v22 bitop3:{0x1,0x96,0xe8,0xfe}
v_bitop3_b16 v0, v20, v21, v22 bitop3:0x6a
v_prng_b32_e32 v0, v20
v_cvt_pk_f16_f32 v0, v10, v11
v_cvt_pk_bf16_f32 v0, v10, v11
v_cvt_f32_bf16_e32 v0, v30
v_dot2_f32_bf16 v0, v20, v21, v10
v_ashr_pk_{i8,u8}_i32 v0, v20, v21, v23
v_{minimum3,maximum3}_f32 v0, v10, -v11, |v12|
v_{minimum3,maximum3}_f32 v0, v10, v11, v12 clamp
v_pk_{minimum3,maximum3}_f16 v0, v30, v31, v32
v_pk_{minimum3,maximum3}_f16 v0, v30, v31, v32 op_sel:[1,0,1] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[1,0,1]
v_dot2c_f32_bf16 v0, v30, v31
v_cvt_sr_{f16,bf16}_f32 v0, v10, v20
v_cvt_sr_{f16,bf16}_f32 v0, -|v10|, v20 op_sel:[0,0,1]
v_bitop3_b16 v0, v20, v21, v22 bitop3:0x6a op_sel:[1,0,1,1]
