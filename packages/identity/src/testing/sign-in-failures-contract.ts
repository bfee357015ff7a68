import assert from "node:assert/strict";
import type { SignInFailures } from "../ports.ts";

export type SignInFailuresTest = {
  readonly name: string;
  readonly run: (failures: SignInFailures) => Promise<void>;
};

const NOW = Date.parse("2026-03-01T10:00:00.123Z");
const ADDRESS = "192.0.2.1";
const failure = { now: NOW, stepMs: 2_000, windowMs: 10_000 };

/** Contract tests of the count of failed sign-ins; each starts without failures. */
export const signInFailuresContract: readonly SignInFailuresTest[] = [
  {
    name: "counts the failures of each address",
    async run(failures) {
      assert.equal(await failures.emptyAt(ADDRESS), undefined);
      await failures.add(ADDRESS, failure);
      await failures.add(ADDRESS, { ...failure, now: NOW + 500 });
      await failures.add("", failure);
      assert.equal(await failures.emptyAt(ADDRESS), NOW + 4_000);
      assert.equal(await failures.emptyAt(""), NOW + 2_000);
      assert.equal(await failures.emptyAt("192.0.2.2"), undefined);
    },
  },
  {
    name: "begins again when no failure counts any longer",
    async run(failures) {
      await failures.add(ADDRESS, failure);
      const later = NOW + 2_000;
      await failures.add(ADDRESS, { ...failure, now: later });
      assert.equal(await failures.emptyAt(ADDRESS), later + 2_000);
    },
  },
  {
    name: "counts concurrent failures, and not more than fit into the window",
    async run(failures) {
      const first = await Promise.all([1, 2, 3].map(() => failures.add(ADDRESS, failure)));
      assert.deepEqual(first, ["added", "added", "added"]);
      assert.equal(await failures.emptyAt(ADDRESS), NOW + 6_000);
      const more = Array.from({ length: 9 }, () => failures.add(ADDRESS, failure));
      const outcomes = await Promise.all(more);
      assert.equal(outcomes.filter((outcome) => outcome === "added").length, 2);
      assert.equal(await failures.emptyAt(ADDRESS), NOW + 10_000);
    },
  },
];
