import { errorCodeOf } from "@sealhouse/http-responses";
import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import { loadExtensions } from "../settings/extensions.ts";
import { ConfigError, EXIT_CONFIG, loadConfig } from "../settings/load.ts";
import type { LoadedConfig } from "../settings/load.ts";
import { endOnStop, stopOutcome } from "./end-on-stop.ts";
import type { HostCommand, HostContext } from "./host-command.ts";
import { splitArguments } from "./setting-arguments.ts";

const FAILED = 1;
const TRY =
  "To try the registry without settings: " +
  "ASPNETCORE_ENVIRONMENT=Development npx -y @sealhouse/registry";

/** Runs one command line and resolves to the exit code. */
export async function runCommandLine(
  args: readonly string[],
  surroundings: HostContext,
): Promise<number> {
  const { settings, rest, problems } = splitArguments(args);
  const { env, workingFolder } = surroundings;
  try {
    const loadedExtensions = await loadExtensions({ env, args: settings, workingFolder });
    const extensions = [...surroundings.extensions, ...loadedExtensions];
    const load = (options: ConfigOptions = {}): LoadedConfig => {
      if (problems.length > 0) throw new ConfigError(problems);
      return loadConfig({ env, args: settings, workingFolder, extensions, ...options });
    };
    const command: HostCommand = { ...surroundings, extensions, load };
    if (rest.length === 0 || (rest.length === 1 && rest[0] === "serve")) {
      const { serve } = await import("./serve.ts");
      return await serve(command);
    }
    const { runCommand } = await import("./run-command.ts");
    return await endOnStop(runCommand(rest, command), command.stop);
  } catch (error) {
    return explain(error, surroundings);
  }
}

function explain(error: unknown, { env, stderr, stop }: HostContext): number {
  if (error instanceof ConfigError) {
    for (const warning of error.warnings) stderr(`Warning: ${warning}`);
    stderr(error.message);
    if (env["npm_command"] === "exec" && env["ASPNETCORE_ENVIRONMENT"] === undefined) stderr(TRY);
    return EXIT_CONFIG;
  }
  if (error instanceof Error && SETUP_ERRORS.has(errorCodeOf(error) ?? "")) {
    stderr(error.message);
    return EXIT_CONFIG;
  }
  if (stop.aborted) {
    // What fails then fails because of the stop.
    const { sentence, code } = stopOutcome(stop);
    stderr(sentence);
    return code;
  }
  if (isUserError(error)) stderr(error.message);
  else stderr(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return FAILED;
}

/** Codes of errors about settings that only their use can tell to be wrong. */
const SETUP_ERRORS = new Set([
  "bad-wrapping-key",
  "driver-missing",
  "folder-unusable",
  "signing-setup-invalid",
  "source-refused",
  "storage-foreign",
  "trial-database",
  "trusted-root-invalid",
  "wrapping-key-missing",
  "wrapping-key-wrong",
]);

/**
 * Codes of errors whose message is sufficient; a stack trace would only hide it. Node's messages
 * for the last three name the cause and the file.
 */
const USER_ERRORS = new Set([
  "listen-failed",
  "schema-mismatch",
  "unknown-key",
  "not-protected",
  "tampered",
  "bad-key-file",
  "token-setting-invalid",
  "command-failed",
  "cannot-sign",
  "resigning-stopped",
  "ENOSPC",
  "EDQUOT",
  "EROFS",
]);

function isUserError(error: unknown): error is Error {
  const code = errorCodeOf(error) ?? "";
  return USER_ERRORS.has(code) || /^(?:database|storage)-/.test(code);
}
