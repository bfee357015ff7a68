import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  openTestPlace,
  openWriteSessions,
  leaveTestServers,
  testableDatabases,
} from "@sealhouse/database/testing";
import type { WriteSessions } from "@sealhouse/database/testing";
import { SMTPServer } from "smtp-server";
import { afterAll, describe, expect, test, vi } from "vitest";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import { npmArtifact } from "../artifacts.ts";

// It takes a minute for each database, so `pnpm test:extended` runs it.

const PUSHES_AT_ONCE = 4;
const PUSHES_EACH_MAX = 200;
/** During the first request, all sessions of the database end; its queue then rests for 30 s. */
const FATAL_REQUEST = 1;
const SESSIONS_ENDED = 10;
/** As many requests as a queue makes at once, for each of the few losses. */
const REPEATED_MAX = 24;
const ARRIVES_WITHIN_MS = 120_000;
const ADMINISTRATOR = "platform@acme.example";

const servers = testableDatabases().filter((type) => type !== "Sqlite");

type Received = { readonly id: string; readonly subject: string };

describe.each(servers)("%s", (type) => {
  test("webhooks and a mail arrive although sessions end amid their delivery", async () => {
    await using place = await openTestPlace(type);
    let sessions: WriteSessions | undefined;
    const endAll = async () => sessions?.endAll();
    await using receiver = await openReceiver(endAll);
    await using mailbox = await openMailbox(endAll);
    await using host = await spawnHost({
      env: {
        ...databaseSettings(place.config),
        Host__Webhooks__AllowPrivateAddresses: "true",
        Host__Webhooks__Subscriptions__0__Url: receiver.url,
        Host__Webhooks__Subscriptions__0__Events__0: "package.published",
        Host__Webhooks__Subscriptions__0__Format: "CloudEvents",
        EmailSettings__Provider: "Smtp",
        EmailSettings__FromAddress: ADMINISTRATOR,
        EmailSettings__Administrators__0: ADMINISTRATOR,
        EmailSettings__Smtp__Host: "127.0.0.1",
        EmailSettings__Smtp__Port: String(mailbox.port),
        EmailSettings__Smtp__EnableSsl: "false",
      },
    });
    const token = await host.makeToken({ scopes: "write" });
    await using opened = await openWriteSessions(place.config);
    sessions = opened;
    mailbox.accept();

    const acknowledged: string[] = [];
    const enough = new AbortController();
    const pushes = Array.from({ length: PUSHES_AT_ONCE }, async (_, worker) => {
      for (let n = 0; !enough.signal.aborted && n < PUSHES_EACH_MAX; n += 1) {
        const name = `lost-w${worker}-n${n}`;
        const artifact = npmArtifact(name, new Uint8Array(500));
        const isTaken = await artifact.push(host, token).catch(() => false);
        if (isTaken) acknowledged.push(`npm/${name}@1.0.0`);
      }
    });
    let ended = 0;
    const giveUpAt = performance.now() + ARRIVES_WITHIN_MS;
    while (ended < SESSIONS_ENDED && performance.now() < giveUpAt) {
      ended += await opened.end(1);
      await delay(50);
    }
    enough.abort();
    await Promise.all(pushes);
    expect(acknowledged.length).toBeGreaterThan(0);
    await vi.waitFor(
      () => {
        const arrived = new Set(receiver.received.map(({ subject }) => subject));
        expect(acknowledged.filter((subject) => !arrived.has(subject))).toEqual([]);
      },
      { timeout: ARRIVES_WITHIN_MS, interval: 500 },
    );
    await vi.waitFor(
      async () => {
        const { stdout } = await host.cli("webhook", "deliveries", "--json", "--limit", "1000");
        const deliveries = JSON.parse(stdout) as readonly { readonly state: string }[];
        expect(deliveries.length).toBeGreaterThanOrEqual(acknowledged.length);
        expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["delivered"]));
      },
      { timeout: ARRIVES_WITHIN_MS, interval: 2_000 },
    );
    // A repetition is the same message, and only the requests of the lost batch are repeated.
    const repeated = receiver.received.length - new Set(receiver.received.map(({ id }) => id)).size;
    expect(repeated).toBeLessThanOrEqual(REPEATED_MAX);
    const ids = Map.groupBy(receiver.received, ({ subject }) => subject).values();
    for (const same of ids) expect(new Set(same.map(({ id }) => id)).size).toBe(1);
    expect(receiver.fatal()).toBe(1);
    expect(mailbox.mails()).toBe(1);
    expect((await host.cli("mail", "list")).stdout).toMatch(/first-token .* (?:sent|sending)/);
  }, 400_000);
});
afterAll(leaveTestServers);

/** Takes webhooks. During some, `endAll` runs before the answer. */
async function openReceiver(endAll: () => Promise<void>) {
  const received: Received[] = [];
  let fatal = 0;
  const take = async (request: IncomingMessage) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { subject } = JSON.parse(text) as { readonly subject: string };
    const count = received.push({ id: String(request.headers["webhook-id"]), subject });
    if (count !== FATAL_REQUEST) return;
    await endAll();
    fatal += 1;
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(204).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    received,
    fatal: () => fatal,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A real SMTP server, which takes mails from `accept` on, and runs `endAll` before its answer. */
async function openMailbox(endAll: () => Promise<void>) {
  let mails = 0;
  const accepting = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, _session, done) {
      stream.resume().on("end", () => {
        mails += 1;
        void accepting.promise.then(endAll).then(() => done());
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    mails: () => mails,
    accept: () => accepting.resolve(),
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
