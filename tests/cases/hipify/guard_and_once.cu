// flags: always-runtime
// a header
#ifndef A_H
#pragma once
#define A_H
#include <stdio.h>
#include "cusolverDn.h"
#include "cusolverSp.h"
#ifdef OTHER
#include "cusolverRf.h"
#endif
#endif  // A_H
// output
// a header
#ifndef A_H
#include <hip/hip_runtime.h>
#pragma once
#define A_H
#include <stdio.h>
#include "hipsolver/hipsolver.h"
#ifdef OTHER
#endif
#endif  // A_H
