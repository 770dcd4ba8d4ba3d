; Small functions that generated code calls and LLVM inlines. Each is taken into a module only where it is used.
; Names: w2w.<operation>.<type>.

define internal <64 x i64> @w2w.pair(<64 x i32> %low, <64 x i32> %high) #0 {
  %both = shufflevector <64 x i32> %low, <64 x i32> %high, <128 x i32> <i32 0, i32 64, i32 1, i32 65, i32 2, i32 66, i32 3, i32 67, i32 4, i32 68, i32 5, i32 69, i32 6, i32 70, i32 7, i32 71, i32 8, i32 72, i32 9, i32 73, i32 10, i32 74, i32 11, i32 75, i32 12, i32 76, i32 13, i32 77, i32 14, i32 78, i32 15, i32 79, i32 16, i32 80, i32 17, i32 81, i32 18, i32 82, i32 19, i32 83, i32 20, i32 84, i32 21, i32 85, i32 22, i32 86, i32 23, i32 87, i32 24, i32 88, i32 25, i32 89, i32 26, i32 90, i32 27, i32 91, i32 28, i32 92, i32 29, i32 93, i32 30, i32 94, i32 31, i32 95, i32 32, i32 96, i32 33, i32 97, i32 34, i32 98, i32 35, i32 99, i32 36, i32 100, i32 37, i32 101, i32 38, i32 102, i32 39, i32 103, i32 40, i32 104, i32 41, i32 105, i32 42, i32 106, i32 43, i32 107, i32 44, i32 108, i32 45, i32 109, i32 46, i32 110, i32 47, i32 111, i32 48, i32 112, i32 49, i32 113, i32 50, i32 114, i32 51, i32 115, i32 52, i32 116, i32 53, i32 117, i32 54, i32 118, i32 55, i32 119, i32 56, i32 120, i32 57, i32 121, i32 58, i32 122, i32 59, i32 123, i32 60, i32 124, i32 61, i32 125, i32 62, i32 126, i32 63, i32 127>
  %pair = bitcast <128 x i32> %both to <64 x i64>
  ret <64 x i64> %pair
}

define internal <64 x i32> @w2w.low(<64 x i64> %pair) #0 {
  %both = bitcast <64 x i64> %pair to <128 x i32>
  %half = shufflevector <128 x i32> %both, <128 x i32> poison, <64 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 64, i32 66, i32 68, i32 70, i32 72, i32 74, i32 76, i32 78, i32 80, i32 82, i32 84, i32 86, i32 88, i32 90, i32 92, i32 94, i32 96, i32 98, i32 100, i32 102, i32 104, i32 106, i32 108, i32 110, i32 112, i32 114, i32 116, i32 118, i32 120, i32 122, i32 124, i32 126>
  ret <64 x i32> %half
}

define internal <64 x i32> @w2w.high(<64 x i64> %pair) #0 {
  %both = bitcast <64 x i64> %pair to <128 x i32>
  %half = shufflevector <128 x i32> %both, <128 x i32> poison, <64 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63, i32 65, i32 67, i32 69, i32 71, i32 73, i32 75, i32 77, i32 79, i32 81, i32 83, i32 85, i32 87, i32 89, i32 91, i32 93, i32 95, i32 97, i32 99, i32 101, i32 103, i32 105, i32 107, i32 109, i32 111, i32 113, i32 115, i32 117, i32 119, i32 121, i32 123, i32 125, i32 127>
  ret <64 x i32> %half
}

; Denormals to zero of the same sign.
define internal <64 x float> @w2w.flush.f32(<64 x float> %x) #0 {
  %bits = bitcast <64 x float> %x to <64 x i32>
  %exponent = and <64 x i32> %bits, splat (i32 2139095040)
  %is_small = icmp eq <64 x i32> %exponent, zeroinitializer
  %zero = and <64 x i32> %bits, splat (i32 -2147483648)
  %flushed = select <64 x i1> %is_small, <64 x i32> %zero, <64 x i32> %bits
  %result = bitcast <64 x i32> %flushed to <64 x float>
  ret <64 x float> %result
}

; Signalling NaNs become quiet.
define internal <64 x float> @w2w.quiet.f32(<64 x float> %x) #0 {
  %bits = bitcast <64 x float> %x to <64 x i32>
  %is_nan = fcmp uno <64 x float> %x, %x
  %quieted = or <64 x i32> %bits, splat (i32 4194304)
  %chosen = select <64 x i1> %is_nan, <64 x i32> %quieted, <64 x i32> %bits
  %result = bitcast <64 x i32> %chosen to <64 x float>
  ret <64 x float> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <64 x float> @w2w.fract.f32(<64 x float> %x) #0 {
  %floor = call <64 x float> @llvm.floor.v64f32(<64 x float> %x)
  %difference = fsub <64 x float> %x, %floor
  %limit = bitcast <64 x i32> splat (i32 1065353215) to <64 x float>
  %is_large = fcmp ogt <64 x float> %difference, %limit
  %result = select <64 x i1> %is_large, <64 x float> %limit, <64 x float> %difference
  ret <64 x float> %result
}
declare <64 x float> @llvm.floor.v64f32(<64 x float>)

; Denormals to zero of the same sign.
define internal <64 x double> @w2w.flush.f64(<64 x double> %x) #0 {
  %bits = bitcast <64 x double> %x to <64 x i64>
  %exponent = and <64 x i64> %bits, splat (i64 9218868437227405312)
  %is_small = icmp eq <64 x i64> %exponent, zeroinitializer
  %zero = and <64 x i64> %bits, splat (i64 -9223372036854775808)
  %flushed = select <64 x i1> %is_small, <64 x i64> %zero, <64 x i64> %bits
  %result = bitcast <64 x i64> %flushed to <64 x double>
  ret <64 x double> %result
}

; Signalling NaNs become quiet.
define internal <64 x double> @w2w.quiet.f64(<64 x double> %x) #0 {
  %bits = bitcast <64 x double> %x to <64 x i64>
  %is_nan = fcmp uno <64 x double> %x, %x
  %quieted = or <64 x i64> %bits, splat (i64 2251799813685248)
  %chosen = select <64 x i1> %is_nan, <64 x i64> %quieted, <64 x i64> %bits
  %result = bitcast <64 x i64> %chosen to <64 x double>
  ret <64 x double> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <64 x double> @w2w.fract.f64(<64 x double> %x) #0 {
  %floor = call <64 x double> @llvm.floor.v64f64(<64 x double> %x)
  %difference = fsub <64 x double> %x, %floor
  %limit = bitcast <64 x i64> splat (i64 4607182418800017407) to <64 x double>
  %is_large = fcmp ogt <64 x double> %difference, %limit
  %result = select <64 x i1> %is_large, <64 x double> %limit, <64 x double> %difference
  ret <64 x double> %result
}
declare <64 x double> @llvm.floor.v64f64(<64 x double>)

; Denormals to zero of the same sign.
define internal <64 x half> @w2w.flush.f16(<64 x half> %x) #0 {
  %bits = bitcast <64 x half> %x to <64 x i16>
  %exponent = and <64 x i16> %bits, splat (i16 31744)
  %is_small = icmp eq <64 x i16> %exponent, zeroinitializer
  %zero = and <64 x i16> %bits, splat (i16 -32768)
  %flushed = select <64 x i1> %is_small, <64 x i16> %zero, <64 x i16> %bits
  %result = bitcast <64 x i16> %flushed to <64 x half>
  ret <64 x half> %result
}

; Signalling NaNs become quiet.
define internal <64 x half> @w2w.quiet.f16(<64 x half> %x) #0 {
  %bits = bitcast <64 x half> %x to <64 x i16>
  %is_nan = fcmp uno <64 x half> %x, %x
  %quieted = or <64 x i16> %bits, splat (i16 512)
  %chosen = select <64 x i1> %is_nan, <64 x i16> %quieted, <64 x i16> %bits
  %result = bitcast <64 x i16> %chosen to <64 x half>
  ret <64 x half> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <64 x half> @w2w.fract.f16(<64 x half> %x) #0 {
  %floor = call <64 x half> @llvm.floor.v64f16(<64 x half> %x)
  %difference = fsub <64 x half> %x, %floor
  %limit = bitcast <64 x i16> splat (i16 15359) to <64 x half>
  %is_large = fcmp ogt <64 x half> %difference, %limit
  %result = select <64 x i1> %is_large, <64 x half> %limit, <64 x half> %difference
  ret <64 x half> %result
}
declare <64 x half> @llvm.floor.v64f16(<64 x half>)

; fma with one rounding: the product of two halves is exact in single precision; the sum is rounded to odd there, so that
; the rounding to half sees whether anything was lost.
define internal <64 x half> @w2w.fma.f16(<64 x half> %a, <64 x half> %b, <64 x half> %c) #0 {
  %x = fpext <64 x half> %a to <64 x float>
  %y = fpext <64 x half> %b to <64 x float>
  %z = fpext <64 x half> %c to <64 x float>
  %p = fmul <64 x float> %x, %y
  %s = fadd <64 x float> %p, %z
  %zp = fsub <64 x float> %s, %p
  %pp = fsub <64 x float> %s, %zp
  %ez = fsub <64 x float> %z, %zp
  %ep = fsub <64 x float> %p, %pp
  %error = fadd <64 x float> %ez, %ep
  %inexact = fcmp one <64 x float> %error, zeroinitializer
  %bits = bitcast <64 x float> %s to <64 x i32>
  %error_bits = bitcast <64 x float> %error to <64 x i32>
  %signs = xor <64 x i32> %bits, %error_bits
  %sign = ashr <64 x i32> %signs, splat (i32 31)
  %is_even = xor <64 x i32> %bits, splat (i32 -1)
  %even = and <64 x i32> %is_even, splat (i32 1)
  %step = or <64 x i32> %sign, splat (i32 1)
  %move_mask = sub <64 x i32> zeroinitializer, %even
  %move = and <64 x i32> %step, %move_mask
  %moved = add <64 x i32> %bits, %move
  %odd = select <64 x i1> %inexact, <64 x i32> %moved, <64 x i32> %bits
  %rounded = bitcast <64 x i32> %odd to <64 x float>
  %result = fptrunc <64 x float> %rounded to <64 x half>
  ret <64 x half> %result
}

