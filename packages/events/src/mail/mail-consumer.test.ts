import { expect, test } from "vitest";
import type { RegistryEvent } from "../event.ts";
import { mailConsumer } from "./mail-consumer.ts";
import type { MailReceivers } from "./mail-receivers.ts";
import type { NewMail } from "./mail.ts";
import { dueTargetNotice } from "./target-expiry-job.ts";

const at = new Date("2026-01-01T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(at.getTime() + days * DAY_MS);

function receiversOf(email: string | undefined): MailReceivers {
  const one = async () => (email === undefined ? [] : [email]);
  return { ofOwners: one, ofName: one, ofToken: one, isAdministrator: async () => false };
}

function openConsumer(isFirst = true, email?: string) {
  const mails = new Map<string, NewMail>();
  const consumer = mailConsumer({
    queue: {
      async add(added) {
        for (const mail of added) if (!mails.has(mail.key)) mails.set(mail.key, mail);
      },
    },
    serverName: "Feed",
    administrators: ["a@acme.example", "b@acme.example"],
    isFirstToken: async () => isFirst,
    receivers: receiversOf(email),
  });
  return { mails, consumer };
}

const created = (detail: RegistryEvent["detail"]): RegistryEvent => ({
  id: "1",
  type: "token.created",
  subject: "token/t-1",
  at,
  caller: { actor: "alice" },
  detail: { name: "laptop", ...detail },
});
const damaged = (id: string, time: Date): RegistryEvent => ({
  id,
  type: "blob.damaged",
  subject: `npm/sha256:${id}`,
  at: time,
  caller: { actor: "system" },
});

test.each([
  { name: "the first token of an owner", detail: { owner: "alice" }, isFirst: true, count: 2 },
  { name: "a later token", detail: { owner: "alice" }, isFirst: false, count: 0 },
  { name: "a token made by a token", detail: { parentId: "t-0" }, isFirst: true, count: 0 },
  { name: "a successor", detail: { replaces: "t-0" }, isFirst: true, count: 0 },
  {
    name: "a token of a pipeline",
    detail: { expiresAt: new Date(at.getTime() + 3_600_000).toISOString() },
    isFirst: true,
    count: 0,
  },
])("$name: $count mails", async ({ detail, isFirst, count }) => {
  const { mails, consumer } = openConsumer(isFirst);
  await consumer.handle([created(detail)]);
  await consumer.handle([created(detail)]);
  expect(mails.size).toBe(count);
});

const release = { release: "r-1", number: 3, targets: ["prod"], members: ["bar 1.0.0"] };
const paused = { paused: true, reason: "token expired" };

test.each([
  ["a release", "group.promoted", release, "alice", ["A release ended", "web #3"]],
  ["a failed one", "promotion.failed", { ...release, reason: "away" }, "alice", ["failed", "away"]],
  ["an upload", "group.promoted", { ...release, syndication: "web" }, "system", []],
  ["a failed upload", "syndication.failed", release, "system", ["A promotion failed"]],
  ["a paused target", "target.changed", paused, "system", ["is paused", "token expired"]],
  ["a target that an operator pauses", "target.changed", paused, "alice", []],
] as const)("mails about %s", async (...[_what, type, detail, actor, words]) => {
  const { mails, consumer } = openConsumer();
  const subject = type === "target.changed" ? "prod" : "group/web";
  const event: RegistryEvent = { id: "1", type, subject, at, caller: { actor }, detail };
  await consumer.handle([event]);
  await consumer.handle([event]);
  expect(mails.size).toBe(words.length === 0 ? 0 : 2);
  const [mail] = mails.values();
  for (const word of words) expect(`${mail?.subject} ${mail?.body}`).toContain(word);
});

const failedUpload = (id: string, time: Date): RegistryEvent => ({
  id,
  type: "syndication.failed",
  subject: "group/web",
  at: time,
  caller: { actor: "system" },
  detail: { ...release, release: id, syndication: "web" },
});

test.each([
  ["damaged files", damaged],
  ["failed uploads", failedUpload],
])("a thousand %s are one mail an hour to each administrator", async (_what, eventOf) => {
  const { mails, consumer } = openConsumer();
  const events = Array.from({ length: 1_000 }, (_, index) => eventOf(String(index), at));
  await consumer.handle(events);
  expect([...mails.values()].map(({ recipient }) => recipient)).toEqual([
    "a@acme.example",
    "b@acme.example",
  ]);
  await consumer.handle([eventOf("2000", new Date(at.getTime() + 3_600_000))]);
  expect(mails.size).toBe(4);
});

const expires = (days: number) => ({ name: "ci", days, expiresAt: inDays(days).toISOString() });
const leak = { url: "https://code.example/a/b", source: "content" };

test.each([
  ["token.expires", expires(7), ["expires soon", "Token: ci"]],
  ["token.expires", expires(0), ["has expired", "Token: ci"]],
  ["token.leaked", leak, ["was leaked", "Place: https://code.example/a/b"]],
] as const)("mails %s to the administrators and to the user of the token", async (...one) => {
  const [type, detail, words] = one;
  const { mails, consumer } = openConsumer(true, "alice@acme.example");
  const event: RegistryEvent = { ...created({}), type, detail };
  await consumer.handle([event, event]);
  const letters = [...mails.values()];
  expect(letters.map(({ recipient }) => recipient)).toEqual([
    "a@acme.example",
    "b@acme.example",
    "alice@acme.example",
  ]);
  for (const word of words) expect(`${letters[0]?.subject} ${letters[0]?.body}`).toContain(word);
});

test("mails a change of passkeys to the user alone", async () => {
  const { mails, consumer } = openConsumer(true, "alice@acme.example");
  const detail = { change: "added", name: "Laptop" };
  const subject = "user/u-1";
  await consumer.handle([{ ...created({}), type: "passkey.changed", subject, detail }]);
  const [mail, ...others] = mails.values();
  expect(others).toEqual([]);
  expect(mail?.recipient).toBe("alice@acme.example");
  expect(mail?.body).toContain("Passkey: Laptop");
});

test.each(["A@acme.example", "x@y.example, z@y.example", "x@y.example\r\nRCPT", "alice", ""])(
  "adds no recipient for the address %j",
  async (email) => {
    const { mails, consumer } = openConsumer(true, email);
    await consumer.handle([{ ...created({}), type: "token.leaked", detail: leak }]);
    expect(mails.size).toBe(2);
  },
);

test.each([
  { leftDays: 20, notice: undefined },
  { leftDays: 14, notice: 14 },
  { leftDays: 8, notice: 14 },
  { leftDays: 7, notice: 7 },
  { leftDays: 0.5, notice: 1 },
  { leftDays: -1, notice: undefined },
])("credentials of a target with $leftDays days left: notice $notice", ({ leftDays, notice }) => {
  expect(dueTargetNotice(inDays(leftDays), at)).toBe(notice);
});
