import { errorCodeOf } from "@sealhouse/http-responses";
import { endOnStop, stopOutcome } from "./end-on-stop.ts";
import type { HostContext } from "./host-command.ts";
import { runAtRunningHost } from "./run-at-host.ts";

const FAILED = 1;
const TRY =
  "To try the registry without settings: " +
  "ASPNETCORE_ENVIRONMENT=Development npx -y @sealhouse/registry";

/**
 * Runs one command line, at the host that runs with the same settings or with those settings.
 * Resolves to the exit code.
 */
export async function runCommandLine(
  args: readonly string[],
  surroundings: HostContext,
): Promise<number> {
  try {
    const code = await endOnStop(runAtRunningHost(args, surroundings), surroundings.stop);
    if (code !== undefined) return code;
    // Loads the settings of all parts, which a command at a running host does not need.
    const { runWithSettings } = await import("./run-with-settings.ts");
    return await runWithSettings(args, surroundings);
  } catch (error) {
    return await explain(error, surroundings);
  }
}

async function explain(error: unknown, { env, stderr, stop }: HostContext): Promise<number> {
  const { ConfigError, EXIT_CONFIG } = await import("../settings/load.ts");
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
