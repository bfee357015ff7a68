import type { Command as Program } from "commander";
import { CommandError } from "../command.ts";

/** The words that may follow each beginning of a command, such as `token` or `oci hold`. */
type Words = ReadonlyMap<string, readonly string[]>;

const SCRIPTS: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `${functionOf(words)}complete -F _sealhouse sealhouse\n`,
  zsh: (words) =>
    `autoload -U +X bashcompinit && bashcompinit\n${functionOf(words)}` +
    "complete -F _sealhouse sealhouse\n",
  fish: fishScript,
};

/**
 * Returns the script that completes the words of all commands in a shell.
 *
 * @throws CommandError for another shell
 */
export function completionScript(shell: string, program: Program): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script) return script(wordsOf(program));
  throw new CommandError(`"${shell}" is not a shell with completion; use bash, zsh or fish.`);
}

function wordsOf(program: Program, path: readonly string[] = []): Words {
  const below = program.commands.map((command) => command.name());
  const options = program.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long }) => (long ? [long] : []));
  const own: Words = new Map([[path.join(" "), [...below, ...options]]]);
  const others = program.commands.map((command) => wordsOf(command, [...path, command.name()]));
  return new Map([own, ...others].flatMap((words) => [...words]));
}

/** A function that follows the words before the cursor to the last one that is a command. */
function functionOf(words: Words): string {
  const cases = [...words].map(([path, next]) => `    "${path}") words="${next.join(" ")}" ;;`);
  return `_sealhouse() {
  local current="\${COMP_WORDS[COMP_CWORD]}" known="" word words="" next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${known:+$known }$word"
    case "$next" in
      ${[...words.keys()]
        .filter((path) => path !== "")
        .map((path) => `"${path}"`)
        .join("|")}) known="$next" ;;
    esac
  done
  case "$known" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`;
}

function fishScript(words: Words): string {
  const lines = [...words].flatMap(([path, next]) => {
    const plain = next.filter((word) => !word.startsWith("-"));
    const options = next.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
    const before = path === "" ? "__fish_use_subcommand" : conditionOf(path, plain);
    const begin = `complete -c sealhouse -n "${before}"`;
    return [
      ...(plain.length > 0 ? [`${begin} -f -a "${plain.join(" ")}"`] : []),
      ...options.map((option) => `${begin} -l ${option}`),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** All words of the beginning were typed, and none of the words that follow it. */
function conditionOf(path: string, next: readonly string[]): string {
  const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const open = next.length > 0 ? [`not __fish_seen_subcommand_from ${next.join(" ")}`] : [];
  return [...seen, ...open].join("; and ");
}
