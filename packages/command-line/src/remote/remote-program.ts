import { Command as Program } from "commander";
import { runActionProgram } from "../actions/run-action-program.ts";
import { CommandError } from "../command.ts";
import type { ProcessContext } from "../command.ts";
import { addLogin } from "./program-login.ts";
import { registryAddress } from "./registry-address.ts";
import { doRemotely } from "./remote-host.ts";
import { readToken } from "./token-file.ts";

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
  const { env, stop } = context;
  const { url, rest } = remoteOf(words, env);
  const program = new Program("sealhouse").description(`Administers the registry at ${url}`);
  return runActionProgram(program, rest, {
    context,
    version,
    async open() {
      const token = await tokenFor(url, context);
      return { doAction: doRemotely({ url, token }, stop) };
    },
    others: (ended) => addLogin(program, context, ended),
  });
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
