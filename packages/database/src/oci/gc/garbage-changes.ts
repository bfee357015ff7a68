import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { Changes } from "../../orm/changes.ts";
import { mark } from "./mark.ts";
import { createUnneededMarks } from "./mark-unneeded.ts";
import type { LinkOrder } from "./mark-unneeded.ts";
import { begin, finish } from "./runs.ts";
import { claimBlob, failBlob, forgetBlob, removeLink, removeManifest } from "./sweep.ts";

type Reading = "repositories" | "candidates" | "dying" | "report" | "reports";

export type GarbageChanges = Omit<GarbageCatalog, Reading>;

export function createGarbageChanges(changes: Changes, order: LinkOrder): GarbageChanges {
  const unneeded = createUnneededMarks(changes, order);
  return {
    begin: (run) => begin(changes, run),
    mark: (run, wanted) => mark(changes, run, wanted),
    markLinks: (...asked) => unneeded.markLinks(...asked),
    markBlobs: (...asked) => unneeded.markBlobs(...asked),
    removeManifest: (run, candidate, untaggedSince, { stuck = false } = {}) =>
      removeManifest(changes, { run, candidate, untaggedSince, stuck }),
    removeLink: (run, candidate) => removeLink(changes, run, candidate),
    claimBlob: (run, candidate) => claimBlob(changes, run, candidate),
    forgetBlob: (run, blob) => forgetBlob(changes, run, blob),
    failBlob: (run, blob) => failBlob(changes, run, blob),
    async finish(run, end) {
      await finish(changes, run, end);
      unneeded.forget(run.id);
    },
  };
}
