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
  /** JSON of the options that differ from the defaults. */
  readonly options: string;
};

/** Rows of targets. Each change and its event `target.changed` are one transaction. */
export interface TargetRows {
  list(): Promise<readonly TargetRow[]>;
  /** Adds the target, or replaces the one with its name. Names ignore letter case. */
  put(row: TargetRow, caller: Caller): Promise<void>;
  /** `used`: a group or syndication has the target. */
  remove(name: string, caller: Caller): Promise<"removed" | "used" | "absent">;
  /** Pauses or, without a reason, resumes it. False when it was so already, or is absent. */
  pause(name: string, reason: string | undefined, caller: Caller): Promise<boolean>;
}
