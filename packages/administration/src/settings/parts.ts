import type { ShownSetting } from "@sealhouse/settings";

/** The settings in force, without secrets. */
export type ShownSettings = {
  readonly items: readonly ShownSetting[];
  /** Unknown keys and other remarks. */
  readonly warnings: readonly string[];
};

/** The settings and the state of the registry. */
export type OperationParts = {
  /** Undefined: the program that runs the registry does not show them. */
  settings(): Promise<ShownSettings | undefined>;
  /** Asks whether the host answers requests. */
  readiness(signal: AbortSignal): Promise<Readiness>;
};

/** The state of a host, as its health address answers. */
export type Readiness = {
  readonly isReady: boolean;
  /** The address that was asked, and its answer. */
  readonly detail: string;
};
