import type { Caller } from "@sealhouse/request-types";
import type { Syndication } from "./syndication.ts";

/** Rows of syndications. Each change and its event `syndication.changed` are one transaction. */
export interface SyndicationRows {
  list(): Promise<readonly Syndication[]>;
  /** Adds the syndication, or replaces the one with its name. Names ignore letter case. */
  put(syndication: Syndication, caller: Caller): Promise<void>;
  remove(name: string, caller: Caller): Promise<"removed" | "absent">;
}
