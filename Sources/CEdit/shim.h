#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <histedit.h>

// The library's functions take what they take by variable arguments, which Swift can't call.

static inline int edit_set_number(EditLine *edit, int what, int number) { return el_set(edit, what, number); }
static inline int edit_set_text(EditLine *edit, int what, const char *text) { return el_set(edit, what, text); }
static inline int edit_set_pointer(EditLine *edit, int what, void *pointer) { return el_set(edit, what, pointer); }
static inline int edit_get_pointer(EditLine *edit, int what, void **pointer) { return el_get(edit, what, pointer); }
static inline int edit_refresh(EditLine *edit) { return el_set(edit, EL_REFRESH); }
static inline int edit_set_prompt(EditLine *edit, char *(*prompt)(EditLine *)) {
  return el_set(edit, EL_PROMPT, prompt);
}
// With el_set, the library of macOS takes only the low byte of a character.
static inline int edit_set_reader(EditLine *edit, int (*read)(EditLine *, wchar_t *)) {
  return el_wset(edit, EL_GETCFN, read);
}
static inline int edit_add_function(
    EditLine *edit, const char *name, const char *help, unsigned char (*function)(EditLine *, int)) {
  return el_set(edit, EL_ADDFN, name, help, function);
}
static inline int edit_bind(EditLine *edit, const char *key, const char *command) {
  return el_set(edit, EL_BIND, key, command, NULL);
}
static inline int edit_set_terminal(EditLine *edit, const char *mode, const char *setting) {
  return el_set(edit, EL_SETTY, mode, setting, NULL);
}
static inline int edit_set_history(EditLine *edit, History *past) { return el_set(edit, EL_HIST, history, past); }
static inline int edit_keep_past(History *past, int count) {
  HistEvent event;
  return history(past, &event, H_SETSIZE, count);
}
static inline int edit_enter_past(History *past, const char *line) {
  HistEvent event;
  return history(past, &event, H_ENTER, line);
}
static inline FILE *edit_standard_input(void) { return stdin; }
static inline FILE *edit_standard_output(void) { return stdout; }
static inline FILE *edit_standard_error(void) { return stderr; }
static inline int edit_bytes_in_character(void) { return (int)MB_CUR_MAX; }
