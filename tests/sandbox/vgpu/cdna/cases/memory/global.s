global_store_{byte,short,dword,byte_d16_hi,short_d16_hi} v[38:39], v20, off offset:8
global_load_{ubyte,sbyte,ushort,sshort,dword} v0, v[38:39], off offset:4
global_store_dwordx2 v36, v[24:25], s[62:63] offset:-16
global_store_dwordx3 v36, v[20:22], s[62:63] offset:16
global_store_dwordx4 v36, v[24:27], s[62:63]
global_load_dwordx2 v[0:1], v36, s[62:63] offset:-16
global_load_dwordx3 v[0:2], v36, s[62:63]
global_load_dwordx4 v[0:3], v36, s[62:63] offset:2
global_load_{ubyte_d16,sbyte_d16,short_d16,ubyte_d16_hi,sbyte_d16_hi,short_d16_hi} v0, v[38:39], off offset:1
global_load_dword v0, v9, s[62:63]
global_store_dword v9, v21, s[62:63] offset:2048
flat_store_{byte,short,dword} v[38:39], v20
flat_store_dwordx4 v[34:35], v[24:27]
flat_load_{ubyte,sbyte,ushort,sshort,dword} v0, v[34:35]
flat_load_dwordx4 v[0:3], v[34:35]
flat_load_dwordx3 v[0:2], v[38:39] offset:16
flat_store_{dwordx2} v[44:45], v[24:25]
flat_load_dwordx2 v[0:1], v[44:45]
flat_load_short_d16_hi v0, v[44:45]
scratch_store_dword off, v20, s33
scratch_store_dwordx2 off, v[24:25], off offset:8
scratch_store_dwordx4 v36, v[24:27], s34 offset:16
scratch_store_byte v36, v21, off
scratch_load_dword v0, off, s33
scratch_load_dwordx2 v[0:1], off, off offset:8
scratch_load_dwordx4 v[0:3], v36, s34 offset:16
scratch_load_{ubyte,sbyte,ushort,sshort,dword} v0, v36, off
scratch_load_{sbyte_d16,short_d16_hi} v0, v36, off
flat_load_dword v0, v[44:45] offset:128
flat_store_{byte_d16_hi,short_d16_hi} v[38:39], v20
flat_store_dwordx3 v[38:39], v[20:22]
flat_load_{ubyte_d16,sbyte_d16,short_d16,ubyte_d16_hi,sbyte_d16_hi} v0, v[38:39]
flat_load_{ubyte_d16,sbyte_d16_hi} v0, v[34:35]
scratch_store_{short,byte_d16_hi,short_d16_hi} v36, v21, off offset:2
scratch_store_dwordx3 off, v[20:22], s33
scratch_load_dwordx3 v[0:2], off, s33
scratch_load_{ubyte_d16,short_d16,ubyte_d16_hi,sbyte_d16_hi} v0, v36, off offset:1
