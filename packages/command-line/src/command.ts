import type { ShownSettings } from "@sealhouse/administration";
import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import type { Config } from "./config.ts";
import type { RegistryParts, RunningHosts } from "./ports.ts";

/** Environment and terminal of a command. */
export type ProcessContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** The clock of what is signed and of certificates. Default: the machine's. */
  readonly now?: () => Date;
  /** Standard output: what another program may read. */
  readonly stdout: (text: string) => void;
  /** Standard error: what a person reads. */
  readonly stderr: (text: string) => void;
};

/** Context, settings and parts of the registry for one command. */
export type Command = ProcessContext & {
  /** Reads the settings; rejects all that are wrong with one error. */
  readonly load: (options?: ConfigOptions) => { readonly config: Config };
  /** The settings in force with their sources. */
  readonly shownSettings: () => Promise<ShownSettings>;
  readonly registry: RegistryParts;
  readonly hosts: RunningHosts;
};

/** The option of a command that can print JSON. */
export type Json = { readonly json?: true };

/** A command could not do its work; the message gives the reason and the next step. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "command-failed";
}
