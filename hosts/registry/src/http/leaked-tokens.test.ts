import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { createTestToken, TEST_PEPPER } from "@sealhouse/identity/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { openRegistry } from "../registry.ts";
import type { Registry } from "../registry.ts";
import { loadConfig } from "../settings/load.ts";
import { LEAKED_TOKENS_PATH } from "./leaked-tokens.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = publicKey.export({ type: "spki", format: "pem" }).toString();
const keyServer = createServer((_, outgoing) => {
  outgoing.end(
    JSON.stringify({ public_keys: [{ key_identifier: "key-1", key, is_current: true }] }),
  );
});
const { token, record } = createTestToken({ name: "leaked" });
let folder = "";
let registry: Registry;
const open = () =>
  openDatabase({ type: "Sqlite", path: join(folder, "sealhouse.db") }, { migrate: true });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-leaks-"));
  await using database = await open();
  await database.tokens.insert(record, { actor: "test" });
  keyServer.listen(0, "127.0.0.1");
  await once(keyServer, "listening");
  const { port } = keyServer.address() as AddressInfo;
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Host__TokenHashPepper: TEST_PEPPER,
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
    Host__LeakedTokens__PublicKeysUrl: `http://127.0.0.1:${port}/keys`,
  };
  const { config } = loadConfig({ env, workingFolder: folder, extensions: [] });
  registry = await openRegistry(config, {
    log: createLog({ level: "None", format: "Json" }, () => undefined),
  });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  keyServer.close();
  await rm(folder, { recursive: true });
});

const post = (body: string, headers: Record<string, string> = {}) =>
  registry.fetch(
    new Request(`http://localhost${LEAKED_TOKENS_PATH}`, { method: "POST", body, headers }),
  );
const signed = (body: string) => ({
  "content-type": "application/json",
  "github-public-key-identifier": "key-1",
  "github-public-key-signature": sign("sha256", Buffer.from(body), privateKey).toString("base64"),
});
const whoami = () =>
  registry.fetch(
    new Request("http://localhost/npm/-/whoami", { headers: { authorization: `Bearer ${token}` } }),
  );

test.each([
  ["a wrong signature", "[]", { ...signed("[] ") }, 403],
  ["a malformed report", "{}", {}, 400],
  ["more than 1 MiB", JSON.stringify(["x".repeat(1_100_000)]), {}, 413],
  ["a page of another site", "[]", { origin: "https://evil.example" }, 403],
])("refuses %s", async (_what, body, headers, status) => {
  const answer = await post(body, headers);
  expect(answer.status).toBe(status);
  expect((await answer.text()).length).toBeGreaterThan(10);
});

test("a signed report ends a token at once, and its event names the place", async () => {
  expect((await whoami()).status).toBe(200);
  const url = "https://code.example/acme/app/.npmrc";
  const body = JSON.stringify([{ token, type: "sealhouse_token", url, source: "content" }]);
  const answer = await post(body, signed(body));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.json()).toEqual([
    { token_raw: token, token_type: "sealhouse_token", label: "true_positive" },
  ]);
  expect((await whoami()).status).toBe(401);
  await using database = await open();
  const { records: events } = await database.events.audit.read({
    types: ["token.leaked"],
    order: "newest-first",
    limit: 10,
  });
  const pending = await database.events.outbox.pending("test", 100);
  const [event] = [...events, ...pending].filter(({ type }) => type === "token.leaked");
  expect(event).toMatchObject({
    subject: `token/${record.id}`,
    caller: { actor: "secret scanner" },
    detail: { url, source: "content" },
  });
});
