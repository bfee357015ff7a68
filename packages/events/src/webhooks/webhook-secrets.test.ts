import { expect, test } from "vitest";
import { protectSecret, secretsOf } from "./webhook-secrets.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const formerEndsAt = new Date(NOW.getTime() + 1);

/** A key ring whose boxes are the text itself, without those of `lost`. */
function keeperWithout(...lost: readonly string[]) {
  return {
    protect: (_: string, bytes: Uint8Array) => bytes,
    async unprotect(_: string, bytes: Uint8Array) {
      if (lost.includes(Buffer.from(bytes).toString())) throw new Error("unknown key");
      return bytes;
    },
  };
}

const secret = protectSecret(keeperWithout(), "new");
const formerSecret = protectSecret(keeperWithout(), "old");

type Case = readonly [
  name: string,
  change: { readonly formerEndsAt?: Date; readonly lost?: string },
  secrets: readonly string[],
];

test.each<Case>([
  ["both", {}, ["new", "old"]],
  ["the new one after the end of the former", { formerEndsAt: NOW }, ["new"]],
  ["the new one after a rotation of a lost one", { lost: "old" }, ["new"]],
])("signs with %s", async (_, { lost = "", ...change }, secrets) => {
  const row = { secret, formerSecret, formerEndsAt, ...change };
  expect(await secretsOf(row, keeperWithout(lost), NOW)).toEqual(secrets);
});

test("signs with nothing while the newest secret is lost", async () => {
  const row = { secret, formerSecret, formerEndsAt };
  await expect(secretsOf(row, keeperWithout("new"), NOW)).rejects.toThrow("unknown key");
});

test("signs with nothing without a secret", async () => {
  expect(await secretsOf({}, keeperWithout(), NOW)).toEqual([]);
});
