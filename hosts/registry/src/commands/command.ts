import type { Extension } from "../extension.ts";
import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import type { LoadedConfig } from "../settings/load.ts";

/** Environment and terminal of a command. */
export type ProcessContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  readonly extensions: readonly Extension[];
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** The clock of what is signed and of certificates. Default: the machine's. */
  readonly now?: () => Date;
  /** Standard output: what another program may read. */
  readonly stdout: (text: string) => void;
  /** Standard error: what a person reads. */
  readonly stderr: (text: string) => void;
};

export type Command = ProcessContext & { readonly load: (options?: ConfigOptions) => LoadedConfig };

/** A command could not do its work; the message gives the reason and the next step. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "command-failed";
}
