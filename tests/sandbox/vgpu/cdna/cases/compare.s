v_cmp_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f32_e32 vcc, v10, v11
v_cmp_{lt,eq,nge,u}_f32_e64 s[20:21], -v10, |v11|
v_cmp_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f64_e32 vcc, v[14:15], v[16:17]
v_cmp_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f16_e32 vcc, v30, v31
v_cmp_{f,lt,eq,le,gt,ne,ge,t}_{i32,u32,i16,u16}_e32 vcc, v20, v21
v_cmp_{lt,eq,le,gt,ne,ge}_{i64,u64}_e64 s[20:21], v[24:25], v[26:27]
v_cmp_lt_i32_e32 vcc, -5, v21
v_cmp_eq_u32_e64 s[20:21], v20, s14
v_cmp_gt_u64_e64 s[20:21], s[16:17], v[26:27]
v_cmpx_{lt,ge}_f32_e32 vcc, v10, v11
v_cmpx_{lt,ne}_i32_e32 vcc, v20, v21
v_cmpx_gt_u32_e64 s[20:21], v20, v21
v_cmp_class_f32_e64 s[20:21], v10, v20
v_cmp_class_f32_e64 s[20:21], -v10, {1,3,60}
v_cmp_class_f64_e64 vcc, v[14:15], v20
v_cmp_class_f16_e32 vcc, v30, v20
v_cmpx_class_f32_e32 vcc, v10, v20
v_cmp_lt_u32_sdwa vcc, v20, v21 src0_sel:BYTE_1 src1_sel:WORD_1
v_cmp_lt_i16_sdwa s[20:21], sext(v20), v21 src0_sel:BYTE_1 src1_sel:WORD_1
v_cmp_gt_f16_sdwa vcc, -v30, |v31| src0_sel:WORD_1 src1_sel:WORD_0
