import type { QueryPort, Statement } from "../raw/query-port.ts";

const TOUCH_TAG: Statement = {
  name: "oci-tag-touch",
  sql: "update oci_tags set pulled_at = ? where repository_id = ? and tag = ?",
};

/**
 * Records pulls of tags in batches, without delaying the pull. Only retention rules use them, which
 * tolerate the clock's threshold.
 */
export type TagPulls = {
  note(repository: number, tag: string, at: Date): void;
  /** Resolves when all recorded pulls of this process are written. */
  written(): Promise<void>;
};

const WAIT_MS = 100;

export function createTagPulls(port: QueryPort): TagPulls {
  let noted = new Map<string, readonly [Date, number, string]>();
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    const pulls = [...noted.values()];
    noted = new Map();
    // A failed write is repeated with the next pull.
    writing = Promise.allSettled([writing, ...pulls.map((pull) => port.run(TOUCH_TAG, pull))]);
  };
  return {
    note(repository, tag, at) {
      noted.set(`${repository} ${tag}`, [at, repository, tag]);
      timer ??= setTimeout(write, WAIT_MS).unref();
    },
    async written() {
      if (noted.size > 0) write();
      await writing;
    },
  };
}
