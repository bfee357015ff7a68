import type { DeliveryLog, WebhookDelivery, WebhookRow, WebhookRows } from "@sealhouse/events";
import { beforeEach, expect, test } from "vitest";
import type { AdministrationParts } from "../parts.ts";
import { WEBHOOK_ACTIONS } from "./delivery-actions.ts";

const NOW = new Date("2026-01-10T00:00:00Z");
let rows: Map<string, WebhookRow>;
let replayed: string[];
let allowsAll: boolean;

const webhooks: WebhookRows = {
  list: async () => [...rows.values()],
  async put(row) {
    rows.set(row.id, row);
  },
  remove: async (id) => (rows.delete(id) ? "removed" : "absent"),
};
const deliveries = {
  list: async ({ before, limit }: { readonly before?: string; readonly limit: number }) =>
    ["3", "2", "1"]
      .filter((id) => before === undefined || Number(id) < Number(before))
      .slice(0, limit)
      .map(deliveryOf),
  async replay(id: string) {
    if (id !== "2") return "absent";
    replayed.push(id);
    return "replayed";
  },
  replayDead: async () => 5,
} satisfies Partial<DeliveryLog>;
const parts = {
  events: async () => ({ webhooks, deliveries }),
  webhooks: {
    allowsPrivateAddresses: () => allowsAll,
    keyRing: async () => ({ protect: (_: string, bytes: Uint8Array) => bytes.toReversed() }),
  },
} as unknown as AdministrationParts;

beforeEach(() => {
  rows = new Map();
  replayed = [];
  allowsAll = true;
});

function actionOf(id: string) {
  const action = WEBHOOK_ACTIONS.find((one) => one.id === id);
  if (!action) throw new Error(`There is no action ${id}.`);
  return action;
}

async function run(id: string, given: object): Promise<Record<string, unknown>> {
  const action = actionOf(id);
  const asked = {
    input: action.input.parse(given) as never,
    parts,
    caller: { actor: "ada" },
    now: NOW,
    signal: new AbortController().signal,
    isDryRun: false,
  };
  const output: unknown = action.output.parse(await action.run(asked));
  return output as Record<string, unknown>;
}

const HOOK = "http://127.0.0.1:9/hook";

test("returns a new secret from the action that makes it, and nowhere else", async () => {
  const { id, secret } = await run("webhooks.add", { url: HOOK, events: ["token.*,user.changed"] });
  expect(secret).toMatch(/^whsec_/);
  const shown = await run("webhooks.show", { id: String(id).slice(0, 8) });
  expect(shown).toMatchObject({ id, events: ["token.*", "user.changed"], signed: true });
  const listed = await run("webhooks.list", {});
  for (const output of [shown, listed]) {
    expect(JSON.stringify(output)).not.toContain(String(secret));
  }
  const given = await run("webhooks.add", { url: HOOK, secret: "a long secret" });
  expect(given).not.toHaveProperty("secret");
});

test.each([
  [{ url: "ftp://x.example" }, "The URL is not an http or https URL."],
  [{ url: HOOK, events: ["packages.*"] }, '"packages.*" is not an event type'],
  [{ url: HOOK, secret: "whsec_AA" }, "The secret must have at least 24 bytes"],
])("%j is refused", async (input, words) => {
  await expect(run("webhooks.add", input)).rejects.toMatchObject({
    reason: "invalid",
    message: expect.stringContaining(words) as string,
  });
});

test("a receiver in a private network needs a permission, which can be taken back", async () => {
  allowsAll = false;
  await expect(run("webhooks.add", { url: HOOK })).rejects.toMatchObject({
    problems: [
      {
        field: "url",
        words: expect.stringMatching(/^must not be called: .*--allow-private-network/) as string,
      },
    ],
  });
  const { id } = await run("webhooks.add", { url: HOOK, allowPrivateNetwork: true });
  const off = await run("webhooks.allow-private-network", { id, off: true });
  expect(off["warning"]).toMatch(/^Deliveries to it fail: .*sealhouse webhook allow-private-/);
  expect(await run("webhooks.switch", { id, enabled: true })).toHaveProperty("warning");
  expect(await run("webhooks.switch", { id, enabled: false })).toEqual({ id });
  expect(await run("webhooks.allow-private-network", { id })).toEqual({ id });
});

test("enables and disables a webhook of the settings, and changes nothing else of it", async () => {
  const { id } = await run("webhooks.add", { url: HOOK });
  const row = rows.get(String(id));
  if (row) rows.set(row.id, { ...row, origin: "settings" });
  const settled = {
    reason: "conflict",
    message: `${String(id)} is a webhook of the settings: change it there.`,
  };
  await expect(run("webhooks.remove", { id })).rejects.toMatchObject(settled);
  await expect(run("webhooks.rotate", { id, secret: "new" })).rejects.toMatchObject(settled);
  await expect(run("webhooks.include-private", { id })).rejects.toMatchObject(settled);
  await run("webhooks.switch", { id, enabled: false });
  expect(await run("webhooks.show", { id })).toMatchObject({ enabled: false });
});

test("deliveries come in pages, and one or all dead ones are sent again", async () => {
  const first = await run("webhooks.deliveries", { limit: 2 });
  expect(first).toMatchObject({ items: [{ id: "3" }, { id: "2" }], next: "2" });
  const last = await run("webhooks.deliveries", { limit: 2, after: "2" });
  expect(last).toEqual({ items: [expect.objectContaining({ id: "1" })] });
  expect(await run("webhooks.replay", { delivery: "2" })).toEqual({ count: 1 });
  expect(replayed).toEqual(["2"]);
  const { id } = await run("webhooks.add", { url: HOOK });
  expect(await run("webhooks.replay", { deadOf: id })).toEqual({ count: 5 });
  for (const input of [{}, { delivery: "2", deadOf: id }]) {
    await expect(run("webhooks.replay", input)).rejects.toMatchObject({ reason: "invalid" });
  }
  await expect(run("webhooks.replay", { delivery: "9" })).rejects.toMatchObject({
    reason: "absent",
  });
  await expect(run("webhooks.deliveries", { webhook: "none" })).rejects.toMatchObject({
    reason: "absent",
  });
});

test("only admin opens private names or private networks", () => {
  const needsAdmin = (id: string, input: Record<string, unknown>) => {
    const action = actionOf(id);
    return action.needsAdmin?.(action.input.parse(input) as never, {} as never) ?? false;
  };
  expect(needsAdmin("webhooks.add", { url: HOOK })).toBe(false);
  expect(needsAdmin("webhooks.add", { url: HOOK, includePrivate: true })).toBe(true);
  expect(needsAdmin("webhooks.add", { url: HOOK, allowPrivateNetwork: true })).toBe(true);
  for (const id of ["webhooks.include-private", "webhooks.allow-private-network"]) {
    expect(needsAdmin(id, { id: "some" })).toBe(true);
    expect(needsAdmin(id, { id: "some", off: true })).toBe(false);
  }
});

function deliveryOf(id: string): WebhookDelivery {
  return {
    id,
    webhookId: "w",
    eventId: id,
    type: "token.created",
    subject: `token/${id}`,
    names: [],
    body: "{}",
    state: "dead",
    attempts: 11,
    log: [{ at: NOW.toISOString(), durationMs: 3, status: 500, error: "status 500" }],
    createdAt: NOW,
  };
}
