import type { Caller } from "@sealhouse/request-types";
import type { Digest } from "../digest.ts";
import type { Page } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

/** A tag with the times of its last push and pull. */
export type TagRecord = {
  readonly tag: string;
  readonly digest: Digest;
  /** Time when the tag was set or moved to this digest. */
  readonly pushedAt: Date;
  /** Time of the last pull by this tag, accurate to some hours; undefined: never. */
  readonly pulledAt?: Date;
};

/** Reads and deletes tags for retention. */
export interface TagRetention {
  /** Returns up to `limit` tags that sort after `after`, in code unit order. */
  tagRecords(repository: RepositoryName, page: Page): Promise<readonly TagRecord[]>;
  /** Deletes a tag and records its event. `kept`: the tag was moved or pulled since it was read, or
   * became immutable. The manifest stays until the collector removes it. */
  removeTag(
    repository: RepositoryName,
    seen: TagRecord,
    by: { readonly rule: string; readonly caller: Caller },
  ): Promise<"deleted" | "kept">;
}
