import type { ProcessContext } from "@sealhouse/command-line";
import type { ExtensionOptions as ConfigOptions } from "@sealhouse/settings";
import type { Extension } from "../extension.ts";
import type { LoadedConfig } from "../settings/load.ts";

/** Environment and terminal of a command, with the extensions of an embedding program. */
export type HostContext = ProcessContext & { readonly extensions: readonly Extension[] };

/** Context and settings of the host's own commands. */
export type HostCommand = HostContext & {
  /** All words of the command line. */
  readonly args: readonly string[];
  readonly load: (options?: ConfigOptions) => LoadedConfig;
};
