import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Options of `measureBodyMemory`. */
export type BodyMemoryOptions = {
  /** URL of the module that exports the extension. */
  readonly module: string;
  /** Value of `Storage__Type`. */
  readonly type: string;
  readonly values: Readonly<Record<string, string>>;
  /** Size of the body. */
  readonly bytes: number;
};

/** Resident memory of a process that writes one large body and reads it back, in bytes. */
export type BodyMemory = {
  /** After a body of 128 MiB, which loads the SDK and lets the heap reach its usual size. */
  readonly restBytes: number;
  readonly writePeakBytes: number;
  readonly readPeakBytes: number;
  /** Whether the read body was the written one. */
  readonly isSame: boolean;
};

const run = promisify(execFile);

/** Measures a driver in a separate process. */
export async function measureBodyMemory(options: BodyMemoryOptions): Promise<BodyMemory> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const child = fileURLToPath(new URL(`body-memory-child.${extension}`, import.meta.url));
  const { stdout } = await run(process.execPath, [
    "--conditions=@sealhouse/source",
    child,
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout) as BodyMemory;
}
