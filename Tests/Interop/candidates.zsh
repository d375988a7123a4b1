# Prints the candidates of zsh for each line, and END after them; with SHOW_LINES=show, also LINE, the completed line and |. A shell on a pseudo-terminal completes the lines.
#
#   zsh -f candidates.zsh FOLDER LINE…      FOLDER has the completions: _hapsim, …
zmodload zsh/zpty
folder=$1 work=$(mktemp -d)
shift
mkfifo $work/pipe
exec 3<>$work/pipe
cat >$work/setup <<SETUP
PROMPT=
fpath=($folder \$fpath)
autoload -Uz compinit && compinit -u -D
# Writes the candidates to the pipe, and adds them. With -O, -A or -D, compadd only fills an array.
compadd() {
  local -a hits
  if [[ \${@[1,(i)(-|--)]} != *-[OAD]\ * ]]; then
    builtin compadd -O hits "\$@"
    (( \$#hits )) && print -rl -- "\${hits[@]}" >$work/pipe
  fi
  builtin compadd "\$@"
}
finish() {
  zle complete-word
  [[ -z \$SHOW_LINES ]] || print -r -- "LINE \$BUFFER|" >$work/pipe
  print -r -- END >$work/pipe
  BUFFER=
}
zle -N finish
bindkey '^T' finish
# A list that is longer than the terminal would begin with a question.
setopt no_auto_list no_auto_menu
print -r -- READY >$work/pipe
SETUP
zpty -b shell zsh -f -i
zpty -w shell "source $work/setup"
until [[ $answer == READY ]]; do
  read -t 120 -ru 3 answer || exit 1
done
for line; do
  zpty -n -w shell "$line"$'\x14'
  answer=
  until [[ $answer == END ]]; do
    # The terminal's output is read, too, so that the shell never waits.
    while zpty -r -t shell output; do :; done
    read -t 120 -ru 3 answer || exit 1
    print -r -- "$answer"
  done
done
zpty -d shell
rm -r $work
