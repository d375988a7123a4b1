extension Program {
  /// The completions for bash 3.2 and later. The functions know the program's tables by the path of the commands: "home room".
  var bashCompletions: String {
    let paths = allPaths
    let tables = paths.map { path in
      let commands =
        path.commands.isEmpty ? "" : " commands=\(shellQuoted(path.commands.map(\.name).joined(separator: " ")))"
      let options = path.options.map(bashEntry).joined(separator: " ")
      return "  \(shellQuoted(path.name)))\(commands) options=\(shellQuoted(options)) ;;"
    }
    let values = paths.flatMap(bashValues)
    return """

      # Sets the commands and the options after some commands. An option with = has a value, one with + may be repeated.
      _\(name)_table() {
        commands='' options=''
        case $1 in
      \(tables.joined(separator: "\n"))
        esac
      }

      # Adds the candidates for the value of an option, or for an operand: a command and the number of operands before it.
      _\(name)_values() {
        case $1 in
      \(values.joined(separator: "\n"))
        esac
      }

      """ + bashFunctions.replacing("PROGRAM", with: name) + bashProfiles(paths)
        + bashMain.replacing("PROGRAM", with: name)
  }

  private func bashValues(_ path: CommandPath) -> [String] {
    let prefix = path.words.isEmpty ? " " : path.name + " "
    var cases: [(pattern: String, candidates: ValueCandidates)] = path.options.compactMap { option in
      path.candidates(for: option).map { candidates in
        (option.writtenNames.map { shellQuoted(prefix + $0) }.joined(separator: " | "), candidates)
      }
    }
    for (position, operand) in path.operands.enumerated() {
      let pattern = operand.isRepeated ? shellQuoted(prefix) + "[0-9]*" : shellQuoted(prefix + "\(position)")
      cases.append((pattern, operand.candidates))
    }
    return cases.compactMap { pattern, candidates in bashCall(candidates).map { "  \(pattern)) \($0) ;;" } }
  }

  private func bashCall(_ candidates: ValueCandidates) -> String? {
    switch candidates {
    case .nothing: nil
    case .words(let words): "_\(name)_words \(words.map(shellQuoted).joined(separator: " "))"
    case .files: "_\(name)_paths -f default"
    case .folders: "_\(name)_paths -d dirnames"
    case .profiles: "_\(name)_profiles && _\(name)_paths -f default"
    case .printed(let words): "_\(name)_printed \(words.map(shellQuoted).joined(separator: " "))"
    }
  }

  private func bashProfiles(_ paths: [CommandPath]) -> String {
    guard paths.contains(where: { $0.operands.contains { $0.candidates == .profiles } }) else { return "" }
    return """

      # Adds the names of the profiles that come with the program.
      _\(name)_profiles() {
        local folder place file
        folder=$(readlink -f -- "$(type -P \(name))")
        while [[ $folder == */* ]]; do
          folder=${folder%/*}
          for place in \(ProfileFolder.paths.map { "\"$folder\"/\($0)" }.joined(separator: " ")); do
            [[ -e $place/\(ProfileFolder.mark) ]] || continue
            for file in "$place"/*\(ProfileFolder.suffix); do
              file=${file##*/}
              _\(name)_words "${file%\(ProfileFolder.suffix)}"
            done
            return 0
          done
        done
      }

      """
  }
}

/// Returns the names of an option with their marks: "-o=,--output=+".
private func bashEntry(_ option: OptionDefinition) -> String {
  option.writtenNames.map { $0 + (option.placeholder == nil ? "" : "=") }.joined(separator: ",")
    + (option.isRepeated ? "+" : "")
}

private let bashFunctions = #"""

  # Adds those of the words that begin with the current word.
  _PROGRAM_words() {
    local word
    for word; do
      [[ $word != "$current"* ]] || COMPREPLY+=("$word")
    done
  }

  # Adds files or folders. If there are none, the shell tries the second argument, which also knows quoted names.
  _PROGRAM_paths() {
    local path
    compopt -o filenames -o "$2" 2>/dev/null
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
  }

  # Adds the lines that a command of the program prints for the words of the line.
  _PROGRAM_printed() {
    local line at
    local -a before=()
    for ((at = $#; at < COMP_CWORD; at++)); do
      line=${COMP_WORDS[at]//[\\\"\']/}
      [[ $line == = ]] || before+=("$line")
    done
    while IFS= read -r line; do
      # A path continues after its slash.
      [[ $line != */ ]] || compopt -o nospace 2>/dev/null
      [[ $current == [\"\']* ]] || printf -v line %q "$line"
      COMPREPLY+=("$line")
    done < <(PROGRAM "$@" -- "${before[@]}" "${current//[\\\"\']/}" 2>/dev/null)
  }

  # Adds the options that are not on the line yet, or may be repeated.
  _PROGRAM_options() {
    local entry names option
    for entry in $options; do
      names=${entry//[=+]/}
      names=${names//,/ }
      for option in $names; do
        [[ $entry == *+ || $used != *" $option "* ]] || continue 2
      done
      _PROGRAM_words $names
    done
  }

  """#

private let bashMain = #"""

  _PROGRAM() {
    local IFS=$' \t\n' current=${COMP_WORDS[COMP_CWORD]} path='' option='' assigned='' ended='' used=' ' operand=0
    local index word prefix='' commands options
    COMPREPLY=()
    _PROGRAM_table ''
    for ((index = 1; index < COMP_CWORD; index++)); do
      word=${COMP_WORDS[index]}
      # bash separates words at = and :
      if [[ $word == : || ( $word == = && -z $option ) ]]; then
        index=$((index + 1))
        continue
      fi
      if [[ -n $option ]]; then
        if [[ $word == = ]]; then
          assigned=yes
          continue
        fi
        if [[ -n $assigned || $word != --* ]]; then
          option='' assigned=''
          continue
        fi
        option=''
      fi
      if [[ -z $ended && $word == -- ]]; then
        ended=yes
      elif [[ -z $ended && $word == -[!0-9]* ]]; then
        used+="${word%%=*} "
        [[ " $options" != *[\ ,]"$word="* ]] || option=$word
        # An option of a program or a group has no command after it.
        [[ -z $commands ]] || commands='' options=''
      elif [[ -n $commands ]]; then
        path+=${path:+ }$word
        _PROGRAM_table "$path"
      else
        operand=$((operand + 1))
      fi
    done
    if [[ -n $option ]]; then
      [[ $current != = ]] || current='' assigned=yes
      if [[ -n $assigned || $current != --* ]]; then
        _PROGRAM_values "$path $option"
        return 0
      fi
    fi
    [[ $current != [:=] && ${COMP_WORDS[COMP_CWORD - 1]} != [:=] ]] || return 0
    if [[ -z $ended && $current == --*=* ]]; then
      option=${current%%=*} prefix=${current%%=*}= current=${current#*=}
      _PROGRAM_values "$path $option"
      ((${#COMPREPLY[@]} == 0)) || COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
    elif [[ -z $ended && $current == -* ]]; then
      _PROGRAM_options
    elif [[ -n $commands ]]; then
      _PROGRAM_words $commands
    else
      _PROGRAM_values "$path $operand"
    fi
    return 0
  }
  complete -F _PROGRAM PROGRAM

  """#
