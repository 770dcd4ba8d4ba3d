; what compilers seldom or never emit
v_screen_partition_4se_b32_e32 v0, v20
v_cvt_pkaccum_u8_f32 v0, v10, v33
v_cvt_rpi_i32_f32_e32 v0, v10
v_cvt_norm_{i16,u16}_f16_e32 v0, v30
v_cvt_pknorm_{i16,u16}_f32 v0, v10, -v11
v_cvt_pknorm_{i16,u16}_f16 v0, v30, v31 op_sel:[1,0,0]
v_{cubeid,cubesc,cubetc,cubema}_f32 v0, v10, v11, v12
v_{fma,div_fixup}_legacy_f16 v0, v30, -v31, v32
v_div_fmas_f32 v0, v10, v11, v12
v_div_fmas_f64 v[0:1], v[14:15], v[16:17], v[18:19]
v_mul_lo_i32 v0, v20, v21
v_{sad_u8,sad_hi_u8,sad_u16,sad_u32,msad_u8} v0, v20, v21, v22 clamp
v_dot2c_f32_f16_e32 v0, v30, v31
v_nop
v_clrexcp

v_trig_preop_f64 v[0:1], v[14:15], {0,1,2}
v_{exp_legacy,log_legacy,rcp_iflag}_f32_e32 v0, v10 ; ulps=1
