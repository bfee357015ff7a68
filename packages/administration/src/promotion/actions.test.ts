import { createMemoryReleases } from "@sealhouse/promotion/testing";
import type { Promotion, PublishTarget } from "@sealhouse/promotion";
import { expect, test } from "vitest";
import type { AdministrationParts } from "../parts.ts";
import { listReleases } from "./release-actions.ts";
import { LISTED_RELEASE } from "./release-schemas.ts";
import { addTarget } from "./target-actions.ts";

// The commands and hosts/registry/test/promotion test what the actions do.

const PLACE = { name: "prod", protocol: "npm", endpoint: "https://npm.example/" } as const;

function asked<Input>(input: Input, promotion: object) {
  const parts = {
    promotion: async () => promotion as Promotion,
    ownOrigins: async () => ["https://own.example"],
  } as Partial<AdministrationParts> as AdministrationParts;
  const { signal } = new AbortController();
  return { input, parts, caller: { actor: "ada" }, now: new Date(), signal, isDryRun: false };
}

async function add(more: object, stored: readonly PublishTarget[] = []) {
  const put: PublishTarget[] = [];
  const promotion = {
    targets: {
      find: async (name: string) => stored.find((one) => one.name === name),
      put: async (one: PublishTarget) => void put.push(one),
    },
    reach: async () => ({ status: "reachable" }),
  };
  const output = await addTarget.run(asked({ ...PLACE, ...more }, promotion));
  return { output, stored: put[0] };
}

test("a target is shown without its key", async () => {
  const { output, stored } = await add({ token: "a-secret" });
  expect(stored?.credentials).toEqual({ type: "bearer", token: "a-secret" });
  expect(JSON.stringify(output)).not.toContain("a-secret");
  expect(addTarget.output.parse(output).credentials).toBe("bearer");
});

test("a key never goes to another address: a replaced target keeps none of its parts", async () => {
  const { stored: before } = await add({ token: "a-secret" });
  const replaced = { endpoint: "https://other.example/", replace: true };
  const { stored } = await add(replaced, before ? [before] : []);
  expect(stored?.credentials).toBeUndefined();
  await expect(add({}, before ? [before] : [])).rejects.toMatchObject({ reason: "exists" });
});

test.each([
  [{ endpoint: "npm.example" }, "endpoint"],
  [{ endpoint: "https://own.example/npm/" }, "endpoint"],
  [{ token: "a", lend: "key" }, "lend"],
  [{ username: "ci" }, "username"],
  [{ token: "a\nb" }, "token"],
  [{ expires: "2027-02-31" }, "expires"],
  [{ caPath: "ca.pem" }, "caPath"],
  [{ caPath: "/absent/ca.pem" }, "caPath"],
])("refuses a target with %j, and its field", async (more, field) => {
  const problems = [expect.objectContaining({ field })];
  await expect(add(more)).rejects.toMatchObject({ reason: "invalid", problems });
});

test("only administrators add targets in private networks, or name files of the machine", () => {
  const needsAdmin = (more: object) => addTarget.needsAdmin?.({ ...PLACE, ...more }, {} as never);
  expect(needsAdmin({})).toBe(false);
  expect(needsAdmin({ allowPrivateNetwork: true })).toBe(true);
  expect(needsAdmin({ caPath: "/etc/ca.pem" })).toBe(true);
});

test("pages of releases have each once, also those of one millisecond", async () => {
  const now = new Date("2026-11-29T10:00:00.123Z");
  const { rows: releases } = createMemoryReleases(() => now);
  for (const id of ["a", "b", "c"]) {
    const parts = { key: id, group: id, lane: id, kind: "promotion", targets: ["prod"] } as const;
    await releases.open({ id, ...parts }, { actor: "ada" });
  }
  const found: string[] = [];
  for (let after: string | undefined, at = 0; at < 4; at++) {
    const input = listReleases.input.parse({ limit: 1, after });
    const page = await listReleases.run(asked(input, { releases }));
    found.push(...page.items.map((item) => LISTED_RELEASE.parse(item).id));
    after = page.next;
    if (after === undefined) break;
  }
  expect(found).toEqual(["c", "b", "a"]);
  const wrong = listReleases.run(asked({ limit: 1, after: "!" }, { releases }));
  await expect(wrong).rejects.toThrow("after must be");
});
