; doubles: v[14:15] v[16:17] v[18:19], s[12:13]
v_{add,mul,min,max}_f64 v[0:1], v[14:15], v[16:17]
v_{add,mul,max}_f64 v[0:1], -v[14:15], |v[16:17]|
v_{add,mul}_f64 v[0:1], v[14:15], s[12:13] clamp
v_add_f64 v[0:1], v[14:15], 1.0
v_mul_f64 v[0:1], v[14:15], -4.0
v_mul_f64 v[0:1], v[14:15], 0.15915494309189532
v_fma_f64 v[0:1], v[14:15], v[16:17], v[18:19]
v_fma_f64 v[0:1], -v[14:15], v[16:17], -v[18:19]
v_fmac_f64_e32 v[0:1], v[14:15], v[16:17]
v_{trunc,floor,ceil,rndne,fract}_f64_e32 v[0:1], v[14:15]
v_ldexp_f64 v[0:1], v[14:15], v33
v_frexp_mant_f64_e32 v[0:1], v[14:15]
v_frexp_exp_i32_f64_e32 v0, v[14:15]
v_div_fixup_f64 v[0:1], v[14:15], v[16:17], v[18:19]
v_mov_b64 v[0:1], v[14:15]
v_mov_b64_dpp v[0:1], v[14:15] row_newbcast:3 row_mask:0xf bank_mask:0xf
