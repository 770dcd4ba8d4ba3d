; Small functions of a strip of 16 lanes that generated code calls and LLVM inlines. Each is taken into a module only
; where it is used.
; Names: w2w.<operation>.<type>.

; Lanes that go on with an undefined value are reported; rarely any.
define internal void @w2w.check_lanes(ptr %wave, i64 %lanes) #0 {
  %none = icmp eq i64 %lanes, 0
  br i1 %none, label %done, label %report
report:
  call void @w2w_undefined_use(ptr %wave, i64 %lanes)
  br label %done
done:
  ret void
}
declare void @w2w_undefined_use(ptr, i64)

define internal <16 x i64> @w2w.pair(<16 x i32> %low, <16 x i32> %high) #0 {
  %low.wide = zext <16 x i32> %low to <16 x i64>
  %high.wide = zext <16 x i32> %high to <16 x i64>
  %high.placed = shl <16 x i64> %high.wide, splat (i64 32)
  %pair = or disjoint <16 x i64> %low.wide, %high.placed
  ret <16 x i64> %pair
}

define internal <16 x i32> @w2w.low(<16 x i64> %pair) #0 {
  %low = trunc <16 x i64> %pair to <16 x i32>
  ret <16 x i32> %low
}

define internal <16 x i32> @w2w.high(<16 x i64> %pair) #0 {
  %high.placed = lshr <16 x i64> %pair, splat (i64 32)
  %high = trunc <16 x i64> %high.placed to <16 x i32>
  ret <16 x i32> %high
}

; Denormals to zero of the same sign.
define internal <16 x float> @w2w.flush.f32(<16 x float> %x) #0 {
  %bits = bitcast <16 x float> %x to <16 x i32>
  %exponent = and <16 x i32> %bits, splat (i32 2139095040)
  %is_small = icmp eq <16 x i32> %exponent, zeroinitializer
  %zero = and <16 x i32> %bits, splat (i32 -2147483648)
  %flushed = select <16 x i1> %is_small, <16 x i32> %zero, <16 x i32> %bits
  %result = bitcast <16 x i32> %flushed to <16 x float>
  ret <16 x float> %result
}

; Signalling NaNs become quiet.
define internal <16 x float> @w2w.quiet.f32(<16 x float> %x) #0 {
  %bits = bitcast <16 x float> %x to <16 x i32>
  %is_nan = fcmp uno <16 x float> %x, %x
  %quieted = or <16 x i32> %bits, splat (i32 4194304)
  %chosen = select <16 x i1> %is_nan, <16 x i32> %quieted, <16 x i32> %bits
  %result = bitcast <16 x i32> %chosen to <16 x float>
  ret <16 x float> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <16 x float> @w2w.fract.f32(<16 x float> %x) #0 {
  %floor = call <16 x float> @llvm.floor.v16f32(<16 x float> %x)
  %difference = fsub <16 x float> %x, %floor
  %limit = bitcast <16 x i32> splat (i32 1065353215) to <16 x float>
  %is_large = fcmp ogt <16 x float> %difference, %limit
  %result = select <16 x i1> %is_large, <16 x float> %limit, <16 x float> %difference
  ret <16 x float> %result
}
declare <16 x float> @llvm.floor.v16f32(<16 x float>)

; Denormals to zero of the same sign.
define internal <16 x double> @w2w.flush.f64(<16 x double> %x) #0 {
  %bits = bitcast <16 x double> %x to <16 x i64>
  %exponent = and <16 x i64> %bits, splat (i64 9218868437227405312)
  %is_small = icmp eq <16 x i64> %exponent, zeroinitializer
  %zero = and <16 x i64> %bits, splat (i64 -9223372036854775808)
  %flushed = select <16 x i1> %is_small, <16 x i64> %zero, <16 x i64> %bits
  %result = bitcast <16 x i64> %flushed to <16 x double>
  ret <16 x double> %result
}

; Signalling NaNs become quiet.
define internal <16 x double> @w2w.quiet.f64(<16 x double> %x) #0 {
  %bits = bitcast <16 x double> %x to <16 x i64>
  %is_nan = fcmp uno <16 x double> %x, %x
  %quieted = or <16 x i64> %bits, splat (i64 2251799813685248)
  %chosen = select <16 x i1> %is_nan, <16 x i64> %quieted, <16 x i64> %bits
  %result = bitcast <16 x i64> %chosen to <16 x double>
  ret <16 x double> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <16 x double> @w2w.fract.f64(<16 x double> %x) #0 {
  %floor = call <16 x double> @llvm.floor.v16f64(<16 x double> %x)
  %difference = fsub <16 x double> %x, %floor
  %limit = bitcast <16 x i64> splat (i64 4607182418800017407) to <16 x double>
  %is_large = fcmp ogt <16 x double> %difference, %limit
  %result = select <16 x i1> %is_large, <16 x double> %limit, <16 x double> %difference
  ret <16 x double> %result
}
declare <16 x double> @llvm.floor.v16f64(<16 x double>)

; Denormals to zero of the same sign.
define internal <16 x half> @w2w.flush.f16(<16 x half> %x) #0 {
  %bits = bitcast <16 x half> %x to <16 x i16>
  %exponent = and <16 x i16> %bits, splat (i16 31744)
  %is_small = icmp eq <16 x i16> %exponent, zeroinitializer
  %zero = and <16 x i16> %bits, splat (i16 -32768)
  %flushed = select <16 x i1> %is_small, <16 x i16> %zero, <16 x i16> %bits
  %result = bitcast <16 x i16> %flushed to <16 x half>
  ret <16 x half> %result
}

; Signalling NaNs become quiet.
define internal <16 x half> @w2w.quiet.f16(<16 x half> %x) #0 {
  %bits = bitcast <16 x half> %x to <16 x i16>
  %is_nan = fcmp uno <16 x half> %x, %x
  %quieted = or <16 x i16> %bits, splat (i16 512)
  %chosen = select <16 x i1> %is_nan, <16 x i16> %quieted, <16 x i16> %bits
  %result = bitcast <16 x i16> %chosen to <16 x half>
  ret <16 x half> %result
}

; The largest value below 1 is the largest result: x - floor(x) may round up to 1.
define internal <16 x half> @w2w.fract.f16(<16 x half> %x) #0 {
  %floor = call <16 x half> @llvm.floor.v16f16(<16 x half> %x)
  %difference = fsub <16 x half> %x, %floor
  %limit = bitcast <16 x i16> splat (i16 15359) to <16 x half>
  %is_large = fcmp ogt <16 x half> %difference, %limit
  %result = select <16 x i1> %is_large, <16 x half> %limit, <16 x half> %difference
  ret <16 x half> %result
}
declare <16 x half> @llvm.floor.v16f16(<16 x half>)

; fma with one rounding: the product of two halves is exact in single precision; the sum is rounded to odd there, so that
; the rounding to half sees whether anything was lost.
define internal <16 x half> @w2w.fma.f16(<16 x half> %a, <16 x half> %b, <16 x half> %c) #0 {
  %x = fpext <16 x half> %a to <16 x float>
  %y = fpext <16 x half> %b to <16 x float>
  %z = fpext <16 x half> %c to <16 x float>
  %p = fmul <16 x float> %x, %y
  %s = fadd <16 x float> %p, %z
  %zp = fsub <16 x float> %s, %p
  %pp = fsub <16 x float> %s, %zp
  %ez = fsub <16 x float> %z, %zp
  %ep = fsub <16 x float> %p, %pp
  %error = fadd <16 x float> %ez, %ep
  %inexact = fcmp one <16 x float> %error, zeroinitializer
  %bits = bitcast <16 x float> %s to <16 x i32>
  %error_bits = bitcast <16 x float> %error to <16 x i32>
  %signs = xor <16 x i32> %bits, %error_bits
  %sign = ashr <16 x i32> %signs, splat (i32 31)
  %is_even = xor <16 x i32> %bits, splat (i32 -1)
  %even = and <16 x i32> %is_even, splat (i32 1)
  %step = or <16 x i32> %sign, splat (i32 1)
  %move_mask = sub <16 x i32> zeroinitializer, %even
  %move = and <16 x i32> %step, %move_mask
  %moved = add <16 x i32> %bits, %move
  %odd = select <16 x i1> %inexact, <16 x i32> %moved, <16 x i32> %bits
  %rounded = bitcast <16 x i32> %odd to <16 x float>
  %result = fptrunc <16 x float> %rounded to <16 x half>
  ret <16 x half> %result
}

; The smaller (or greater) of two: a NaN loses against a number, -0 is below +0 (CDNA4 ISA, V_MIN_F32, V_MAX_F32).

define internal <16 x float> @w2w.min.f32(<16 x float> %a, <16 x float> %b) #0 {
  %before = fcmp ult <16 x float> %a, %b
  %number = fcmp ord <16 x float> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x float> %a, <16 x float> %b
  %a.bits = bitcast <16 x float> %a to <16 x i32>
  %b.bits = bitcast <16 x float> %b to <16 x i32>
  %zero.bits = or <16 x i32> %a.bits, %b.bits
  %zero = bitcast <16 x i32> %zero.bits to <16 x float>
  %equal = fcmp oeq <16 x float> %a, %b
  %result = select <16 x i1> %equal, <16 x float> %zero, <16 x float> %chosen
  ret <16 x float> %result
}

define internal <16 x float> @w2w.max.f32(<16 x float> %a, <16 x float> %b) #0 {
  %before = fcmp ugt <16 x float> %a, %b
  %number = fcmp ord <16 x float> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x float> %a, <16 x float> %b
  %a.bits = bitcast <16 x float> %a to <16 x i32>
  %b.bits = bitcast <16 x float> %b to <16 x i32>
  %zero.bits = and <16 x i32> %a.bits, %b.bits
  %zero = bitcast <16 x i32> %zero.bits to <16 x float>
  %equal = fcmp oeq <16 x float> %a, %b
  %result = select <16 x i1> %equal, <16 x float> %zero, <16 x float> %chosen
  ret <16 x float> %result
}

define internal <16 x double> @w2w.min.f64(<16 x double> %a, <16 x double> %b) #0 {
  %before = fcmp ult <16 x double> %a, %b
  %number = fcmp ord <16 x double> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x double> %a, <16 x double> %b
  %a.bits = bitcast <16 x double> %a to <16 x i64>
  %b.bits = bitcast <16 x double> %b to <16 x i64>
  %zero.bits = or <16 x i64> %a.bits, %b.bits
  %zero = bitcast <16 x i64> %zero.bits to <16 x double>
  %equal = fcmp oeq <16 x double> %a, %b
  %result = select <16 x i1> %equal, <16 x double> %zero, <16 x double> %chosen
  ret <16 x double> %result
}

define internal <16 x double> @w2w.max.f64(<16 x double> %a, <16 x double> %b) #0 {
  %before = fcmp ugt <16 x double> %a, %b
  %number = fcmp ord <16 x double> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x double> %a, <16 x double> %b
  %a.bits = bitcast <16 x double> %a to <16 x i64>
  %b.bits = bitcast <16 x double> %b to <16 x i64>
  %zero.bits = and <16 x i64> %a.bits, %b.bits
  %zero = bitcast <16 x i64> %zero.bits to <16 x double>
  %equal = fcmp oeq <16 x double> %a, %b
  %result = select <16 x i1> %equal, <16 x double> %zero, <16 x double> %chosen
  ret <16 x double> %result
}

define internal <16 x half> @w2w.min.f16(<16 x half> %a, <16 x half> %b) #0 {
  %before = fcmp ult <16 x half> %a, %b
  %number = fcmp ord <16 x half> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x half> %a, <16 x half> %b
  %a.bits = bitcast <16 x half> %a to <16 x i16>
  %b.bits = bitcast <16 x half> %b to <16 x i16>
  %zero.bits = or <16 x i16> %a.bits, %b.bits
  %zero = bitcast <16 x i16> %zero.bits to <16 x half>
  %equal = fcmp oeq <16 x half> %a, %b
  %result = select <16 x i1> %equal, <16 x half> %zero, <16 x half> %chosen
  ret <16 x half> %result
}

define internal <16 x half> @w2w.max.f16(<16 x half> %a, <16 x half> %b) #0 {
  %before = fcmp ugt <16 x half> %a, %b
  %number = fcmp ord <16 x half> %a, %a
  %first = and <16 x i1> %before, %number
  %chosen = select <16 x i1> %first, <16 x half> %a, <16 x half> %b
  %a.bits = bitcast <16 x half> %a to <16 x i16>
  %b.bits = bitcast <16 x half> %b to <16 x i16>
  %zero.bits = and <16 x i16> %a.bits, %b.bits
  %zero = bitcast <16 x i16> %zero.bits to <16 x half>
  %equal = fcmp oeq <16 x half> %a, %b
  %result = select <16 x i1> %equal, <16 x half> %zero, <16 x half> %chosen
  ret <16 x half> %result
}

; The first of two that is a signalling NaN, made quiet; else `result`.

define internal <16 x float> @w2w.signal.f32(<16 x float> %a, <16 x float> %b, <16 x float> %result) #0 {
  %a.bits = bitcast <16 x float> %a to <16 x i32>
  %b.bits = bitcast <16 x float> %b to <16 x i32>
  %a.twice = shl <16 x i32> %a.bits, splat (i32 1)
  %b.twice = shl <16 x i32> %b.bits, splat (i32 1)
  %a.above = sub <16 x i32> %a.twice, splat (i32 -16777215)
  %b.above = sub <16 x i32> %b.twice, splat (i32 -16777215)
  %a.signals = icmp ult <16 x i32> %a.above, splat (i32 8388607)
  %b.signals = icmp ult <16 x i32> %b.above, splat (i32 8388607)
  %a.quiet = or <16 x i32> %a.bits, splat (i32 4194304)
  %b.quiet = or <16 x i32> %b.bits, splat (i32 4194304)
  %bits = bitcast <16 x float> %result to <16 x i32>
  %second = select <16 x i1> %b.signals, <16 x i32> %b.quiet, <16 x i32> %bits
  %first = select <16 x i1> %a.signals, <16 x i32> %a.quiet, <16 x i32> %second
  %chosen = bitcast <16 x i32> %first to <16 x float>
  ret <16 x float> %chosen
}

define internal <16 x double> @w2w.signal.f64(<16 x double> %a, <16 x double> %b, <16 x double> %result) #0 {
  %a.bits = bitcast <16 x double> %a to <16 x i64>
  %b.bits = bitcast <16 x double> %b to <16 x i64>
  %a.twice = shl <16 x i64> %a.bits, splat (i64 1)
  %b.twice = shl <16 x i64> %b.bits, splat (i64 1)
  %a.above = sub <16 x i64> %a.twice, splat (i64 -9007199254740991)
  %b.above = sub <16 x i64> %b.twice, splat (i64 -9007199254740991)
  %a.signals = icmp ult <16 x i64> %a.above, splat (i64 4503599627370495)
  %b.signals = icmp ult <16 x i64> %b.above, splat (i64 4503599627370495)
  %a.quiet = or <16 x i64> %a.bits, splat (i64 2251799813685248)
  %b.quiet = or <16 x i64> %b.bits, splat (i64 2251799813685248)
  %bits = bitcast <16 x double> %result to <16 x i64>
  %second = select <16 x i1> %b.signals, <16 x i64> %b.quiet, <16 x i64> %bits
  %first = select <16 x i1> %a.signals, <16 x i64> %a.quiet, <16 x i64> %second
  %chosen = bitcast <16 x i64> %first to <16 x double>
  ret <16 x double> %chosen
}

define internal <16 x half> @w2w.signal.f16(<16 x half> %a, <16 x half> %b, <16 x half> %result) #0 {
  %a.bits = bitcast <16 x half> %a to <16 x i16>
  %b.bits = bitcast <16 x half> %b to <16 x i16>
  %a.twice = shl <16 x i16> %a.bits, splat (i16 1)
  %b.twice = shl <16 x i16> %b.bits, splat (i16 1)
  %a.above = sub <16 x i16> %a.twice, splat (i16 -2047)
  %b.above = sub <16 x i16> %b.twice, splat (i16 -2047)
  %a.signals = icmp ult <16 x i16> %a.above, splat (i16 1023)
  %b.signals = icmp ult <16 x i16> %b.above, splat (i16 1023)
  %a.quiet = or <16 x i16> %a.bits, splat (i16 512)
  %b.quiet = or <16 x i16> %b.bits, splat (i16 512)
  %bits = bitcast <16 x half> %result to <16 x i16>
  %second = select <16 x i1> %b.signals, <16 x i16> %b.quiet, <16 x i16> %bits
  %first = select <16 x i1> %a.signals, <16 x i16> %a.quiet, <16 x i16> %second
  %chosen = bitcast <16 x i16> %first to <16 x half>
  ret <16 x half> %chosen
}

; As min and max in IEEE mode: signalling NaNs win.

define internal <16 x float> @w2w.ieee_min.f32(<16 x float> %a, <16 x float> %b) #0 {
  %quiet = call <16 x float> @w2w.min.f32(<16 x float> %a, <16 x float> %b)
  %result = call <16 x float> @w2w.signal.f32(<16 x float> %a, <16 x float> %b, <16 x float> %quiet)
  ret <16 x float> %result
}

define internal <16 x float> @w2w.ieee_max.f32(<16 x float> %a, <16 x float> %b) #0 {
  %quiet = call <16 x float> @w2w.max.f32(<16 x float> %a, <16 x float> %b)
  %result = call <16 x float> @w2w.signal.f32(<16 x float> %a, <16 x float> %b, <16 x float> %quiet)
  ret <16 x float> %result
}

define internal <16 x double> @w2w.ieee_min.f64(<16 x double> %a, <16 x double> %b) #0 {
  %quiet = call <16 x double> @w2w.min.f64(<16 x double> %a, <16 x double> %b)
  %result = call <16 x double> @w2w.signal.f64(<16 x double> %a, <16 x double> %b, <16 x double> %quiet)
  ret <16 x double> %result
}

define internal <16 x double> @w2w.ieee_max.f64(<16 x double> %a, <16 x double> %b) #0 {
  %quiet = call <16 x double> @w2w.max.f64(<16 x double> %a, <16 x double> %b)
  %result = call <16 x double> @w2w.signal.f64(<16 x double> %a, <16 x double> %b, <16 x double> %quiet)
  ret <16 x double> %result
}

define internal <16 x half> @w2w.ieee_min.f16(<16 x half> %a, <16 x half> %b) #0 {
  %quiet = call <16 x half> @w2w.min.f16(<16 x half> %a, <16 x half> %b)
  %result = call <16 x half> @w2w.signal.f16(<16 x half> %a, <16 x half> %b, <16 x half> %quiet)
  ret <16 x half> %result
}

define internal <16 x half> @w2w.ieee_max.f16(<16 x half> %a, <16 x half> %b) #0 {
  %quiet = call <16 x half> @w2w.max.f16(<16 x half> %a, <16 x half> %b)
  %result = call <16 x half> @w2w.signal.f16(<16 x half> %a, <16 x half> %b, <16 x half> %quiet)
  ret <16 x half> %result
}

; IEEE 754-2019 minimum and maximum: any NaN wins, signalling ones first.

define internal <16 x float> @w2w.minimum.f32(<16 x float> %a, <16 x float> %b) #0 {
  %number = call <16 x float> @w2w.min.f32(<16 x float> %a, <16 x float> %b)
  %b.nan = fcmp uno <16 x float> %b, %b
  %second = select <16 x i1> %b.nan, <16 x float> %b, <16 x float> %number
  %a.nan = fcmp uno <16 x float> %a, %a
  %first = select <16 x i1> %a.nan, <16 x float> %a, <16 x float> %second
  %result = call <16 x float> @w2w.signal.f32(<16 x float> %a, <16 x float> %b, <16 x float> %first)
  ret <16 x float> %result
}

define internal <16 x float> @w2w.maximum.f32(<16 x float> %a, <16 x float> %b) #0 {
  %number = call <16 x float> @w2w.max.f32(<16 x float> %a, <16 x float> %b)
  %b.nan = fcmp uno <16 x float> %b, %b
  %second = select <16 x i1> %b.nan, <16 x float> %b, <16 x float> %number
  %a.nan = fcmp uno <16 x float> %a, %a
  %first = select <16 x i1> %a.nan, <16 x float> %a, <16 x float> %second
  %result = call <16 x float> @w2w.signal.f32(<16 x float> %a, <16 x float> %b, <16 x float> %first)
  ret <16 x float> %result
}

define internal <16 x half> @w2w.minimum.f16(<16 x half> %a, <16 x half> %b) #0 {
  %number = call <16 x half> @w2w.min.f16(<16 x half> %a, <16 x half> %b)
  %b.nan = fcmp uno <16 x half> %b, %b
  %second = select <16 x i1> %b.nan, <16 x half> %b, <16 x half> %number
  %a.nan = fcmp uno <16 x half> %a, %a
  %first = select <16 x i1> %a.nan, <16 x half> %a, <16 x half> %second
  %result = call <16 x half> @w2w.signal.f16(<16 x half> %a, <16 x half> %b, <16 x half> %first)
  ret <16 x half> %result
}

define internal <16 x half> @w2w.maximum.f16(<16 x half> %a, <16 x half> %b) #0 {
  %number = call <16 x half> @w2w.max.f16(<16 x half> %a, <16 x half> %b)
  %b.nan = fcmp uno <16 x half> %b, %b
  %second = select <16 x i1> %b.nan, <16 x half> %b, <16 x half> %number
  %a.nan = fcmp uno <16 x half> %a, %a
  %first = select <16 x i1> %a.nan, <16 x half> %a, <16 x half> %second
  %result = call <16 x half> @w2w.signal.f16(<16 x half> %a, <16 x half> %b, <16 x half> %first)
  ret <16 x half> %result
}
