import type { Outbox, RegistryEvent } from "@sealhouse/events";
import { createMemoryAuditLog } from "@sealhouse/events/testing";
import { beforeAll, expect, test } from "vitest";
import type { AdministrationParts } from "../parts.ts";
import { RefusedActionError } from "../refusal.ts";
import { AUDIT_ACTIONS } from "./audit-actions.ts";

const NOW = new Date("2026-01-10T00:00:00Z");
const audit = createMemoryAuditLog();
const outbox = { pending: async () => [] } as unknown as Outbox;
const parts = { events: async () => ({ outbox, audit }) } as unknown as AdministrationParts;

beforeAll(async () => {
  const types = ["package.published", "token.created", "token.revoked"] as const;
  const events = Array.from({ length: 9 }, (_, index) => ({
    id: String(index + 1),
    type: types[index % 3] ?? types[0],
    subject: index % 3 === 0 ? `npm/left-pad@1.0.${index}` : `token/${index}`,
    caller: { actor: index % 2 === 0 ? "ada" : "bob", address: `192.0.2.${index}` },
    at: new Date(NOW.getTime() - (9 - index) * 86_400_000),
  })) satisfies RegistryEvent[];
  await audit.append(events);
});

type List = { readonly items: readonly { readonly id: string }[]; readonly next?: string };

async function run(id: string, given: object): Promise<unknown> {
  const action = AUDIT_ACTIONS.find((one) => one.id === id);
  if (!action) throw new Error(`There is no action ${id}.`);
  const asked = {
    input: action.input.parse(given) as never,
    parts,
    caller: { actor: "auditor" },
    now: NOW,
    signal: new AbortController().signal,
    isDryRun: false,
  };
  return action.output.parse(await action.run(asked));
}

async function idsOf(id: string, given: object): Promise<readonly string[]> {
  const { items, next } = (await run(id, given)) as List;
  const rest = next === undefined ? [] : await idsOf(id, { ...given, after: next });
  return [...items.map((item) => item.id), ...rest];
}

test("list begins with the newest record, export with the oldest, in pages", async () => {
  const newest = ["9", "8", "7", "6", "5", "4", "3", "2", "1"];
  expect(await idsOf("audit.list", { limit: 4 })).toEqual(newest);
  expect(await idsOf("audit.export", { limit: 2 })).toEqual(newest.toReversed());
});

test.each([
  [{ actor: "bob" }, ["8", "6", "4", "2"]],
  [{ type: "token.*" }, ["9", "8", "6", "5", "3", "2"]],
  [{ type: "token.revoked,package.*", since: "3d" }, ["9", "7"]],
  [{ subject: "npm/left-pad@*", until: "2026-01-05" }, ["4", "1"]],
  [{ address: "192.0.2.4" }, ["5"]],
  [{ token: "t-1" }, []],
])("%j finds %j", async (filter, ids) => {
  expect(await idsOf("audit.list", { ...filter, limit: 1 })).toEqual(ids);
});

test("shows a record by its id", async () => {
  expect(await run("audit.show", { id: "2" })).toMatchObject({ id: "2", actor: "bob" });
});

test.each([
  ["audit.show", { id: "10" }, { reason: "absent" }],
  ["audit.list", { since: "soon" }, { reason: "invalid", problems: [{ field: "since" }] }],
  ["audit.export", { until: "2026-02-31" }, { reason: "invalid", problems: [{ field: "until" }] }],
  ["audit.list", { type: "token" }, { reason: "invalid", problems: [{ field: "type" }] }],
])("refuses %s of %j", async (id, given, refusal) => {
  const refused = run(id, given);
  await expect(refused).rejects.toBeInstanceOf(RefusedActionError);
  await expect(refused).rejects.toMatchObject(refusal);
});
