#pragma once
#include <uv.h>
#if defined(__linux__)
#include <malloc.h> // malloc_trim
#endif
