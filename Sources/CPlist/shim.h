#pragma once
#include <plist/plist.h>
#include <stdlib.h>

// PLIST_UINT is a constant up to libplist 2.2 and a macro after it; plist_from_bin returns nothing up to 2.2 and an error after it.
static const plist_type cplist_integer = PLIST_UINT;

static inline plist_t cplist_from_bin(const char *bytes, uint32_t length) {
  plist_t root = NULL;
  plist_from_bin(bytes, length, &root);
  return root;
}

// Iterators, and the keys that they give, belong to the caller.
static inline void cplist_free(void *memory) { free(memory); }
