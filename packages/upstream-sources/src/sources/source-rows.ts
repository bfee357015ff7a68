import type { Caller } from "@sealhouse/request-types";

/** A source as a row. */
export type SourceRow = {
  readonly name: string;
  readonly protocol: string;
  readonly url: string;
  readonly type: string;
  readonly priority: number;
  readonly surface?: string;
  readonly strategy: string;
  readonly signaturePolicy: string;
  readonly isEnabled: boolean;
  /** Encrypted JSON. */
  readonly credentials?: Uint8Array;
  /** JSON of the settings that differ from the defaults. */
  readonly settings: string;
};

/** Rows of sources. Each change and its event are one transaction. */
export interface SourceRows {
  list(): Promise<readonly SourceRow[]>;
  /** Adds the source, or replaces the one with its name. */
  put(row: SourceRow, caller: Caller): Promise<void>;
  /** Names differ without regard to letter case. */
  remove(name: string, caller: Caller): Promise<"removed" | "absent">;
}
