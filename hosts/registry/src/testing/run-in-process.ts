import { runCommandLine } from "../commands/run.ts";
import type { Extension } from "../extension.ts";

/** What a command line did. */
export type Ran = {
  readonly code: number;
  /** Standard output, without the last line end. */
  readonly printed: string;
  /** Standard error, likewise. */
  readonly told: string;
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
    /** Default: nobody asks it to end. */
    readonly stop?: AbortSignal;
    readonly now?: () => Date;
  },
): Promise<Ran> {
  const printed: string[] = [];
  const told: string[] = [];
  const code = await runCommandLine(words, {
    env,
    workingFolder: folder,
    extensions,
    stop,
    ...(now && { now }),
    print: (text) => printed.push(text),
    tell: (text) => told.push(text),
  });
  return { code, printed: printed.join("\n"), told: told.join("\n") };
}
