import type { Caller } from "@sealhouse/request-types";
import type { Digest } from "../digest.ts";
import type { Page } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A tag, and what tells how much it is in use. */
export type TagRecord = {
  readonly tag: string;
  readonly digest: Digest;
  /** When it was set, or moved to that digest. */
  readonly pushedAt: Date;
  /** When it was last pulled by its name, give or take some hours; undefined: never. */
  readonly pulledAt?: Date;
};

/** What retention asks of the catalog. */
export interface TagRetention {
  /** The tags that sort after `after`, by code unit, up to `limit`. */
  tagRecords(repository: RepositoryName, page: Page): Promise<readonly TagRecord[]>;
  /** Deletes a tag, with its event, unless it was moved or pulled since it was seen, or has become
   * immutable: then it is `kept`. Its manifest stays for the collector. */
  removeTag(
    repository: RepositoryName,
    seen: TagRecord,
    by: { readonly rule: string; readonly caller: Caller },
  ): Promise<"deleted" | "kept">;
}
