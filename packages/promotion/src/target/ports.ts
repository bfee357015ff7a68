import type { Caller } from "@sealhouse/request-types";

/** A target as a row. */
export type TargetRow = {
  readonly name: string;
  readonly protocol: string;
  readonly endpoint: string;
  /** Encrypted JSON. */
  readonly credentials?: Uint8Array;
  readonly expiresAt?: Date;
  readonly pausedAt?: Date;
  readonly pauseReason?: string;
  readonly lastSuccessAt?: Date;
  /** JSON of the options that differ from the defaults. */
  readonly options: string;
};

/** A part of the list of targets. Names differ without regard to letter case. */
export type TargetPage = { readonly after?: string | undefined; readonly limit: number };

/** Rows of targets. Each change and its event `target.changed` are one transaction. */
export interface TargetRows {
  /** By name; `after`: only those with a later name. */
  list(page?: TargetPage): Promise<readonly TargetRow[]>;
  find(name: string): Promise<TargetRow | undefined>;
  /** Adds the target, or replaces the one with its name. Names ignore letter case. */
  put(row: TargetRow, caller: Caller): Promise<void>;
  /** `used`: a group or syndication has the target. `running`: a release goes there. */
  remove(name: string, caller: Caller): Promise<"removed" | "used" | "running" | "absent">;
  /** Pauses or, without a reason, resumes it. False when it was so already, or is absent. */
  pause(name: string, reason: string | undefined, caller: Caller): Promise<boolean>;
}
