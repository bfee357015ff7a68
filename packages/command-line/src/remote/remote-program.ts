import { Command as Program, CommanderError } from "commander";
import { addAdministration } from "../actions/program-actions.ts";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import { addLogin } from "./program-login.ts";
import { registryAddress } from "./registry-address.ts";
import { doRemotely } from "./remote-host.ts";
import { readToken } from "./token-file.ts";

const USAGE = 2;
/** `EX_UNAVAILABLE` of sysexits.h: the command needs the machine of the registry. */
const NEEDS_THE_MACHINE = 69;

const REMOTE_VARIABLE = "SEALHOUSE_REMOTE";
const TOKEN_VARIABLE = "SEALHOUSE_TOKEN";

/**
 * Runs a command at the registry of `--remote` or `SEALHOUSE_REMOTE`: without its settings, its
 * database and its machine. Resolves to the exit code.
 */
export async function runRemoteProgram(
  words: readonly string[],
  context: ProcessContext,
  { version }: { readonly version: string },
): Promise<number> {
  const { env, stdout, stderr, stop } = context;
  const { url, rest } = remoteOf(words, env);
  let code = 0;
  const program = new Program("sealhouse")
    .description(`Administers the registry at ${url}`)
    .version(version)
    .configureOutput({
      writeOut: (text) => stdout(text.trimEnd()),
      writeErr: (text) => stderr(text.trimEnd()),
    })
    .exitOverride();
  await addAdministration(program, {
    words: rest,
    context,
    open: async () => {
      const token = await tokenFor(url, context);
      return { doAction: doRemotely({ url, token }, stop) };
    },
    ended: (result) => (code = result),
  });
  addLogin(program, context, (result) => (code = result));
  const [first] = rest;
  if (first !== undefined && !program.commands.some((one) => one.name() === first)) {
    stderr(`${first} needs the machine of the registry: run it there, without --remote.`);
    return NEEDS_THE_MACHINE;
  }
  try {
    await program.parseAsync([...rest], { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE;
  }
}

const OPTION = /^--remote(?:=|$)/;

function remoteOf(words: readonly string[], env: ProcessContext["env"]) {
  const at = words.findIndex((word) => OPTION.test(word));
  const word = words[at];
  const isAlone = word === "--remote";
  const text = word === undefined ? env[REMOTE_VARIABLE] : isAlone ? words[at + 1] : word.slice(9);
  const rest = at === -1 ? words : [...words.slice(0, at), ...words.slice(at + (isAlone ? 2 : 1))];
  return { url: registryAddress(text ?? "", "--remote"), rest };
}

/** @throws CommandError */
async function tokenFor(url: string, { env }: Pick<ProcessContext, "env">): Promise<string> {
  const token = env[TOKEN_VARIABLE] || (await readToken(url, { env }));
  if (token !== undefined) return token;
  throw new CommandError(
    `Sign in: sealhouse login ${url}\n` +
      `Or set ${TOKEN_VARIABLE} to a token with the scope admin, or a narrower one.`,
  );
}
