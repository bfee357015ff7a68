import assert from "node:assert/strict";
import type { Leases } from "../leases.ts";

/** An empty implementation of `Leases`, and its clock. */
export type LeasesUnderTest = {
  readonly leases: Leases;
  /** Advances the clock by this number of milliseconds. */
  readonly pass: (ms: number) => void;
};

export type LeasesContractTest = {
  readonly name: string;
  readonly run: (opened: LeasesUnderTest) => Promise<void>;
};

const HOUR_MS = 60 * 60_000;

/** Contract of `Leases`, for any test runner. */
export const leasesContract: readonly LeasesContractTest[] = [
  {
    name: "one holder has a lease until it expires, and its token rises with the holder",
    async run({ leases, pass }) {
      const first = await leases.acquire("sweep", "a", 1000);
      assert(first !== undefined && first > 0);
      assert.equal(await leases.acquire("sweep", "b", 1000), undefined);
      pass(600);
      assert.equal(await leases.acquire("sweep", "a", 1000), first);
      pass(600);
      assert.equal(await leases.acquire("sweep", "b", 1000), undefined);
      pass(600);
      const second = await leases.acquire("sweep", "b", 1000);
      assert(second !== undefined && second > first);
      assert.equal(await leases.acquire("sweep", "a", 1000), undefined);
    },
  },
  {
    name: "a lease that was released is free at once, and only its holder releases it",
    async run({ leases }) {
      const first = await leases.acquire("sweep", "a", 1000);
      await leases.release("sweep", "b");
      assert.equal(await leases.acquire("sweep", "b", 1000), undefined);
      await leases.release("sweep", "a");
      const second = await leases.acquire("sweep", "b", 1000);
      assert(second !== undefined && second > (first ?? 0));
    },
  },
  {
    name: "a lease ends after its life, even if a clock that was ahead wrote its end",
    async run({ leases, pass }) {
      pass(48 * HOUR_MS);
      const first = await leases.acquire("sweep", "a", 1000);
      pass(-48 * HOUR_MS);
      const second = await leases.acquire("sweep", "b", 1000);
      assert(second !== undefined && second > (first ?? 0));
      assert.equal(await leases.acquire("sweep", "a", 1000), undefined);
    },
  },
  {
    name: "a lease is held against a clock that is some seconds behind",
    async run({ leases, pass }) {
      assert.notEqual(await leases.acquire("sweep", "a", 1000), undefined);
      pass(-30_000);
      assert.equal(await leases.acquire("sweep", "b", 1000), undefined);
    },
  },
  {
    name: "the end of a lease is known while it is held, and only then",
    async run({ leases, pass }) {
      assert.equal(await leases.heldUntil("sweep"), undefined);
      await leases.acquire("sweep", "a", 1000);
      const first = await leases.heldUntil("sweep");
      pass(500);
      await leases.acquire("sweep", "a", 1000);
      const extended = await leases.heldUntil("sweep");
      assert.equal(Number(extended) - Number(first), 500);
      pass(1000);
      assert.equal(await leases.heldUntil("sweep"), undefined);
      await leases.acquire("sweep", "b", 1000);
      await leases.release("sweep", "b");
      assert.equal(await leases.heldUntil("sweep"), undefined);
    },
  },
  {
    name: "a lease whose end a clock that was ahead wrote is not held",
    async run({ leases, pass }) {
      pass(48 * HOUR_MS);
      await leases.acquire("sweep", "a", 1000);
      pass(-48 * HOUR_MS);
      assert.equal(await leases.heldUntil("sweep"), undefined);
    },
  },
  {
    name: "leases of different names are independent",
    async run({ leases }) {
      assert.notEqual(await leases.acquire("sweep", "a", 1000), undefined);
      assert.notEqual(await leases.acquire("retention", "b", 1000), undefined);
    },
  },
];
