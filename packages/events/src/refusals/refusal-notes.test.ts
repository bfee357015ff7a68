import { expect, test, vi } from "vitest";
import type { ShownEvent } from "../event.ts";
import { openRefusalNotes } from "./refusal-notes.ts";
import type { Refusal } from "./refusal-notes.ts";

const REFUSAL: Refusal = {
  caller: { actor: "ci", tokenId: "t1", address: "192.0.2.7", requestId: "r1" },
  subject: "npm/@acme/app",
  action: "read",
  reason: "The token does not cover the name @acme/app.",
};

function openNotes(record = async (): Promise<void> => undefined) {
  let time = Date.parse("2026-03-01T12:00:00Z");
  const written: ShownEvent[] = [];
  const warn = vi.fn<(fields: object, message: string) => void>();
  const events = {
    recordRefusals: async (some: readonly ShownEvent[]) => {
      await record();
      written.push(...some);
    },
  };
  const notes = openRefusalNotes({ events, log: { warn }, now: () => new Date(time) });
  return { notes, written, warn, pass: (ms: number) => (time += ms) };
}

test("writes an equal refusal once a minute, whatever its request and action", async () => {
  const { notes, written, pass } = openNotes();
  notes.note(REFUSAL);
  notes.note({ ...REFUSAL, action: "write", caller: { ...REFUSAL.caller, requestId: "r2" } });
  notes.note({ ...REFUSAL, subject: "npm/other" });
  notes.note({ ...REFUSAL, reason: "The token has expired; create a new one." });
  notes.note({ ...REFUSAL, caller: { ...REFUSAL.caller, tokenId: "t2" } });
  pass(60_000);
  notes.note(REFUSAL);
  await notes[Symbol.asyncDispose]();
  expect(written).toHaveLength(5);
  expect(written[0]).toEqual({
    type: "access.refused",
    subject: "npm/@acme/app",
    caller: REFUSAL.caller,
    detail: { action: "read", reason: "The token does not cover the name @acme/app." },
  });
});

test("a flood of anonymous requests writes a bounded number of rows", async () => {
  const { notes, written, pass } = openNotes();
  for (let index = 0; index < 5_000; index += 1) {
    const caller = { actor: "anonymous", address: `2001:db8::${index.toString(16)}` };
    notes.note({ ...REFUSAL, caller, subject: `npm/${"x".repeat(4_000)}${index}` });
  }
  pass(60_000);
  notes.note(REFUSAL);
  await notes[Symbol.asyncDispose]();
  expect(written).toHaveLength(122);
  expect(written.every(({ subject }) => subject.length <= 255)).toBe(true);
  expect(written.find(({ subject }) => subject === "registry")).toMatchObject({
    caller: { actor: "system" },
    detail: { reason: "4880 more requests were refused in this minute, and have no record." },
  });
});

test("a database that is away loses refusals, logs it, and stops nothing", async () => {
  const { notes, written, warn } = openNotes(async () => {
    throw new Error("away");
  });
  notes.note(REFUSAL);
  await notes[Symbol.asyncDispose]();
  expect(written).toEqual([]);
  expect(warn.mock.calls).toEqual([
    [{ err: new Error("away"), refusals: 1 }, "could not write refusals to the audit log"],
  ]);
});
