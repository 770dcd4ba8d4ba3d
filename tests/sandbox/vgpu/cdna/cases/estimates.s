; computed to about one unit in the last place
v_{rcp,rsq,sqrt,exp,log}_f32_e32 v0, v10 ; ulps=1
v_{sin,cos}_f32_e32 v0, v10 ; ulps=2
v_{rcp,rsq,sqrt,exp,log}_f16_e32 v0, v30 ; ulps=1
v_{sin,cos}_f16_e32 v0, v30 ; ulps=2
v_{rcp,rsq,sqrt}_f64_e32 v[0:1], v[14:15] ; ulps=1
v_{rcp,exp}_f32_e64 v0, -|v10| clamp ; ulps=1
v_dot2_f32_f16 v0, v30, v31, v10
v_dot2_f32_f16 v0, v30, v31, s10 clamp
v_cvt_f32_{fp8,bf8}_e32 v0, v20
v_cvt_f32_{fp8,bf8}_sdwa v0, v20 src0_sel:{BYTE_1,BYTE_3}
v_cvt_pk_f32_{fp8,bf8}_e32 v[0:1], v20
v_cvt_pk_f32_{fp8,bf8}_sdwa v[0:1], v20 src0_sel:WORD_1
v_cvt_pk_{fp8,bf8}_f32 v0, v10, v11
v_cvt_pk_{fp8,bf8}_f32 v0, v10, -v11 op_sel:[0,0,1]
