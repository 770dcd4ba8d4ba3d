v_{and,or,xor,xnor}_b32_e32 v0, v20, v21
v_not_b32_e32 v0, v20
v_{mov,bfrev}_b32_e32 v0, v20
v_mov_b32_e32 v0, 0x12345678
v_mov_b32_e32 v0, s14
v_mov_b32_e32 v0, src_scc
v_mov_b32_e32 v0, vcc_hi
v_{lshlrev_b32,lshrrev_b32,ashrrev_i32,lshlrev_b16,lshrrev_b16,ashrrev_i16}_e32 v0, v23, v20
v_{lshlrev_b64,lshrrev_b64,ashrrev_i64} v[0:1], v23, v[24:25]
v_lshlrev_b64 v[0:1], 5, s[16:17]
v_{add3_u32,or3_b32,add_lshl_u32,and_or_b32,xad_u32,bfi_b32,perm_b32} v0, v20, v21, v22
v_{lshl_add_u32,lshl_or_b32} v0, v20, v23, v22
v_add_lshl_u32 v0, v20, v21, v23
v_lshl_add_u64 v[0:1], v[24:25], v23, v[26:27]
v_{bfe_u32,bfe_i32} v0, v20, v23, v13
v_{bfe_u32,bfe_i32} v0, v20, 3, 9
v_{bfe_u32,bfe_i32} v0, v20, 30, 9
v_bfm_b32 v0, v23, v13
v_{alignbit_b32,alignbyte_b32} v0, v20, v21, v23
v_bcnt_u32_b32 v0, v20, v21
v_mbcnt_lo_u32_b32 v0, v20, v21
v_mbcnt_hi_u32_b32 v0, v20, v21
v_mbcnt_lo_u32_b32 v0, -1, 0
v_{ffbh_u32,ffbl_b32,ffbh_i32}_e32 v0, v20
v_sat_pk_u8_i16_e32 v0, v20
v_swap_b32 v0, v1
v_readfirstlane_b32 s20, v20
v_readlane_b32 s20, v20, {0,17,63}
v_readlane_b32 s20, v20, s14
v_writelane_b32 v0, s14, {3,63}
v_writelane_b32 v0, s14, m0
