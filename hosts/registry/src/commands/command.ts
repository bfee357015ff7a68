import type { Extension } from "../extension.ts";
import type { ExtensionOptions as ConfigAsked } from "@sealhouse/settings";
import type { LoadedConfig } from "../settings/load.ts";

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

/** A command cannot do what was asked; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "command-failed";
}
