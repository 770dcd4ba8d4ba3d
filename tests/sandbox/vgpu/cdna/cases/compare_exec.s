; the compares that write EXEC too
v_cmpx_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f32_e32 vcc, v10, v11
v_cmpx_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f64_e64 s[20:21], v[14:15], v[16:17]
v_cmpx_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_f16_e32 vcc, v30, v31
v_cmpx_{f,lt,eq,le,gt,ne,ge,t}_{i32,u32}_e32 vcc, v20, v21
v_cmpx_{f,lt,eq,le,gt,ne,ge,t}_{i16,u16}_e64 s[20:21], v20, v21
v_cmpx_{f,lt,eq,le,gt,ne,ge,t}_{i64,u64}_e32 vcc, v[24:25], v[26:27]
v_cmpx_class_{f16_e32,f32_e32} vcc, v30, v20
v_cmpx_class_f64_e64 s[20:21], v[14:15], v20
v_cmp_{f,t}_{i64,u64}_e32 vcc, v[24:25], v[26:27]
