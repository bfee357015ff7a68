import { runCommandLine } from "../commands/run.ts";
import type { Extension } from "../extension.ts";

/** Output and exit code of a command line. */
export type Ran = {
  readonly code: number;
  /** Standard output, without the last line end. */
  readonly printed: string;
  /** Standard error, likewise. */
  readonly stderr: string;
};

/** Runs `sealhouse` with these words in this process, in `folder`, with no settings but `env`. */
export async function runInProcess(
  words: readonly string[],
  {
    folder,
    env,
    extensions = [],
    stop = new AbortController().signal,
    now,
  }: {
    readonly folder: string;
    readonly env: Readonly<Record<string, string>>;
    readonly extensions?: readonly Extension[];
    /** Ends the command; the default never aborts. */
    readonly stop?: AbortSignal;
    readonly now?: () => Date;
  },
): Promise<Ran> {
  const printed: string[] = [];
  const errorLines: string[] = [];
  const code = await runCommandLine(words, {
    env,
    workingFolder: folder,
    extensions,
    stop,
    ...(now && { now }),
    stdout: (text) => printed.push(text),
    stderr: (text) => errorLines.push(text),
  });
  return { code, printed: printed.join("\n"), stderr: errorLines.join("\n") };
}
