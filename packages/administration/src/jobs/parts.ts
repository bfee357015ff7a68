import type { RegularJobs } from "@sealhouse/jobs";

export type RegularJobParts = {
  /** Returns the jobs of this host; undefined in a process that is not a host. */
  readonly regularJobs: () => RegularJobs | undefined;
};
