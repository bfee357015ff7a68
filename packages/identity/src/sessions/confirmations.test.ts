import { expect, test } from "vitest";
import { createMemoryConfirmations } from "../testing/index.ts";
import { createTestRandom } from "../testing/test-tokens.ts";
import { CONFIRMATION_MS, createConfirmations } from "./confirmations.ts";

const FORM = {
  action: "create-token",
  subject: "the token ci",
  path: "/account/new-token",
  backPath: "/account/tokens",
  fields: "name=ci&scope-write=true&password=hunter2",
} as const;
const { fields: _, ...SHOWN } = FORM;
const session = { hash: "own" };

function open() {
  let time = Date.parse("2026-03-01T12:00:00Z");
  const rows = createMemoryConfirmations();
  const stored: Uint8Array[] = [];
  const confirmations = createConfirmations({
    rows: {
      ...rows,
      async add(record, max) {
        stored.push(record.sealedForm);
        await rows.add(record, max);
      },
    },
    keyRing: {
      protect: (purpose, bytes) => Buffer.from(bytes.toReversed()),
      unprotect: async (purpose, bytes) => bytes.toReversed(),
    },
    now: () => new Date(time),
    random: createTestRandom(),
  });
  return { confirmations, stored, advance: (ms: number) => void (time += ms) };
}

test("a form is used once, by its session, unchanged", async () => {
  const { confirmations, stored } = open();
  const id = await confirmations.ask(session, FORM);
  expect(Buffer.from(stored[0] ?? []).toString()).not.toContain("hunter2");
  expect(await confirmations.find(session, id)).toMatchObject({ ...SHOWN, isConfirmed: false });
  expect(await confirmations.take({ hash: "other" }, id)).toBeUndefined();
  expect(await confirmations.find({ hash: "other" }, id)).toBeUndefined();
  expect(await confirmations.confirm({ hash: "other" }, id)).toBe(false);
  expect(await confirmations.take(session, id)).toEqual(FORM);
  expect(await confirmations.take(session, id)).toBeUndefined();
});

test("a new sign-in confirms one form", async () => {
  const { confirmations } = open();
  const [one, other] = [
    await confirmations.ask(session, FORM),
    await confirmations.ask(session, FORM),
  ];
  expect(await confirmations.confirm(session, one)).toBe(true);
  expect(await confirmations.find(session, one)).toMatchObject({ isConfirmed: true });
  expect(await confirmations.find(session, other)).toMatchObject({ isConfirmed: false });
});

test("a form waits for ten minutes", async () => {
  const { confirmations, advance } = open();
  const id = await confirmations.ask(session, FORM);
  advance(CONFIRMATION_MS);
  expect(await confirmations.find(session, id)).toBeUndefined();
  expect(await confirmations.take(session, id)).toBeUndefined();
  expect(await confirmations.find(session, "no secret")).toBeUndefined();
});
