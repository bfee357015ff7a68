import { createHash, randomBytes } from "node:crypto";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { databaseSettings, spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
const REPOSITORIES = 8;

describe.skipIf(!testableDatabases().includes("PostgreSQL"))("two hosts on one PostgreSQL", () => {
  let pair: Awaited<ReturnType<typeof openPair>>;
  beforeAll(async () => void (pair = await openPair()), 120_000);
  afterAll(() => pair[Symbol.asyncDispose]());

  test("one takes up an upload where the other was left", async () => {
    const { one, other, send } = pair;
    const [first, second, third] = [70_000, 30_000, 5_000].map((size) => randomBytes(size));
    const whole = Buffer.concat([first, second, third].flatMap((part) => part ?? []));

    const opened = await send(one, "POST /v2/hop/app/blobs/uploads/");
    expect(opened.status).toBe(202);
    const session = locationOf(opened);
    const begun = await send(other, `PATCH ${session}`, sent(first));
    expect([begun.status, begun.headers.get("range")]).toEqual([202, "0-69999"]);
    const more = await send(one, `PATCH ${locationOf(begun)}`, sent(second));
    expect([more.status, more.headers.get("range")]).toEqual([202, "0-99999"]);
    const progress = await send(other, `GET ${session}`);
    expect([progress.status, progress.headers.get("range")]).toEqual([204, "0-99999"]);
    const closed = await send(other, `PUT ${session}?digest=${digestOf(whole)}`, sent(third));
    expect(closed.status).toBe(201);

    const read = await send(one, `GET /v2/hop/app/blobs/${digestOf(whole)}`);
    expect(Buffer.from(await read.arrayBuffer()).equals(whole)).toBe(true);
  });

  test("an upload that was opened at one is closed, or called off, at the other", async () => {
    const { one, other, send } = pair;
    const bytes = randomBytes(4_096);
    const opened = locationOf(await send(one, "POST /v2/hop/app/blobs/uploads/"));
    const closed = await send(other, `PUT ${opened}?digest=${digestOf(bytes)}`, sent(bytes));
    expect(closed.status).toBe(201);

    const again = locationOf(await send(one, "POST /v2/hop/app/blobs/uploads/"));
    expect((await send(other, `DELETE ${again}`)).status).toBe(204);
    expect((await send(one, `PATCH ${again}`, sent(bytes))).status).toBe(404);

    const begun = locationOf(await send(one, "POST /v2/hop/app/blobs/uploads/"));
    expect((await send(one, `PATCH ${begun}`, sent(bytes))).status).toBe(202);
    expect((await send(other, `DELETE ${begun}`)).status).toBe(204);
    expect((await send(one, `GET ${begun}`)).status).toBe(404);
  });

  test("links bytes that another instance has stored, for a caller that sends all of them", async () => {
    const { one, other, send } = pair;
    const bytes = randomBytes(300_000);
    const digest = digestOf(bytes);
    const put = async (host: typeof one, repository: string, body: Buffer<ArrayBuffer>) => {
      const session = locationOf(await send(host, `POST /v2/${repository}/blobs/uploads/`));
      return (await send(host, `PUT ${session}?digest=${digest}`, sent(body))).status;
    };
    expect(await put(one, "hop/base", bytes)).toBe(201);
    expect(await put(other, "hop/child", bytes)).toBe(201);
    const read = await send(one, `GET /v2/hop/child/blobs/${digest}`);
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);

    expect(await put(other, "hop/stranger", randomBytes(300_000))).toBe(400);
    expect((await send(one, `HEAD /v2/hop/stranger/blobs/${digest}`)).status).toBe(404);
  });

  test("both take the same layers for many repositories at once, and keep one of each", async () => {
    const { one, other, send } = pair;
    const layers = [randomBytes(200_000), randomBytes(100), Buffer.alloc(0)];
    const config = Buffer.from("{}");
    const hostOf = (n: number) => (n % 2 === 0 ? one : other);
    const before = await storedBytes(one);

    const pushed = await Promise.all(
      Array.from({ length: REPOSITORIES }, async (_, n) => {
        const repository = `crowd/app-${n}`;
        for (const [index, blob] of [...layers, config].entries()) {
          await pushBlob([send, hostOf(n + index)], repository, blob);
        }
        const path = `/v2/${repository}/manifests/1.0`;
        return (await send(hostOf(n), `PUT ${path}`, manifestOf(config, layers))).status;
      }),
    );
    expect(pushed).toEqual(Array.from({ length: REPOSITORIES }, () => 201));

    for (const n of Array.from({ length: REPOSITORIES }).keys()) {
      for (const layer of layers) {
        const path = `/v2/crowd/app-${n}/blobs/${digestOf(layer)}`;
        const read = await send(hostOf(n + 1), `GET ${path}`);
        expect(Buffer.from(await read.arrayBuffer()).equals(layer)).toBe(true);
      }
    }
    const checked = await one.cli("oci", "check", "--scrub");
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    const size = layers.reduce((sum, { byteLength }) => sum + byteLength, config.byteLength);
    // The host caches sums for some seconds.
    const added = async () => (await storedBytes(other)) - before;
    await expect.poll(added, { timeout: 30_000 }).toBe(size);
  });

  test("a tag that moves back and forth at both names one of the two at every moment", async () => {
    const { one, other, send } = pair;
    const config = Buffer.from("{}");
    const layers = [randomBytes(100), randomBytes(200)];
    for (const blob of [...layers, config]) await pushBlob([send, one], "race/app", blob);
    const manifests = layers.map((layer) => manifestOf(config, [layer]));
    const path = "/v2/race/app/manifests/latest";

    const rounds = Array.from({ length: 10 }, (_, n) => n);
    const answers = await Promise.all(
      rounds.flatMap((n) => [
        send(one, `PUT ${path}`, manifests[n % 2]),
        send(other, `PUT ${path}`, manifests[(n + 1) % 2]),
        send(n % 2 === 0 ? one : other, `GET ${path}`),
      ]),
    );
    const wrong = answers.map(({ status }) => status).filter((status) => status >= 500);
    expect(wrong).toEqual([]);
    const [here, there] = await Promise.all([one, other].map((host) => send(host, `GET ${path}`)));
    const digest = here?.headers.get("docker-content-digest");
    expect(there?.headers.get("docker-content-digest")).toBe(digest);
    expect(manifests.map(({ bytes }) => digestOf(bytes))).toContain(digest);
  });
});

type Sent = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type?: string };
/** `requestLine`: `PUT /v2/…` */
type Send = (host: TestHost, requestLine: string, body?: Sent) => Promise<Response>;

async function openPair() {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder());
  const place = opened.use(await openTestPlace("PostgreSQL"));
  const options = { folder: folder.path, env: databaseSettings(place.config) };
  const one = opened.use(await spawnHost(options));
  const other = opened.use(await spawnHost(options));
  const token = await one.makeToken({ name: "pusher", scopes: "read,write" });
  const authorization = `Basic ${Buffer.from(`pusher:${token}`).toString("base64")}`;
  const send: Send = (host, line, body) => {
    const [method = "", path = ""] = line.split(" ");
    return host.fetch(path, {
      method,
      headers: { authorization, "content-type": body?.type ?? "application/octet-stream" },
      ...(body && { body: body.bytes }),
    });
  };
  return { one, other, send, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function pushBlob(
  [send, host]: readonly [Send, TestHost],
  repository: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const opened = await send(host, `POST /v2/${repository}/blobs/uploads/`);
  const path = `${locationOf(opened)}?digest=${digestOf(bytes)}`;
  expect((await send(host, `PUT ${path}`, sent(bytes))).status).toBe(201);
}

function sent(bytes: Uint8Array<ArrayBuffer> = Buffer.alloc(0)): Sent {
  return { bytes };
}

async function storedBytes(host: TestHost): Promise<number> {
  const metrics = await (await host.fetch("/metrics")).text();
  const [, bytes] = /^blob_bytes_stored\{.*type="oci"\} (\d+)$/m.exec(metrics) ?? [];
  return Number(bytes);
}

function manifestOf(
  config: Uint8Array<ArrayBuffer>,
  layers: readonly Uint8Array<ArrayBuffer>[],
): Sent {
  const descriptor = (bytes: Uint8Array, mediaType: string) => {
    return { mediaType, digest: digestOf(bytes), size: bytes.byteLength };
  };
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: descriptor(config, CONFIG_TYPE),
      layers: layers.map((layer) => descriptor(layer, LAYER_TYPE)),
    }),
  );
  return { bytes, type: MANIFEST_TYPE };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function locationOf({ headers }: Response): string {
  const location = headers.get("location");
  if (location === null) throw new Error("The answer has no Location.");
  return location;
}

afterAll(leaveTestServers);
