import type { ShownRegularJob } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints the regular jobs of a host. */
export const SCHEDULE_PRINTS = {
  "schedule.list": printOf<{ readonly items: readonly ShownRegularJob[] }>({
    text({ items }, { stdout }) {
      for (const job of items) stdout(lineOf(job));
    },
  }),
  "schedule.run": printOf<ShownRegularJob>({
    text: (job, { stdout }) => stdout(lineOf(job)),
  }),
};

function lineOf({ name, everySeconds, isRunning, startedAt, endedAt, failure }: ShownRegularJob) {
  const state = isRunning
    ? `running since ${startedAt}`
    : endedAt === undefined
      ? "has not run yet"
      : failure === undefined
        ? `ended ${endedAt}`
        : `failed ${endedAt}: ${failure}`;
  return `${name}  every ${everySeconds} s  ${state}`;
}
