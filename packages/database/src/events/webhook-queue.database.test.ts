import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  addWebhook,
  allowPrivateNetwork,
  createWebhookFetch,
  includePrivate,
  openWebhookSender,
  webhookConsumer,
} from "@sealhouse/events";
import type { NewEvent, NewWebhook, WebhookSenderParts } from "@sealhouse/events";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { leaveTestServers, openTestDatabase, testableDatabases } from "../testing/index.ts";
import { openMigratedPlace } from "../testing/open-test-database.ts";

afterAll(leaveTestServers);

const caller = { actor: "test" };
const source = { registryId: "registry", address: "https://feed.example" };
const keyRing = {
  protect: (_purpose: string, bytes: Uint8Array) => bytes,
  unprotect: async (_purpose: string, bytes: Uint8Array) => bytes,
};
const happened = (subject: string, type: NewEvent["type"] = "package.published"): NewEvent => ({
  type,
  subject,
  caller,
});

/** Another instance sends everything. */
const REFUSED = {
  acquire: async () => undefined,
  release: async () => undefined,
  heldUntil: async () => undefined,
};

type Received = { readonly id: string; readonly subject: string; readonly path: string };
type Answer = (received: Received, response: ServerResponse) => void;
const accept: Answer = (_received, response) => void response.writeHead(204).end();

async function openReceiver() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { subject } = JSON.parse(Buffer.concat(chunks).toString()) as { subject: string };
    const path = request.url ?? "";
    const one = { id: String(request.headers["webhook-id"]), subject, path };
    received.push(one);
    (answers.get(path) ?? accept)(one, response);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    received,
    answers,
    subjectsAt: (path: string) =>
      received.filter((one) => one.path === path).map(({ subject }) => subject),
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Options = Partial<Pick<WebhookSenderParts, "queue" | "now" | "leases">> &
  Partial<Pick<WebhookSenderParts["post"], "fetchFor">>;

/** An instance: the sender of a host with its fan-out. */
function openInstance(database: Database, options: Options = {}) {
  const { webhooks: rows, deliveries: queue, outbox } = database.events;
  const { leases } = database;
  const now = options.now ?? (() => new Date());
  const fetchFor = options.fetchFor ?? (() => fetch);
  const post = { fetchFor, userAgent: "test", now, timeoutMs: 60_000 };
  const onError = vi.fn<WebhookSenderParts["onError"]>();
  const isHidden: WebhookSenderParts["isHidden"] = async ({ protocol, name }) =>
    (await database.visibilities.find(protocol, name)) !== undefined;
  const parts = { rows, queue, leases, keyRing, source, isHidden, post, now, pollMs: 20, onError };
  const sender = openWebhookSender({ ...parts, random: () => 0.5, ...options });
  const consumer = webhookConsumer({ rows, queue, source, onAdded: () => sender.wake() });
  return {
    onError,
    sender,
    async fanOut() {
      const events = await outbox.pending("webhooks", 1_000);
      await consumer.handle(events);
      const ids = events.map(({ id }) => id);
      await outbox.delivered("webhooks", ids);
      return ids;
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

function storeOf(database: Database) {
  return {
    rows: database.events.webhooks,
    keyRing,
    now: () => new Date(),
    randomBytes: (size: number) => new Uint8Array(size),
    randomUuid: () => crypto.randomUUID(),
  };
}

async function subscribe(
  database: Database,
  url: string,
  events: readonly string[] = [],
  options: Pick<NewWebhook, "allowsPrivateNetwork"> = {},
) {
  const store = storeOf(database);
  const webhook = { url, events, format: "CloudEvents", ...options } as const;
  const added = await addWebhook(store, webhook, caller);
  if (added.status !== "added") throw new Error(added.problem);
  return added.id;
}

describe.each(testableDatabases())("webhooks in %s", (type) => {
  test("a subscription gets its types once, in order, while another one hangs", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    receiver.answers.set("/hangs", () => undefined);
    await subscribe(database, receiver.url("/all"));
    await subscribe(database, receiver.url("/hangs"));
    await subscribe(database, receiver.url("/gc"), ["gc.*"]);
    await using instance = openInstance(database);
    const subjects = Array.from({ length: 60 }, (_, index) => `npm/a@${index}`);
    await database.events.record([
      ...subjects.map((one) => happened(one)),
      happened("oci", "gc.completed"),
    ]);
    await instance.fanOut();
    await vi.waitFor(() => expect(receiver.subjectsAt("/gc")).toEqual(["oci"]), 5_000);
    const changes = 3;
    await vi.waitFor(() => expect(receiver.subjectsAt("/all")).toHaveLength(61 + changes), 10_000);
    await vi.waitFor(async () => {
      const done = await database.events.deliveries.list({ state: "delivered", limit: 1_000 });
      expect(done).toHaveLength(61 + changes + 1);
    }, 5_000);
    expect(new Set(receiver.subjectsAt("/all")).size).toBe(61 + changes);
    expect(instance.onError).not.toHaveBeenCalled();
  });

  test("a failing event delays only the later ones of its subject", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    const clock = { aheadMs: 0 };
    let isDown = true;
    receiver.answers.set("/", ({ subject }, response) => {
      response.writeHead(subject === "npm/a" && isDown ? 503 : 204).end();
    });
    await subscribe(database, receiver.url("/"), ["package.published", "package.tagged"]);
    await using instance = openInstance(database, {
      now: () => new Date(Date.now() + clock.aheadMs),
    });
    await database.events.record([
      happened("npm/a"),
      happened("npm/b"),
      happened("npm/a", "package.tagged"),
    ]);
    await instance.fanOut();
    const { deliveries } = database.events;
    await vi.waitFor(async () => {
      const waiting = await deliveries.list({ state: "waiting", limit: 10 });
      expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 1]);
    }, 5_000);
    expect(receiver.subjectsAt("/").toSorted()).toEqual(["npm/a", "npm/b"]);
    isDown = false;
    clock.aheadMs += 6_000;
    await vi.waitFor(
      () => expect(receiver.subjectsAt("/").slice(2)).toEqual(["npm/a", "npm/a"]),
      5_000,
    );
  });

  test("two instances that fan out and send the same events send each once", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    for (const path of ["/1", "/2", "/3"]) await subscribe(database, receiver.url(path), ["gc.*"]);
    await using one = openInstance(database);
    await using other = openInstance(database);
    const subjects = Array.from({ length: 40 }, (_, index) => `oci/${index}`);
    await database.events.record(subjects.map((subject) => happened(subject, "gc.completed")));
    await Promise.all([one.fanOut(), other.fanOut()]);
    await vi.waitFor(async () => {
      expect(await database.events.deliveries.count(new Date(0))).toEqual({ waiting: 0, dead: 0 });
    }, 10_000);
    expect(receiver.received).toHaveLength(120);
    expect(new Set(receiver.received.map(({ id, path }) => `${path} ${id}`)).size).toBe(120);
  });

  test("uploads do not wait for receivers that keep four instances busy", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    const paths = ["/one", "/two", "/three", "/four"];
    for (const path of paths) {
      receiver.answers.set(path, () => undefined);
      await subscribe(database, receiver.url(path), ["package.published"]);
    }
    await using instances = new AsyncDisposableStack();
    const [first] = paths.map(() => instances.use(openInstance(database)));
    const publish = (id: string) =>
      database.nuget.recorder.record(newPackage({ id, version: "1.0.0" }), caller);
    await publish("Acme");
    await first?.fanOut();
    const isBusy = () => paths.every((path) => receiver.subjectsAt(path).length > 0);
    await vi.waitFor(() => expect(isBusy()).toBe(true), 10_000);
    // Without an answer, each of these ends.
    for (let count = 0; count < 10; count += 1) {
      await publish(`Acme.${count}`);
      await first?.fanOut();
    }
    expect(await database.events.deliveries.list({ state: "delivered", limit: 1 })).toEqual([]);
    const waiting = await database.events.deliveries.list({ limit: 1_000 });
    expect(waiting).toHaveLength(11 * paths.length);
  }, 30_000);

  test("what could not be stored is sent again with the same id", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    await subscribe(database, receiver.url("/"), ["gc.*"]);
    const { deliveries } = database.events;
    const settle = vi
      .fn<typeof deliveries.settle>((results) => deliveries.settle(results))
      .mockRejectedValueOnce(new Error("connection lost"));
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      await using instance = openInstance(database, { queue: { ...deliveries, settle } });
      await database.events.record([happened("oci", "gc.completed")]);
      await instance.fanOut();
      await vi.waitFor(() => expect(instance.onError).toHaveBeenCalled(), 5_000);
      vi.advanceTimersByTime(31_000);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 5_000);
    } finally {
      vi.useRealTimers();
    }
    const [first, second] = receiver.received;
    expect(second).toEqual(first);
  });

  test("a hidden name reaches only subscriptions that include private names", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    const { visibilities, events, npm } = database;
    for (const name of ["open", "hidden"])
      await npm.recorder.publish(newNpmVersion({ name }), caller);
    const types = ["package.tagged", "blob.*", "token.*"];
    const some = await subscribe(database, receiver.url("/public"), types);
    const all = await subscribe(database, receiver.url("/all"), types);
    const change = { includesPrivate: true, caller };
    expect(await includePrivate(storeOf(database), all, change)).toBe("changed");
    await events.record([
      happened("npm/open", "package.tagged"),
      happened("npm/hidden", "package.tagged"),
      { ...happened("npm/sha512:ab", "blob.damaged"), detail: { versions: ["hidden 1.0.0"] } },
      happened("token/t-1", "token.revoked"),
    ]);
    {
      // Another instance queues the events while the name is public, and ends before it sends.
      await using queueing = openInstance(database, { leases: REFUSED });
      await queueing.fanOut();
    }
    await visibilities.set("npm", "hidden", { visibility: "internal", by: caller });
    await using instance = openInstance(database);
    const open = ["npm/open", "token/t-1"];
    const settled = () => events.deliveries.count(new Date(0));
    await vi.waitFor(async () => expect((await settled()).waiting).toBe(0), 10_000);
    expect(receiver.subjectsAt("/public").toSorted()).toEqual(open);
    expect(receiver.subjectsAt("/all")).toHaveLength(4);
    const list = () => events.deliveries.list({ webhookId: some, state: "withheld", limit: 10 });
    const [damaged, tagged] = await list();
    expect([tagged?.subject, tagged?.attempts, tagged?.log[0]?.error, damaged?.subject]).toEqual([
      "npm/hidden",
      0,
      "not sent: npm/hidden is not public",
      "npm/sha512:ab",
    ]);
    await events.deliveries.replay(tagged?.id ?? "");
    instance.sender.wake();
    await vi.waitFor(async () => expect((await list())[1]?.log).toHaveLength(2), 5_000);
    await visibilities.set("npm", "hidden", { visibility: "public", by: caller });
    await events.deliveries.replay(tagged?.id ?? "");
    instance.sender.wake();
    await vi.waitFor(
      () => expect(receiver.subjectsAt("/public").toSorted()).toEqual(["npm/hidden", ...open]),
      5_000,
    );
  });

  test("only a webhook with the permission may have a receiver in a private network", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    const { events } = database;
    // The host opens a fetch that checks the address of each connection.
    const fetchFor = createWebhookFetch(
      ({ allowPrivate }) => (allowPrivate ? fetch : () => Promise.reject(new Error("private"))),
      { allowPrivateAddresses: false },
    );
    const types = ["gc.*"];
    const permission = { allowsPrivateNetwork: true };
    const allowed = await subscribe(database, receiver.url("/allowed"), types, permission);
    const refused = await subscribe(database, receiver.url("/refused"), types);
    await using instance = openInstance(database, { fetchFor });
    await events.record([happened("oci", "gc.completed")]);
    await instance.fanOut();
    const logOf = async (webhookId: string) =>
      (await events.deliveries.list({ webhookId, limit: 1 }))[0]?.log.map(({ error }) => error);
    await vi.waitFor(async () => {
      expect(await logOf(allowed)).toEqual([undefined]);
      expect(await logOf(refused)).toEqual(["private"]);
    }, 5_000);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/allowed"]);
    const change = { ...permission, caller };
    expect(await allowPrivateNetwork(storeOf(database), refused, change)).toBe("changed");
    const [delivery] = await events.deliveries.list({ webhookId: refused, limit: 1 });
    await events.deliveries.replay(delivery?.id ?? "");
    instance.sender.wake();
    await vi.waitFor(() => expect(receiver.subjectsAt("/refused")).toEqual(["oci"]), 5_000);
  });

  test("a permission that one instance has changed holds on the other", async () => {
    await using place = await openMigratedPlace(type);
    await using here = await openDatabase(place.config);
    await using there = await openDatabase(place.config);
    await using receiver = await openReceiver();
    const fetchFor = createWebhookFetch(
      ({ allowPrivate }) => (allowPrivate ? fetch : () => Promise.reject(new Error("private"))),
      { allowPrivateAddresses: false },
    );
    const id = await subscribe(here, receiver.url("/own"), ["gc.*"]);
    // Only the other instance sends.
    await using idle = openInstance(here, { leases: REFUSED });
    await using sending = openInstance(there, { fetchFor });
    // A failure delays what follows about its subject.
    const send = async (subject: string, allowsPrivateNetwork: boolean) => {
      const change = { allowsPrivateNetwork, caller };
      expect(await allowPrivateNetwork(storeOf(here), id, change)).toBe("changed");
      await here.events.record([happened(subject, "gc.completed")]);
      await idle.fanOut();
      sending.sender.wake();
      const logOf = async () => {
        const all = await here.events.deliveries.list({ webhookId: id, limit: 5 });
        return all.find((one) => one.subject === subject)?.log.map(({ error }) => error);
      };
      await vi.waitFor(async () => expect(await logOf()).toHaveLength(1), 5_000);
      return logOf();
    };
    expect(await send("one", false)).toEqual(["private"]);
    expect(await send("two", true)).toEqual([undefined]);
    expect(await send("three", false)).toEqual(["private"]);
    expect(receiver.received.map(({ subject }) => subject)).toEqual(["two"]);
  });

  test("410 disables a subscription, with an event; dead deliveries can be replayed", async () => {
    await using database = await openTestDatabase({ type });
    await using receiver = await openReceiver();
    const clock = { aheadMs: 0 };
    receiver.answers.set("/gone", (_received, response) => void response.writeHead(410).end());
    receiver.answers.set("/down", (_received, response) => void response.writeHead(500).end());
    const gone = await subscribe(database, receiver.url("/gone"), ["gc.*"]);
    const down = await subscribe(database, receiver.url("/down"), ["gc.*"]);
    await using instance = openInstance(database, {
      now: () => new Date(Date.now() + clock.aheadMs),
    });
    await database.events.record([happened("oci", "gc.completed")]);
    await instance.fanOut();
    const { webhooks, deliveries, outbox } = database.events;
    await vi.waitFor(async () => {
      const row = (await webhooks.list()).find(({ id }) => id === gone);
      expect(row).toMatchObject({ isEnabled: false, reason: "the receiver answered 410 Gone" });
    }, 5_000);
    const events = await outbox.pending("test", 100);
    expect(events.at(-1)).toMatchObject({
      type: "webhook.changed",
      subject: `webhook/${gone}`,
      detail: { change: "disabled", enabled: false },
    });
    await vi.waitFor(async () => {
      clock.aheadMs += 60 * 60_000;
      instance.sender.wake();
      const dead = await deliveries.list({ webhookId: down, state: "dead", limit: 10 });
      expect(dead[0]?.attempts).toBe(11);
    }, 20_000);
    expect((await deliveries.list({ webhookId: down, limit: 1 }))[0]?.log).toHaveLength(11);
    receiver.answers.delete("/down");
    expect(await deliveries.replayDead(down)).toBe(1);
    await vi.waitFor(async () => {
      const [delivery] = await deliveries.list({ webhookId: down, limit: 1 });
      expect(delivery?.state).toBe("delivered");
    }, 5_000);
    expect(await deliveries.replay("99999999")).toBe("absent");
    const again = (eventId: number) => ({
      webhookId: down,
      eventId: String(eventId),
      type: "package.published" as const,
      subject: `npm/p${eventId}@1.0.0`,
      names: [],
      body: "{}",
    });
    await deliveries.add([again(900_001), again(900_002), again(900_003)]);
    const added = (await deliveries.list({ webhookId: down, limit: 3 })).map(({ id }) => id);
    const ended = { attempts: 1, nextAt: undefined, log: [] };
    await deliveries.settle(added.map((id) => ({ id, state: "dead" as const, ...ended })));
    expect(await deliveries.trimTo("delivered", 1)).toBe(0);
    expect(await deliveries.trimTo("dead", 2)).toBe(1);
    const kept = await deliveries.list({ webhookId: down, state: "dead", limit: 10 });
    expect(kept.map(({ eventId }) => eventId)).toEqual(["900003", "900002"]);
    expect(await deliveries.trimTo("dead", 0)).toBe(2);
    expect(await deliveries.trim(new Date(Date.now() + 60_000))).toBe(2);
    expect(await deliveries.list({ limit: 10 })).toEqual([]);
    expect(await webhooks.remove(gone, caller)).toBe("removed");
    expect(await webhooks.remove(gone, caller)).toBe("absent");
  });
});
