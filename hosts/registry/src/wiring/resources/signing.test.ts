import { createHash, randomBytes } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import { secureBaseUrl } from "@sealhouse/http-server";
import { openKeyRing } from "@sealhouse/identity";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { parseObjectKey } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { loadConfig } from "../../settings/load.ts";
import { openSigning } from "./signing.ts";

function configOf(env: Record<string, string>) {
  const development = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
  return loadConfig({ env: { ...development, ...env }, workingFolder: "/" }).config;
}

async function openFeed(env: Record<string, string>) {
  const opened = new AsyncDisposableStack();
  const database = opened.use(await openTestDatabase());
  const store = opened.use(createMemoryStore());
  const lines: string[] = [];
  const log = createLog({ level: "Warning", format: "Json" }, (line) => lines.push(line));
  const keyRing = await openKeyRing({ random: randomBytes });
  const common = { extensions: [], store, keyRing, database, log, now: () => new Date() };
  const open = (ring = keyRing) => openSigning({ ...common, keyRing: ring, config: configOf(env) });
  return { opened, open, store, lines };
}

function packageOf(id: string) {
  const bytes = buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } });
  return {
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    async *read({ start, end } = { start: 0, end: bytes.length - 1 }) {
      yield bytes.subarray(start, end + 1);
    },
  };
}

const NAMED = { id: "Acme.Sealed", version: "1.0.0" };

test("creates the certificate once, stores it, and uses it again after a restart", async () => {
  const { opened, open, store, lines } = await openFeed({});
  await using _ = opened;
  await open().prepare();
  const objects = await Array.fromAsync(store.list("certs/"));
  expect(objects.map(({ key }) => key)).toEqual(["certs/repository-signing.pfx"]);
  const first = await open().seal(packageOf("Acme.Sealed"), NAMED);
  const second = await open().seal(packageOf("Acme.Sealed"), NAMED);
  if (first.status !== "sealed" || second.status !== "sealed") throw new Error(first.status);
  expect(second.seal.fingerprint).toBe(first.seal.fingerprint);
  expect(lines).toEqual([]);
});

test("a certificate of another key ring is an error, and its file stays unchanged", async () => {
  const { opened, open, store } = await openFeed({});
  await using _ = opened;
  await open().prepare();
  const key = parseObjectKey("certs/repository-signing.pfx");
  const contentOf = async () => Buffer.concat(await Array.fromAsync(store.bytes(key)));
  const before = await contentOf();
  const lost = open(await openKeyRing({ random: randomBytes }));
  await lost.prepare();
  const outcome = await lost.seal(packageOf("Acme.Sealed"), NAMED);
  expect(outcome).toMatchObject({ status: "unsealed", because: "failure" });
  expect(await contentOf()).toEqual(before);
  expect((await open().seal(packageOf("Acme.Sealed"), NAMED)).status).toBe("sealed");
});

test("a forbidden timestamp server costs the timestamp, not the signature", async () => {
  const Signing__TimestampServerUrl = "http://127.0.0.1:9/tsa";
  const { opened, open, lines } = await openFeed({ Signing__TimestampServerUrl });
  await using _ = opened;
  const outcome = await open().seal(packageOf("Acme.Sealed"), NAMED);
  expect(outcome.status).toBe("sealed");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/"id":"Acme.Sealed".*timestamp/i);
});

test("signs and logs nothing with signing off", async () => {
  const { opened, open, store, lines } = await openFeed({ Signing__Mode: "" });
  await using _ = opened;
  await open().prepare();
  expect(await open().seal(packageOf("Acme.Sealed"), NAMED)).toEqual({ status: "unsealed" });
  expect(await Array.fromAsync(store.list(""))).toEqual([]);
  expect(lines).toEqual([]);
});

test.each([
  [{ Feed__PublicBaseUrl: "https://feed.example" }, "https://feed.example", false],
  [
    {
      Feed__PublicBaseUrls__0: "http://in.example",
      Feed__PublicBaseUrls__1: "https://out.example",
    },
    "https://out.example",
    false,
  ],
  [{ Feed__PublicBaseUrl: "http://in.example:81" }, "https://in.example:81", true],
  [{ ASPNETCORE_URLS: "http://+:8080" }, "https://localhost:8080", true],
  [{ ASPNETCORE_URLS: "http://10.1.2.3" }, "https://10.1.2.3", true],
])("signatures of %j name %s", (env, url, assumed) => {
  const { feed, host } = configOf(env);
  expect(secureBaseUrl({ ...feed, ...host })).toEqual({ url, assumed });
});
