import { errorCodeOf } from "@sealhouse/http-responses";
import { runRemoteProgram } from "@sealhouse/command-line/remote";
import type { ProcessContext } from "@sealhouse/command-line";
import { VERSION } from "../version.ts";

const FAILED = 1;

/** Runs a command at another registry. Loads no settings and no part of a host. */
export async function runRemote(
  words: readonly string[],
  context: ProcessContext,
): Promise<number> {
  try {
    return await runRemoteProgram(words, context, { version: VERSION });
  } catch (error) {
    if (errorCodeOf(error) !== "command-failed") throw error;
    context.stderr((error as Error).message);
    return FAILED;
  }
}
