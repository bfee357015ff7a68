import { errorCodeOf } from "@sealhouse/http-responses";
import type { Extension } from "../extension.ts";
import type { ConfigAsked } from "../settings/extension-option.ts";
import { loadExtensions } from "../settings/extensions.ts";
import { ConfigError, EXIT_CONFIG, loadConfig } from "../settings/load.ts";
import type { LoadedConfig } from "../settings/load.ts";
import { splitArguments } from "./setting-arguments.ts";

/** What a command may know of the world. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  readonly extensions: readonly Extension[];
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** The clock of what is signed and of certificates. Default: the machine's. */
  readonly now?: () => Date;
  /** Standard output: what another program may read. */
  readonly print: (text: string) => void;
  /** Standard error: what a person reads. */
  readonly tell: (text: string) => void;
};

export type Command = Surroundings & { readonly load: (asked?: ConfigAsked) => LoadedConfig };

const FAILED = 1;

/** Runs one command line and resolves to the exit code. */
export async function runCommandLine(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { settings, rest, problems } = splitArguments(args);
  const { env, workingFolder } = surroundings;
  try {
    const named = await loadExtensions({ env, args: settings, workingFolder });
    const extensions = [...surroundings.extensions, ...named];
    const load = (asked: ConfigAsked = {}): LoadedConfig => {
      if (problems.length > 0) throw new ConfigError(problems);
      return loadConfig({ env, args: settings, workingFolder, extensions, ...asked });
    };
    const command: Command = { ...surroundings, extensions, load };
    if (rest.length === 0 || (rest.length === 1 && rest[0] === "serve")) {
      const { serve } = await import("./serve.ts");
      return await serve(command);
    }
    const { runProgram } = await import("./program.ts");
    return await runProgram(rest, command);
  } catch (error) {
    return explain(error, surroundings);
  }
}

function explain(error: unknown, { tell }: Surroundings): number {
  if (error instanceof ConfigError) {
    for (const warning of error.warnings) tell(`Warning: ${warning}`);
    tell(error.message);
    return EXIT_CONFIG;
  }
  if (error instanceof Error && SETUP_ERRORS.has(errorCodeOf(error) ?? "")) {
    tell(error.message);
    return EXIT_CONFIG;
  }
  if (isUserError(error)) tell(error.message);
  else tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return FAILED;
}

/** Codes of errors about settings that only their use can tell to be wrong. */
const SETUP_ERRORS = new Set(["folder-unusable", "signing-setup-invalid", "trusted-root-invalid"]);

/** Codes of errors whose message says all that the reader can act on; a stack would only bury it.
 * Node's messages for the last three name the cause and the file. */
const USER_ERRORS = new Set([
  "listen-failed",
  "schema-mismatch",
  "unknown-key",
  "not-protected",
  "tampered",
  "bad-key-file",
  "token-setting-invalid",
  "command-failed",
  "resigning-stopped",
  "ENOSPC",
  "EDQUOT",
  "EROFS",
]);

function isUserError(error: unknown): error is Error {
  const code = errorCodeOf(error) ?? "";
  // Its `code` is NuGet's, and extensions may bring another copy of its class.
  if (error instanceof Error && error.name === "SigningError") return true;
  return USER_ERRORS.has(code) || /^(?:database|storage)-/.test(code);
}

/** A command cannot do what was asked; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "command-failed";
}
