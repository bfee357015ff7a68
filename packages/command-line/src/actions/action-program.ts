import { resolve } from "node:path";
import type { Action, CommandForm } from "@sealhouse/administration";
import type { Field } from "@sealhouse/administration/inputs";
import { fieldsOf, inputOfTexts, problemsOf } from "@sealhouse/administration/inputs";
import { Option } from "commander";
import type { Command as Program } from "commander";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import type { ApplyOptions } from "../program-apply.ts";
import { refuseBoth } from "../program-apply.ts";
import type { Print, Prints } from "./print.ts";

/** A call of an action that a person typed. */
export type TypedCall = {
  readonly action: Action;
  readonly input: Record<string, unknown>;
  /** Undefined: the settings decide. */
  readonly isDryRun: boolean | undefined;
  readonly isJson: boolean;
  /** The option or argument of a field, for messages about it. */
  readonly optionOf: (field: string) => string;
  readonly print: Print | undefined;
  /** The value of the option of what prints it. */
  readonly printOption: string | undefined;
};

/** Where a command was typed. */
export type Surroundings = Pick<ProcessContext, "env" | "workingFolder">;

type Options = ApplyOptions &
  Readonly<Record<string, string | readonly string[] | true | undefined>>;

/** Runs a call and resolves when it is done. */
type Call = (typed: TypedCall) => Promise<void>;

/** Adds the commands of actions. */
export function addActions(
  program: Program,
  actions: readonly Action[],
  {
    prints,
    ...parts
  }: {
    readonly prints: Prints;
    readonly surroundings: Surroundings;
    readonly call: Call;
  },
): void {
  for (const action of actions) {
    for (const form of formsOf(action)) {
      addForm(program, { ...parts, action, form, print: prints[form.print ?? action.id] });
    }
  }
}

/** The commands of an action. */
export function formsOf({ command, summary }: Action): readonly CommandForm[] {
  return typeof command === "string" ? [{ words: command, summary, sets: {} }] : command;
}

/** The words that each command of an action begins with. */
export function pathsOf(action: Action): readonly (readonly string[])[] {
  return formsOf(action).map(({ words }) => splitWords(words)[0]);
}

function addForm(
  program: Program,
  {
    action,
    form: { words, summary, sets },
    print,
    surroundings,
    call,
  }: {
    readonly action: Action;
    readonly form: CommandForm;
    readonly print: Print | undefined;
    readonly surroundings: Surroundings;
    readonly call: Call;
  },
): void {
  const [path, names] = splitWords(words);
  const last = path.at(-1) ?? "";
  const parent = path.slice(0, -1).reduce((of, word) => childOf(of, word), program);
  const command = parent.command([last, ...names.map(argumentText)].join(" ")).description(summary);
  const named = names.map(({ name }) => name);
  const fields = fieldsOf(action.input).filter(
    ({ name, option }) => option !== false && !named.includes(name) && !Object.hasOwn(sets, name),
  );
  for (const one of fields) addOption(command, one);
  if (print?.option) command.requiredOption(print.option.flags, print.option.help);
  if (action.hasDryRun) command.option("--dry-run", "list what it would do, change nothing");
  if (action.hasDryRun) {
    command.option("--apply", action.listsByDefault ? "do it" : "do it (default)");
  }
  if (print?.formerWord !== undefined) command.alias(print.formerWord);
  if (print?.formerApply !== undefined) {
    const same = new Option(print.formerApply, "the same as --apply");
    command.addOption(same.implies({ apply: true }).hideHelp());
  }
  command.option("--json", "print JSON");
  command.action(async (...given: unknown[]) => {
    const options = command.opts<Options>();
    refuseBoth(options);
    const paths = fieldsOf(action.input).filter(({ isPath }) => isPath);
    const typed = Object.fromEntries(
      named.map((name, at) => {
        const isPath = paths.some((one) => one.name === name);
        const text = given[at] as string | undefined;
        return [name, isPath && text !== undefined ? pathIn(text, surroundings) : text];
      }),
    );
    const chosen = fields.map((one) => [one.name, textOf(one, options, surroundings)] as const);
    const optionOf = (name: string) =>
      nameOf(fields.find((one) => one.name === name)) ?? `<${name}>`;
    const texts = inputOfTexts(action.input, { ...typed, ...Object.fromEntries(chosen) });
    const checked = action.input.safeParse({ ...texts, ...sets }, { reportInput: true });
    if (!checked.success) {
      const lines = problemsOf(checked.error).map(
        (problem) => `${optionOf(String(problem.path[0]))} ${problem.words}`,
      );
      throw new CommandError(lines.join("\n"));
    }
    const otherwise = action.dryRunDefault ? undefined : action.listsByDefault === true;
    await call({
      action,
      input: checked.data,
      isDryRun: options.dryRun ?? (options.apply ? false : otherwise),
      isJson: options["json"] === true,
      optionOf,
      print,
      printOption: print?.option && (options[flagName(print.option.flags)] as string),
    });
  });
}

type Argument = { readonly name: string; readonly isList: boolean; readonly isOptional: boolean };

/** `token revoke <id>`: the words, and the arguments. */
function splitWords(words: string): readonly [readonly string[], readonly Argument[]] {
  const all = words.split(" ");
  const path = all.filter((word) => /^\w/.test(word));
  const names = all.slice(path.length).map((word) => ({
    name: word.replaceAll(/[<>[\].]/g, ""),
    isList: word.includes("..."),
    isOptional: word.startsWith("["),
  }));
  return [path, names];
}

function argumentText({ name, isList, isOptional }: Argument): string {
  const text = `${name}${isList ? "..." : ""}`;
  return isOptional ? `[${text}]` : `<${text}>`;
}

/** Finds or makes a command that only has others below it. */
function childOf(parent: Program, word: string): Program {
  return parent.commands.find((one) => one.name() === word) ?? parent.command(word);
}

function addOption(command: Program, one: Field): void {
  const flags = flagsOf(one);
  const { help, fallback } = one;
  const isShown = typeof fallback === "string" || typeof fallback === "number";
  const text = isShown ? `${help} (default: ${fallback})` : help;
  if (one.isRequired) command.requiredOption(flags, text);
  else command.option(flags, text);
}

function flagsOf({ option, name, kind }: Field): string {
  if (typeof option === "string") return option;
  const flag = `--${dashed(name)}`;
  if (kind === "flag") return flag;
  return kind === "list" || kind === "pairs"
    ? `${flag} <${dashed(name)}...>`
    : `${flag} <${dashed(name)}>`;
}

/** The name of an option without its value: `--name`. */
function nameOf(one: Field | undefined): string | undefined {
  return one && flagsOf(one).split(/[ ,]/)[0];
}

function textOf(
  one: Field,
  options: Options,
  { env, workingFolder }: Surroundings,
): Options[string] {
  const flag = nameOf(one) ?? "";
  const value = options[flagName(flag)];
  // Commander has true for an absent `--no-wait`, and false for a given one.
  if (flag.startsWith("--no-")) return (value as unknown) === false ? "false" : undefined;
  if (one.isPath && typeof value === "string") return pathIn(value, { workingFolder });
  // `--protocol npm,oci`, where the option takes one text.
  if (one.kind === "list" && typeof value === "string") return value.split(",");
  if (!one.isSecret || value === undefined || value === true) return value;
  if (typeof value === "string") return secretIn(env, value);
  const separator = one.kind === "pairs" ? "=" : ": ";
  return value.map((pair) => {
    const [name = "", variable] = pair.split("=");
    if (name !== "" && variable !== undefined) return name + separator + secretIn(env, variable);
    throw new CommandError(`${flag}: "${pair}" is not of the form Name=VARIABLE.`);
  });
}

/** A path, or a URL where a field takes both. */
function pathIn(text: string, { workingFolder }: Pick<Surroundings, "workingFolder">): string {
  return /^https?:\/\//i.test(text) ? text : resolve(workingFolder, text);
}

/** Other users can read a secret on the command line, so options name variables. */
function secretIn(env: ProcessContext["env"], variable: string): string {
  const secret = env[variable];
  if (secret !== undefined && secret !== "") return secret;
  throw new CommandError(`The environment variable ${variable} is not set.`);
}

/** The property in which commander keeps the value of an option. */
function flagName(flags: string): string {
  return camel((flags.split(/[ ,]/)[0] ?? "").replace(/^--(no-)?/, ""));
}

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
