s_{mov,not,brev,wqm,quadmask,cmov}_b32 s20, s14
s_{mov,not,brev,wqm,quadmask,cmov}_b64 s[20:21], s[16:17]
s_{and,or,xor,andn2,orn2,nand,nor,xnor,cselect}_b32 s20, s14, s15
s_{and,or,xor,andn2,orn2,nand,nor,xnor,cselect}_b64 s[20:21], s[16:17], s[26:27]
s_and_b64 vcc, s[16:17], vcc
s_or_b64 exec, s[16:17], vcc
s_mov_b32 vcc_hi, s14
s_mov_b32 exec_lo, s14
s_mov_b32 s20, 0x12345678
s_mov_b64 s[20:21], -3
s_{and,or,xor,andn2,orn2,nand,nor,xnor,andn1,orn1}_saveexec_b64 s[20:21], s[16:17]
s_{andn1,andn2}_wrexec_b64 s[20:21], s[16:17]
s_{add,sub,min,max}_{i32,u32} s20, s14, s15
s_{addc,subb}_u32 s20, s14, s15
s_add_u32 s20, s14, 0x80000000
s_mul_i32 s20, s14, s15
s_mul_hi_{u32,i32} s20, s14, s15
s_{lshl1,lshl2,lshl3,lshl4}_add_u32 s20, s14, s15
s_{lshl_b32,lshr_b32,ashr_i32} s20, s14, s19
s_{lshl_b64,lshr_b64,ashr_i64} s[20:21], s[16:17], s19
s_bfm_b32 s20, s19, s14
s_bfm_b64 s[20:21], s19, s14
s_bfe_{u32,i32} s20, s14, {0x50003,0x200000,0x70000,0x12001f}
s_bfe_{u64,i64} s[20:21], s[16:17], {0x50003,0x400000,0x210010}
s_{bcnt0,bcnt1,ff0,ff1,flbit}_i32_b32 s20, s14
s_{bcnt0,bcnt1,ff0,ff1,flbit}_i32_b64 s20, s[16:17]
s_flbit_i32 s20, s14
s_flbit_i32_i64 s20, s[16:17]
s_sext_i32_{i8,i16} s20, s14
s_{abs_i32} s20, s14
s_absdiff_i32 s20, s14, s15
s_pack_{ll,lh,hh}_b32_b16 s20, s14, s15
s_bitreplicate_b64_b32 s[20:21], s14
s_{bitset0,bitset1}_b32 s20, s19
s_{bitset0,bitset1}_b64 s[20:21], s19
s_{bitcmp0,bitcmp1}_b32 s14, s19
s_{bitcmp0,bitcmp1}_b64 s[16:17], s19
s_cmp_{eq,lg,gt,ge,lt,le}_{i32,u32} s14, s15
s_cmp_{eq,lg}_u64 s[16:17], s[26:27]
s_cmp_lt_i32 s14, -7
s_cmpk_{eq,lg,gt,ge,lt,le}_i32 s14, 0x8001
s_cmpk_{eq,lg,gt,ge,lt,le}_u32 s14, 0xffff
s_movk_i32 s20, 0x8000
s_cmovk_i32 s20, 0x7fff
s_addk_i32 s20, 0x7fff
s_mulk_i32 s20, 0xfff1
