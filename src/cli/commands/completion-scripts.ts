/** A command as a shell sees it: the words that lead to it, and what can follow. */
export type CompletionPoint = {
  /** `''` for the program itself, else each word with a space before it: `' signals list'`. */
  path: string;
  commands: { name: string; description: string }[];
  options: { names: string[]; description: string; value: 'none' | 'free' | 'file' | string[] }[];
  choices: string[];
};

// All three scripts follow the words before the cursor from command to command and then offer what can come next. Only
// the last command takes options with values, so a value is never mistaken for a command.

export function bashScript(places: CompletionPoint[]): string {
  return `_partner_signals() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${commandPaths(places).map(quote).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${valueCases(places, {
  file: 'COMPREPLY=($(compgen -f -- "$cur")); return',
  free: 'return',
  oneOf: (values) => `words=${quote(values.join(' '))}`,
})}
    *)
      case "$at" in
${places.map(({ path, ...place }) => `        ${quote(path)}) words=${quote(wordsOf(place).join(' '))} ;;`).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _partner_signals partner-signals`;
}

export function zshScript(places: CompletionPoint[]): string {
  const described = (name: string, description: string) =>
    quote(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);
  return `#compdef partner-signals
_partner_signals() {
  local at= i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      ${commandPaths(places).map(quote).join(' | ')}) at="$at $words[i]" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${valueCases(places, {
  file: '_files',
  free: '_message value',
  oneOf: (values) => `compadd -- ${values.map(quote).join(' ')}`,
})}
    *)
      case "$at" in
${places
  .map(
    ({ path, commands, options, choices }) => `        ${quote(path)})
          items=(${commands.map(({ name, description }) => described(name, description)).join(' ')})
          (( $#items )) && _describe command items
          items=(${options.flatMap(({ names, description }) => names.map((name) => described(name, description))).join(' ')})
          _describe -o option items${choices.length > 0 ? `\n          compadd -- ${choices.map(quote).join(' ')}` : ''} ;;`,
  )
  .join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _partner_signals ]]; then
  _partner_signals "$@"
else
  compdef _partner_signals partner-signals
fi`;
}

export function fishScript(places: CompletionPoint[]): string {
  const lines = places.flatMap(({ path, commands, options, choices }) => {
    const line = (rest: string) => `complete -c partner-signals -n "__partner_signals_at '${path}'" ${rest}`;
    return [
      ...commands.map(({ name, description }) => line(`-a ${name} -d ${quoteFish(description)}`)),
      ...options.map(({ names, description, value }) => {
        const flags = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const takes =
          typeof value === 'string'
            ? { none: '', file: ' -rF', free: ' -x' }[value]
            : ` -xa ${quoteFish(value.join(' '))}`;
        return line(`${flags.join(' ')}${takes} -d ${quoteFish(description)}`);
      }),
      ...choices.map((choice) => line(`-a ${choice}`)),
    ];
  });
  return `function __partner_signals_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${commandPaths(places).map(quoteFish).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c partner-signals -f
${lines.join('\n')}`;
}

type Actions = { file: string; free: string; oneOf: (values: string[]) => string };

/** What to do after each option that takes a value: one branch for each action, not for each option. */
function valueCases(places: CompletionPoint[], actions: Actions): string {
  const patterns = new Map<string, string[]>();
  for (const { path, options } of places)
    for (const { names, value } of options) {
      if (value === 'none') continue;
      const action = typeof value === 'string' ? actions[value] : actions.oneOf(value);
      const words = names.map((name) => quote(`${path} ${name}`));
      patterns.set(action, [...(patterns.get(action) ?? []), ...words]);
    }
  return [...patterns].map(([action, all]) => `    ${all.join(' | ')}) ${action} ;;`).join('\n');
}

function commandPaths(places: CompletionPoint[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

function wordsOf({ commands, options, choices }: Omit<CompletionPoint, 'path'>): string[] {
  return [...commands.map(({ name }) => name), ...choices, ...options.flatMap(({ names }) => names)];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
