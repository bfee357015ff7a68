import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { databaseSettings, extendedDescribe, spawnHost } from "../../src/testing/index.ts";
import { openWay } from "../closable-way.ts";
import { isMountable, openDisk } from "../faults/small-disk.ts";
import type { AttackedSource } from "./attacked-sources.ts";
import { OPEN_ATTACKED } from "./attacked-sources.ts";
import { settingsOf } from "./source-settings.ts";

const PROTOCOLS = ["npm", "nuget", "oci"] as const;
const ENV = { Signing__Mode: "", Feed__Oci__Default__Enabled: "true" };

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

/** A name in each protocol: one is being fetched during a fault, the other one is asked for then. */
type Names = { readonly begun: AttackedSource; readonly late: AttackedSource };

async function openNames(fault: string): Promise<readonly Names[]> {
  const open = async (protocol: (typeof PROTOCOLS)[number]) => ({
    begun: cleanUp.use(await OPEN_ATTACKED[protocol](`${fault}-begun`)),
    late: cleanUp.use(await OPEN_ATTACKED[protocol](`${fault}-late`)),
  });
  return Promise.all(PROTOCOLS.map(open));
}

const all = (names: readonly Names[]) => names.flatMap(({ begun, late }) => [begun, late]);

const FAULTY = ["whole", "unavailable", "cut"];

/** Answer to a client, which asks for the document first: one of `FAULTY`, or what no client may
 * see. */
async function answerOf(host: TestHost, source: AttackedSource): Promise<string> {
  try {
    const document = await host.fetch(source.document);
    const response = document.ok ? await host.fetch(source.file) : document;
    const bytes = Buffer.from(await response.bytes());
    if (response.status === 200) return bytes.equals(source.bytes) ? "whole" : "wrong bytes";
    const isClear = response.status === 503 && Number(response.headers.get("retry-after")) > 0;
    return isClear ? "unavailable" : `${response.status} ${bytes.toString()}`;
  } catch {
    return "cut";
  }
}

type Fault = { readonly begin: () => Promise<void>; readonly end: () => Promise<void> };

/** Begins a fault in the middle of transfers, and ends it after they are over. */
async function expectRecovery(host: TestHost, names: readonly Names[], fault: Fault) {
  const transfers = names.map(async ({ begun }) => {
    expect((await host.fetch(begun.document)).status).toBe(200);
    const isHalf = Promise.withResolvers<void>();
    const isFaulty = Promise.withResolvers<void>();
    begun.attack("file", (_, response) => {
      response.writeHead(200, { "content-length": begun.bytes.length });
      response.write(begun.bytes.subarray(0, begun.bytes.length / 2));
      isHalf.resolve();
      void isFaulty.promise.then(() => response.end(begun.bytes.subarray(begun.bytes.length / 2)));
    });
    const answer = answerOf(host, begun);
    await isHalf.promise;
    begun.attack("file", undefined);
    return { answer, isFaulty };
  });
  const begun = await Promise.all(transfers);
  await fault.begin();
  for (const { isFaulty } of begun) isFaulty.resolve();
  const answers = await Promise.all(begun.map(({ answer }) => answer));
  for (const answer of answers) expect(FAULTY).toContain(answer);
  expect(new Set(answers)).not.toEqual(new Set(["whole"]));
  for (const { late } of names) {
    expect(FAULTY).toContain(await answerOf(host, late));
  }
  await fault.end();
  const whole = (source: AttackedSource) =>
    vi.waitFor(async () => expect(await answerOf(host, source)).toBe("whole"), {
      timeout: 40_000,
      interval: 300,
    });
  await Promise.all(all(names).map(whole));
}

extendedDescribe.skipIf(!testableDatabases().includes("PostgreSQL"))("a fetch", () => {
  test("survives a database and a storage that go away", async () => {
    cleanUp.defer(leaveTestServers);
    const { config } = cleanUp.use(await openTestPlace("PostgreSQL"));
    if (config.type === "Sqlite") throw new Error("not a server");
    const way = cleanUp.use(await openWay(config.port));
    const names = { database: await openNames("database"), storage: await openNames("storage") };
    const env = {
      ...ENV,
      ...databaseSettings({ ...config, port: way.port }),
      ...settingsOf([...all(names.database), ...all(names.storage)]),
    };
    await using host = await spawnHost({ env });
    const root = join(host.folder, "packages");
    await expectRecovery(host, names.storage, {
      begin: () => rename(root, `${root}-elsewhere`),
      async end() {
        await rm(root, { recursive: true, force: true });
        await rename(`${root}-elsewhere`, root);
      },
    });
    await expectRecovery(host, names.database, { begin: way.close, end: way.open });
  });
});

describe.skipIf(!isMountable())("a fetch", () => {
  test.each([
    ["the storage", "Storage__Path", "objects"],
    ["unfinished transfers", "Host__DataPath", ""],
  ])("survives a full disk of %s", async (what, setting, folder) => {
    await using disk = openDisk("24m");
    const names = await openNames(what.replaceAll(" ", "-"));
    const env = { ...ENV, ...settingsOf(all(names)), [setting]: join(disk.path, folder) };
    await using host = await spawnHost({ env });
    await expectRecovery(host, names, {
      begin: async () => disk.fill(),
      end: async () => disk.empty(),
    });
  });
});
