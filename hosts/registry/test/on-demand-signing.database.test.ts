import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, readSignature } from "@sealhouse/repo-signing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostProcess } from "../src/testing/index.ts";
import { databaseSettings, spawnHost } from "../src/testing/index.ts";
import type { StampServer } from "../src/testing/stamp-server-stand-in.ts";
import { openStampServer } from "../src/testing/stamp-server-stand-in.ts";
import { openFolder } from "./clients/client.ts";

const STAND_IN = fileURLToPath(new URL("../src/testing/signing-mode-stand-in.ts", import.meta.url));
const READERS = 50;
const IDS = ["Acme.Early", "Acme.Orphan", "Acme.Failing"] as const;
const databases = testableDatabases().filter((type) => type !== "MySql");

describe.each(databases)("first downloads at two instances over %s", (type) => {
  const opened = new AsyncDisposableStack();
  let env: Readonly<Record<string, string>> = {};
  let folder = "";
  let stamps: StampServer;
  let hosts: readonly [HostProcess, HostProcess];

  beforeAll(async () => {
    folder = opened.use(await openFolder()).path;
    stamps = opened.use(await openStampServer());
    env = type === "Sqlite" ? {} : databaseSettings(opened.use(await openTestPlace(type)).config);
    await storeUnsigned();
    hosts = [opened.use(await instance()), opened.use(await instance())];
  });
  afterAll(() => opened.disposeAsync());

  /** A feed that counts the signatures of its key and its timestamp server. */
  function instance(): Promise<HostProcess> {
    return spawnHost({
      folder,
      env: {
        ...env,
        Signing__Mode: "StandIn",
        Host__Extensions__0: STAND_IN,
        Signing__StandIn__Folder: folder,
        Signing__TimestampServerUrl: stamps.url,
        Host__OutgoingRequests__AllowPrivateAddresses: "true",
      },
    });
  }

  async function storeUnsigned(): Promise<void> {
    await using host = await spawnHost({ folder, env: { ...env, Signing__Mode: "" } });
    const headers = { "x-nuget-apikey": await host.makeToken({ scopes: "write" }) };
    for (const id of IDS) {
      const body = new Uint8Array(buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } }));
      const answer = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
      expect(answer.status).toBe(201);
    }
  }

  async function signatures(): Promise<number> {
    const lines = await readFile(join(folder, "signatures"), "utf8").catch(() => "");
    return lines.split("\n").length - 1;
  }

  async function readers(targets: readonly HostProcess[], id: (typeof IDS)[number]) {
    const gets = Array.from({ length: READERS }, (_, index) => {
      const host = targets[index % targets.length] ?? hosts[0];
      return download(host, id);
    });
    return Promise.all(gets);
  }

  test("fifty parallel downloads cause one signature, and all get the same bytes", async () => {
    const before = { signatures: await signatures(), stamps: stamps.requestCount() };
    const answers = await readers(hosts, "Acme.Early");
    expect(
      new Set(answers.map((answer) => `${answer.status} ${answer.sha256} ${answer.etag}`)).size,
    ).toBe(1);
    expect(await signatures()).toBe(before.signatures + 1);
    expect(stamps.requestCount()).toBe(before.stamps + 1);
    const [first] = answers;
    const signature = await readSignature(packageBytesOf(first?.bytes ?? new Uint8Array()));
    expect(signature).toMatchObject({ kind: "repository", signer: { timestamps: [{}] } });
    expect((await download(hosts[1], "Acme.Early")).sha256).toBe(first?.sha256);
  });

  test("another instance signs after the signing one dies half-way", async () => {
    const before = { signatures: await signatures(), stamps: stamps.requestCount() };
    stamps.behave("silent");
    const stampRequest = stamps.nextRequest();
    const orphans = Promise.allSettled([download(hosts[0], "Acme.Orphan")]);
    await stampRequest;
    stamps.behave(undefined);
    const waiting = readers([hosts[1]], "Acme.Orphan");
    await hosts[0].kill();
    await orphans;
    const answers = await waiting;
    expect(
      new Set(answers.map((answer) => `${answer.status} ${answer.sha256} ${answer.etag}`)).size,
    ).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await signatures()).toBe(before.signatures + 2);
    expect(stamps.requestCount()).toBe(before.stamps + 2);
    await using third = await instance();
    expect((await download(third, "Acme.Orphan")).sha256).toBe(answers[0]?.sha256);
  });

  test("serves no unsigned copy while timestamps fail, and signed copies afterwards", async () => {
    stamps.behave("http-error");
    const refused = await readers([hosts[1]], "Acme.Failing");
    expect(new Set(refused.map((answer) => `${answer.status} ${answer.retryAfter}`))).toEqual(
      new Set(["503 30"]),
    );
    stamps.behave(undefined);
    const answers = await readers([hosts[1]], "Acme.Failing");
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.sha256}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });
});
afterAll(leaveTestServers);

async function download(host: HostProcess, id: string) {
  const lower = id.toLowerCase();
  const answer = await host.fetch(`/v3/package/${lower}/1.0.0/${lower}.1.0.0.nupkg`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const retryAfter = answer.headers.get("retry-after");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { status: answer.status, etag: answer.headers.get("etag"), retryAfter, bytes, sha256 };
}
