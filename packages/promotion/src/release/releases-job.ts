import { allEnded, createLimit } from "@sealhouse/http-responses/outgoing";
import type { Job } from "@sealhouse/jobs";
import type { ReleaseRows } from "./ports.ts";

const EVERY_MS = 5_000;
const RELEASES_AT_ONCE = 4;

/** Brings a release as far as it goes now. */
type ReleaseRunner = { run(id: string, signal: AbortSignal): Promise<unknown> };

/** Continues releases that wait, or whose process was killed. `open` is called when one is due. */
export function releasesJob({
  releases,
  open,
  now,
}: {
  readonly releases: Pick<ReleaseRows, "due">;
  readonly open: () => Promise<ReleaseRunner>;
  readonly now: () => Date;
}): Job {
  return {
    name: "releases to other registries",
    firstAfterMs: EVERY_MS,
    everyMs: EVERY_MS,
    async run(signal) {
      const due = await releases.due(now());
      if (due.length === 0) return;
      const opened = await open();
      const limit = createLimit(RELEASES_AT_ONCE);
      // A slow or failing release keeps no other from its targets.
      const runs = due.map((id) =>
        limit(async () => {
          signal.throwIfAborted();
          await opened.run(id, signal);
        }),
      );
      await allEnded(runs);
    },
  };
}
