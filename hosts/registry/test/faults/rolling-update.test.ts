import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openTestPlace, leaveTestServers } from "@sealhouse/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import type { Artifact } from "../artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { hasClient, openFolder } from "../clients/client.ts";
import type { Push } from "../clients/instance-clients.ts";
import { pushOf, pushUntilStored } from "../clients/instance-clients.ts";
import { startBalancer } from "../clients/nginx.ts";
import { freePort } from "../free-port.ts";

/** `dist/main.js` of a built host of the release before. */
const OLD = process.env["SEALHOUSE_OLD_HOST"] ?? "";
/** `dist/main.js` of the release after; default: the host of this clone. */
const NEW = process.env["SEALHOUSE_NEW_HOST"];
const WRITERS = 6;
const READERS = 4;
const ATTEMPTS_MAX = 20;
const UNDER_LOAD_MS = 3_000;

if (OLD === "") {
  process.stderr.write(
    "\nSKIPPED: SEALHOUSE_OLD_HOST does not name the main.js of an older host, " +
      "so no rolling update is tested\n\n",
  );
}

describe.skipIf(OLD === "" || !hasClient("nginx"))("a rolling update of three instances", () => {
  const opened = new AsyncDisposableStack();
  const hosts: TestHost[] = [];
  let front: TestHost;
  let token: string;
  let start: (main: string | undefined, url?: string) => Promise<TestHost>;

  beforeAll(async () => {
    opened.defer(leaveTestServers);
    const { path: folder } = opened.use(await openFolder());
    const place = opened.use(await openTestPlace("PostgreSQL"));
    const port = await freePort();
    const env = {
      ...databaseSettings(place.config),
      Feed__PublicBaseUrl: `http://127.0.0.1:${port}`,
      Feed__Authentication__AllowAnonymousPull: "true",
      Host__TokenHashPepper: randomBytes(32).toString("base64"),
    };
    start = (main, url = "http://127.0.0.1:0") =>
      spawnHost({
        folder: join(folder, "data"),
        env: { ...env, ASPNETCORE_URLS: url },
        ...(main !== undefined && { main }),
      });
    opened.defer(async () => {
      await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
    });
    while (hosts.length < 3) hosts.push(await start(OLD));
    const nginx = opened.use(await startBalancer(hosts, { folder, port }));
    const [first = expect.unreachable()] = hosts;
    token = await first.makeToken({ scopes: "read,write" });
    const fetchFront: TestHost["fetch"] = (path, init) => fetch(`${nginx.url}${path}`, init);
    front = { ...first, url: nginx.url, fetch: fetchFront };
  }, 240_000);
  afterAll(() => opened.disposeAsync());

  test("loses nothing under load, and no read fails", async () => {
    const stored: Push[] = [];
    const counts = { reads: 0, failedReads: 0, repeatedWrites: 0 };
    let isOver = false;
    const isRunning = () => !isOver;
    const write = async (writer: number) => {
      for (let n = 0; isRunning(); n += 1) {
        const push = pushOf(artifactOf(`w${writer}-n${n}`, (writer + n) % 3), front, token);
        counts.repeatedWrites += (await pushUntilStored(push, ATTEMPTS_MAX)).length;
        stored.push(push);
      }
    };
    const read = async () => {
      while (isRunning()) {
        const push = stored[Math.floor(Math.random() * stored.length)];
        if (push) {
          counts.reads += 1;
          if (!(await push.isWhole(front))) counts.failedReads += 1;
        }
        await delay(10);
      }
    };
    const load = Promise.all([
      ...Array.from({ length: WRITERS }, (_, writer) => write(writer)),
      ...Array.from({ length: READERS }, read),
    ]);
    await delay(UNDER_LOAD_MS);
    for (const [index, host] of hosts.entries()) {
      await host.stop();
      hosts[index] = await start(NEW, host.url);
      // The next instances are of the older release for a while.
      await delay(UNDER_LOAD_MS);
    }
    isOver = true;
    await load;
    process.stderr.write(`${stored.length} artifacts stored, ${JSON.stringify(counts)}\n`);
    expect(counts.failedReads).toBe(0);
    expect(stored.length).toBeGreaterThan(WRITERS);
    for (const push of stored) {
      for (const host of hosts) {
        expect([push.name, host.url, await push.isWhole(host)]).toEqual([
          push.name,
          host.url,
          true,
        ]);
      }
    }
    const [first = expect.unreachable()] = hosts;
    const check = await first.cli("check");
    expect(check.code, check.stderr).toBe(0);
  }, 300_000);
});

function artifactOf(name: string, kind: number): Artifact {
  const content = randomBytes(300_000);
  if (kind === 0) return nugetArtifact(`Rolling.${name}`, content);
  return kind === 1
    ? npmArtifact(`rolling-${name}`, content)
    : ociArtifact(`rolling/${name}`, content);
}
