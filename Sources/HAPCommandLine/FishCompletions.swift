extension Program {
  /// The completions for fish 3.0 and later.
  var fishCompletions: String {
    let paths = allPaths
    let names = paths.dropFirst().map { fishQuoted($0.name) }
    let valued = paths.flatMap { path in
      path.options.filter { $0.placeholder != nil }.flatMap(\.writtenNames).map { fishQuoted("\(path.name) \($0)") }
    }
    let hasProfiles = paths.contains { $0.operands.contains { $0.candidates == .profiles } }
    return """

      # The commands with those of groups, and the options that have a value, after their commands.
      set -g __\(name)_commands \(names.joined(separator: " "))
      set -g __\(name)_valued \(valued.joined(separator: " "))

      """ + fishFunctions.replacing("PROGRAM", with: name) + (hasProfiles ? fishProfiles : "")
        + "\ncomplete -c \(name) -e\ncomplete -c \(name) -f\n" + paths.flatMap(fishLines).joined(separator: "\n") + "\n"
  }

  private func fishLines(_ path: CommandPath) -> [String] {
    let place = fishQuoted(path.name)
    var lines = path.commands.map { command in
      fishLine("__\(name)_at \(place) 0", "-a \(command.name) -d \(fishQuoted(inOneLine(command.summary)))")
    }
    for option in path.options {
      let unused = option.isRepeated ? "" : option.writtenNames.map { " " + $0 }.joined()
      var words = "-l \(option.name)" + (option.letter.map { " -s \($0)" } ?? "")
      if let candidates = path.candidates(for: option) {
        words += candidates == .files ? " -r -F" : " -x" + (fishArguments(candidates).map { " " + $0 } ?? "")
      }
      lines.append(
        fishLine("__\(name)_option \(place)\(unused)", words + " -d \(fishQuoted(inOneLine(option.summary)))"))
    }
    for (position, operand) in path.operands.enumerated() {
      guard let words = fishArguments(operand.candidates) else { continue }
      lines.append(fishLine("__\(name)_at \(place) \(position)\(operand.isRepeated ? "+" : "")", words))
    }
    return lines
  }

  private func fishLine(_ condition: String, _ words: String) -> String {
    "complete -c \(name) -n \"\(condition)\" \(words)"
  }

  private func fishArguments(_ candidates: ValueCandidates) -> String? {
    switch candidates {
    case .nothing: nil
    case .words(let words): "-a \(fishQuoted(words.map(fishQuoted).joined(separator: " ")))"
    case .files: "-F"
    case .folders: "-a '(__fish_complete_directories)'"
    case .profiles: "-F -a '(__\(name)_profiles)'"
    case .printed(let words): "-a '(__\(name)_printed \(words.joined(separator: " ")))'"
    }
  }

  private var fishProfiles: String {
    """

    function __\(name)_profiles
        set -l folder (realpath (command -s \(name)))
        while string match -q -- '*/*' $folder
            set folder (string replace -r -- '/[^/]*$' '' $folder)
            for place in \(ProfileFolder.paths.map { "$folder/\($0)" }.joined(separator: " "))
                test -e $place/\(ProfileFolder.mark); or continue
                for file in $place/*\(ProfileFolder.suffix)
                    basename $file \(ProfileFolder.suffix)
                end
                return
            end
        end
    end

    """
  }
}

/// Returns a text as one word of fish: in single quotes, if it has a character with a meaning.
package func fishQuoted(_ text: String) -> String {
  isPlain(text)
    ? text : "'" + text.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
}

private let fishFunctions = #"""

  # Sets the commands, the number of operands and the options before the current word.
  function __PROGRAM_parse
      set -l words (commandline -opc)
      set -q __PROGRAM_words; and test "$__PROGRAM_words" = "$words"; and return
      set -g __PROGRAM_words $words
      set -g __PROGRAM_path
      set -g __PROGRAM_operands 0
      set -g __PROGRAM_used
      set -l option
      set -l ended
      for word in $words[2..-1]
          if set -q option[1]
              set -l name $option
              set option
              set -a __PROGRAM_used $name
              string match -q -- '--*' $word; or continue
          end
          if test -z "$ended" -a "$word" = --
              set ended yes
          else if test -z "$ended"; and string match -qr -- '^-[^0-9]' $word
              set -l name (string replace -r -- '=.*' '' $word)
              if test "$name" = "$word"; and contains -- "$__PROGRAM_path $word" $__PROGRAM_valued
                  set option $word
              else
                  set -a __PROGRAM_used $name
              end
              # An option of a program or a group has no command after it.
              if string match -q -- (string join -- ' ' $__PROGRAM_path '*') $__PROGRAM_commands
                  set __PROGRAM_operands 1
              end
          else if contains -- (string join -- ' ' $__PROGRAM_path $word) $__PROGRAM_commands
              set -a __PROGRAM_path $word
          else
              set __PROGRAM_operands (math $__PROGRAM_operands + 1)
          end
      end
  end

  # Succeeds after these commands and so many operands: 1 is one, 1+ is one or more.
  function __PROGRAM_at
      __PROGRAM_parse
      test "$__PROGRAM_path" = $argv[1]; or return
      if string match -q -- '*+' $argv[2]
          test $__PROGRAM_operands -ge (string replace -- + '' $argv[2])
      else
          test $__PROGRAM_operands -eq $argv[2]
      end
  end

  # Succeeds after these commands, if the options are not on the line.
  function __PROGRAM_option
      __PROGRAM_parse
      test "$__PROGRAM_path" = $argv[1]; or return
      for name in $argv[2..-1]
          contains -- $name $__PROGRAM_used; and return 1
      end
      return 0
  end

  # Prints the lines that a command of the program prints for the words of the line.
  function __PROGRAM_printed
      set -l words (commandline -opc)
      PROGRAM $argv -- $words[(math (count $argv) + 1)..-1] (string unescape -- (commandline -ct)) 2>/dev/null
  end

  """#
