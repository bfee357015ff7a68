import { mailJobs, queueMail } from "@sealhouse/events";
import type { MailSent, MailSenderParts } from "@sealhouse/events";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const signal = new AbortController().signal;

function openSender(database: Database, send: MailSenderParts["send"], now: () => Date) {
  const { mails: queue } = database.events;
  const jobs = mailJobs({ queue, send, now, random: () => 0.5, onFailure: () => undefined });
  return async () => {
    await jobs[0]?.run(signal);
  };
}

function queueDamage(database: Database, cause: string) {
  const administrators = ["a@acme.example", "b@acme.example"];
  const parts = { queue: database.events.mails, serverName: "Feed", administrators };
  return queueMail(parts, "damage-found", { cause, facts: {} });
}

describe.each(testableDatabases())("mails in %s", (type) => {
  test("two instances send each mail once, whatever is queued twice", async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ type, now });
    const sent: string[] = [];
    const send = async ({ recipient }: { readonly recipient: string }): Promise<MailSent> => {
      sent.push(recipient);
      return { outcome: "sent" };
    };
    await Promise.all([queueDamage(database, "hour 1"), queueDamage(database, "hour 1")]);
    const instances = [openSender(database, send, now), openSender(database, send, now)];
    await Promise.all(instances.map((run) => run()));
    await queueDamage(database, "hour 1");
    await Promise.all(instances.map((run) => run()));
    expect(sent.toSorted()).toEqual(["a@acme.example", "b@acme.example"]);
    await queueDamage(database, "hour 2");
    await instances[0]?.();
    expect(sent).toHaveLength(4);
    const { mails } = database.events;
    expect((await mails.list({ limit: 10 })).map(({ state }) => state)).toEqual(
      Array.from({ length: 4 }, () => "sent"),
    );
    expect(await mails.trim(new Date(clock.ms + 1))).toBe(4);
  });

  test.each<{ name: string; answers: readonly MailSent[]; state: string; attempts: number }>([
    {
      name: "a server that is down for a while",
      answers: [
        { outcome: "refused", isFinal: false, error: "down" },
        { outcome: "refused", isFinal: false, error: "down" },
        { outcome: "sent" },
      ],
      state: "sent",
      attempts: 3,
    },
    {
      name: "a server that is down for a day",
      answers: Array.from({ length: 20 }, () => ({
        outcome: "refused" as const,
        isFinal: false,
        error: "down",
      })),
      state: "failed",
      attempts: 11,
    },
    {
      name: "a refused recipient",
      answers: [{ outcome: "refused", isFinal: true, error: "no such user" }, { outcome: "sent" }],
      state: "failed",
      attempts: 1,
    },
    {
      name: "a connection that is cut after the content",
      answers: [{ outcome: "unknown", error: "closed" }, { outcome: "sent" }],
      state: "unknown",
      attempts: 1,
    },
  ])("$name: $state after $attempts attempts", async ({ answers, state, attempts }) => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ type, now });
    const left = [...answers];
    const run = openSender(database, async () => left.shift() ?? { outcome: "sent" }, now);
    const { mails } = database.events;
    const parts = { queue: mails, serverName: "Feed", administrators: ["a@acme.example"] };
    await queueMail(parts, "test", { cause: "1", facts: {} });
    for (let hour = 0; hour < 150; hour += 1) {
      await run();
      clock.ms += 15 * 60_000;
    }
    const [mail] = await mails.list({ limit: 1 });
    expect({ state: mail?.state, attempts: mail?.attempts }).toEqual({ state, attempts });
    const isBad = state !== "sent";
    expect(await mails.count(new Date(0))).toEqual({ waiting: 0, failed: isBad ? 1 : 0 });
  });

  test("a mail of a killed process is unknown after a while, and not sent again", async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ type, now });
    const { mails } = database.events;
    await queueDamage(database, "hour 1");
    const [mail] = await mails.due(now(), 1);
    expect(await mails.claim(mail?.id ?? "")).toBe(true);
    expect(await mails.claim(mail?.id ?? "")).toBe(false);
    const sent: string[] = [];
    const run = openSender(
      database,
      async ({ recipient }) => {
        sent.push(recipient);
        return { outcome: "sent" };
      },
      now,
    );
    await run();
    clock.ms += 11 * 60_000;
    await run();
    expect(sent).toEqual(["b@acme.example"]);
    expect((await mails.list({ limit: 10 })).map(({ state }) => state)).toEqual([
      "sent",
      "unknown",
    ]);
  });
});
