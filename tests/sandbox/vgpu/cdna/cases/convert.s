v_cvt_{f16,i32,u32,flr_i32}_f32_e32 v0, v10
v_cvt_{f16,i32,u32}_f32_e64 v0, -|v10|
v_cvt_f16_f32_e64 v0, v10 clamp
v_cvt_f64_f32_e32 v[0:1], v10
v_cvt_f64_f32_e64 v[0:1], -v10 clamp
v_cvt_{f32,i32,u32}_f64_e32 v0, v[14:15]
v_cvt_{i32,u32}_f64_e32 v0, s[12:13]
v_cvt_f32_{i32,u32}_e32 v0, v20
v_cvt_f32_f16_e32 v0, v30
v_cvt_f32_f16_e64 v0, -v30 clamp
v_cvt_f64_{i32,u32}_e32 v[0:1], v20
v_cvt_f16_{i16,u16}_e32 v0, v20
v_cvt_{i16,u16}_f16_e32 v0, v30
v_cvt_f32_{ubyte0,ubyte1,ubyte2,ubyte3}_e32 v0, v20
v_cvt_off_f32_i4_e32 v0, v20
v_cvt_pk_i16_i32 v0, v20, v21
v_cvt_pk_u16_u32 v0, v20, v21
v_cvt_pkrtz_f16_f32 v0, v10, -v11
v_cvt_pk_u8_f32 v0, v10, v33, v20
v_cvt_f32_f16_sdwa v0, v30 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
v_cvt_f16_f32_sdwa v0, v10 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
v_cvt_f32_i32_sdwa v0, sext(v20) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
v_cvt_f32_u32_sdwa v0, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
