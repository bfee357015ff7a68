import { param } from "../statements/kinds.ts";
import type { Values } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { ociParam } from "./oci-param.ts";

const PULL = { repository: param.whole, tag: ociParam.tag, now: param.time };

const TOUCH_TAG = defineStatement("oci-tag-touch", PULL, (db, { repository, tag, now }) =>
  db
    .updateTable("oci_tags")
    .set({ pulled_at: now })
    .where("repository_id", "=", repository)
    .where("tag", "=", tag),
);

/**
 * Records pulls of tags in batches, without delaying the pull. Only retention rules use them, which
 * tolerate the clock's threshold.
 */
export type TagPulls = {
  note(repository: number, tag: string, now: Date): void;
  /** Resolves when all recorded pulls of this process are written. */
  written(): Promise<void>;
};

const WAIT_MS = 100;
/** Pulls that wait for a database that fails. */
const REPEATED_MAX = 10_000;

export function createTagPulls(queries: Queries): TagPulls {
  let noted = new Map<string, Values<typeof PULL>>();
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  /** Writes a failed pull with the next one. */
  const repeat = (key: string, pull: Values<typeof PULL>): void => {
    if (noted.has(key) || noted.size >= REPEATED_MAX) return;
    noted.set(key, pull);
  };
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    const pulls = [...noted];
    noted = new Map();
    const writes = pulls.map(([key, pull]) =>
      queries.run(TOUCH_TAG, pull).catch(() => repeat(key, pull)),
    );
    writing = Promise.all([writing, ...writes]);
  };
  return {
    note(repository, tag, now) {
      noted.set(`${repository} ${tag}`, { repository, tag, now });
      timer ??= setTimeout(write, WAIT_MS).unref();
    },
    async written() {
      if (noted.size > 0) write();
      await writing;
    },
  };
}
