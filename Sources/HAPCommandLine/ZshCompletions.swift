extension Program {
  /// The completions for zsh: a function for each command.
  var zshCompletions: String {
    let paths = allPaths
    let functions = paths.map { $0.commands.isEmpty ? zshCommand($0) : zshGroup($0) }
    let candidates = paths.flatMap { path in
      path.operands.map(\.candidates) + path.options.compactMap { path.candidates(for: $0) }
    }
    return "\n" + functions.joined(separator: "\n") + (candidates.contains(.profiles) ? zshProfiles : "")
      + (candidates.contains { if case .printed = $0 { true } else { false } } ? zshPrinted : "")
        + """

        # zsh calls the file as a function if it is in a folder of fpath.
        if [[ ${funcstack[1]} == _\(name) ]]; then
          _\(name) "$@"
        else
          compdef _\(name) \(name)
        fi

        """
  }

  private func zshFunction(_ words: [String]) -> String { (["_" + name] + words).joined(separator: "_") }

  private func zshCommand(_ path: CommandPath) -> String {
    var specs = path.options.flatMap { zshSpecs($0, path.candidates(for: $0)) }
    for (position, operand) in path.operands.enumerated() {
      specs.append(
        shellQuoted((operand.isRepeated ? "*" : "\(position + 1)") + zshValue(operand.label, operand.candidates)))
    }
    return """
      \(zshFunction(path.words))() {
        _arguments -S : \\
          \(specs.joined(separator: " \\\n    "))
      }

      """
  }

  private func zshGroup(_ path: CommandPath) -> String {
    let specs = path.options.flatMap { zshSpecs($0, path.candidates(for: $0), isAlone: true) }
    let items = path.commands.map { shellQuoted("\($0.name):\(zshText(inOneLine($0.summary)))") }
    let cases = path.commands.map { "      \($0.name)) \(zshFunction(path.words + [$0.name])) ;;" }
    let whole = path.words.isEmpty ? "\n  local -a whole_line=(\"${(@)words[1,CURRENT]}\")" : ""
    return """
      \(zshFunction(path.words))() {
        local curcontext=$curcontext state line\(whole)
        local -A opt_args
        local -a below=(
          \(items.joined(separator: "\n    "))
        )
        _arguments -C -S : \\
          \(specs.joined(separator: " \\\n    ")) \\
          '1:COMMAND:->command' \\
          '*::argument:->argument'
        case $state in
          command) _describe -t commands command below ;;
          argument)
            case ${line[1]} in
      \(cases.joined(separator: "\n"))
            esac ;;
        esac
      }

      """
  }

  /// Returns the arguments of `_arguments` for an option, one for each of its names.
  /// - Parameter isAlone: whether nothing may follow the option.
  private func zshSpecs(_ option: OptionDefinition, _ candidates: ValueCandidates?, isAlone: Bool = false) -> [String] {
    let names = option.writtenNames
    var prefix = option.isRepeated ? "*" : names.count > 1 ? "(\(names.joined(separator: " ")))" : ""
    if isAlone || option.name == Command.help.definition.name { prefix = "(- : *)" }
    return names.map { written in
      var spec = prefix + written
      if option.placeholder != nil, written.hasPrefix("--") { spec += "=" }
      spec += "[\(zshText(inOneLine(option.summary)))]"
      if let placeholder = option.placeholder, let candidates { spec += zshValue(placeholder, candidates) }
      return shellQuoted(spec)
    }
  }

  /// Returns the message and the action for a value: ":FILE:_files".
  private func zshValue(_ label: String, _ candidates: ValueCandidates) -> String {
    let action =
      switch candidates {
      case .nothing: " "
      case .words(let words): "(\(words.map(shellQuoted).joined(separator: " ").replacing(":", with: "\\:")))"
      case .files: "_files"
      case .folders: "_files -/"
      case .profiles: "_\(name)_profiles"
      // After a space, the call has no other arguments.
      case .printed(let words): " _\(name)_printed \(words.joined(separator: " "))"
      }
    return ":\(zshText(inOneLine(label))):\(action)"
  }

  private var zshProfiles: String {
    """

    _\(name)_profiles() {
      local folder=${commands[\(name)]:A} place
      local -a names
      while [[ $folder == */* ]]; do
        folder=${folder%/*}
        for place in \(ProfileFolder.paths.map { "$folder/\($0)" }.joined(separator: " ")); do
          [[ -e $place/\(ProfileFolder.mark) ]] || continue
          names=($place/*\(ProfileFolder.suffix)(N:t:r))
          break 2
        done
      done
      _alternative 'profiles:profile:compadd -a names' 'files:file:_files'
    }

    """
  }

  private var zshPrinted: String {
    """

    _\(name)_printed() {
      local -a names=("${(@f)$(\(name) "$@" -- "${(@Q)whole_line[$# + 1,-2]}" "$IPREFIX${(Q)PREFIX}" 2>/dev/null)}")
      local -i status_of_none=1
      # A path continues after its slash.
      compadd -S '' -- ${(M)names:#*/} && status_of_none=0
      compadd -- ${${(@)names:#}:#*/} && status_of_none=0
      return $status_of_none
    }

    """
  }
}

/// Returns a text with a backslash before each character that has a meaning in a specification of `_arguments`.
package func zshText(_ text: String) -> String {
  text.unicodeScalars.map { "\\:[]()".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
}
