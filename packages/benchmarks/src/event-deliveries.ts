import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@sealhouse/database";
import { openTestPlace, testableDatabases } from "@sealhouse/database/testing";
import type { TestPlace } from "@sealhouse/database/testing";
import { openHost, startCommand } from "./host-process.ts";
import type { Result } from "./result.ts";

/** A type for each subscription. */
const TYPES = [
  "package.published",
  "package.staged",
  "package.stage-rejected",
  "package.stage-expired",
  "package.unlisted",
  "package.relisted",
  "package.deleted",
  "package.deprecated",
  "package.tagged",
  "package.signed",
  "package.unsigned",
  "symbols.published",
  "token.created",
  "token.replaced",
  "token.revoked",
  "source.changed",
  "gc.completed",
  "retention.completed",
  "blob.restored",
  "certificate.created",
] as const;
const EVENTS_AT_ONCE = 500;
const ENDS_WITHIN_MS = 120_000;

/**
 * Queues events for 20 subscriptions, one of which hangs, and measures how fast a host that starts
 * then delivers those of the others.
 */
export async function measureEventDeliveries(
  folder: string,
  { events }: { readonly events: number },
): Promise<readonly Result[]> {
  const types = testableDatabases().filter((type) => type === "Sqlite" || type === "PostgreSQL");
  const results: Result[] = [];
  for (const type of types) {
    await using place = await openTestPlace(type);
    results.push(await measureOn(place, join(folder, type), events));
  }
  return results;
}

async function measureOn(place: TestPlace, data: string, events: number): Promise<Result> {
  const env = settingsOf(place);
  await using receiver = await openReceiver();
  for (const [index, type] of TYPES.entries()) {
    const path = index === 0 ? "/hangs" : `/${index}`;
    const words = ["webhook", "add", "--url", `${receiver.url}${path}`, "--events", type];
    const { code, stderr } = await startCommand(data, words, env).end;
    if (code !== 0) throw new Error(`sealhouse webhook add ended with ${code}: ${stderr}`);
  }
  await queueEvents(place, events);
  const expected = events - events / TYPES.length;
  await using host = await openHost(data, { env });
  const start = performance.now();
  while (receiver.ids.size < expected) {
    if (performance.now() - start > ENDS_WITHIN_MS) {
      throw new Error(`${host.url} delivered only ${receiver.ids.size} of ${expected} events`);
    }
    await delay(20);
  }
  const seconds = (receiver.lastAt() - start) / 1000;
  return {
    what: `${events} queued events, 20 webhooks, one of which hangs, ${place.config.type}`,
    figure: expected / seconds,
    unit: "events/s",
    budget: 500,
    bound: "at least",
    remark: `${expected} delivered in ${seconds.toFixed(1)} s, ${receiver.requests()} requests`,
  };
}

async function openReceiver() {
  const ids = new Set<string>();
  let requests = 0;
  let lastAt = 0;
  const server = createServer((request, response) => {
    if (request.url === "/hangs") return;
    request.resume();
    request.on("end", () => {
      requests += 1;
      lastAt = performance.now();
      ids.add(`${request.url} ${String(request.headers["webhook-id"])}`);
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ids,
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    lastAt: () => lastAt,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Types take turns; ten events have one subject. */
async function queueEvents({ config }: TestPlace, events: number): Promise<void> {
  await using database = await openDatabase(config);
  const caller = { actor: "bench" };
  const all = Array.from({ length: events }, (_, index) => {
    const type = TYPES[index % TYPES.length] ?? TYPES[0];
    const subject = `npm/package-${Math.floor(index / (TYPES.length * 10))}@1.0.0`;
    return { type, subject, caller, detail: { size: index } };
  });
  for (let start = 0; start < all.length; start += EVENTS_AT_ONCE) {
    await database.events.record(all.slice(start, start + EVENTS_AT_ONCE));
  }
}

function settingsOf({ config }: TestPlace): Record<string, string> {
  const common = { Signing__Mode: "", Host__Webhooks__AllowPrivateAddresses: "true" };
  if (config.type === "Sqlite") {
    return { ...common, Database__ConnectionString: `Data Source=${config.path}` };
  }
  if (config.type !== "PostgreSQL") throw new TypeError("this is measured on two databases");
  const { host, port, database, user } = config;
  return {
    ...common,
    Database__Type: config.type,
    Database__ConnectionString: `Host=${host};Port=${port};Database=${database};Username=${user}`,
  };
}
