import { afterEach, beforeEach, expect, test } from "vitest";
import { HOSTILE_ANSWERS } from "../../testing/hostile-answers.ts";
import { openScriptedRegistry } from "../../testing/scripted-npm.ts";
import type { Fault, ScriptedRegistry } from "../../testing/scripted-npm.ts";
import { npmSource, openMirrorRegistry } from "./mirror-registry.test.support.ts";

const HOUR_MS = 60 * 60_000;
let source: ScriptedRegistry;
beforeEach(async () => {
  source = await openScriptedRegistry();
});
afterEach(() => source[Symbol.asyncDispose]());

const answering =
  (code: number, headers: Record<string, string> = {}, body = ""): Fault =>
  (_, response) => {
    response.writeHead(code, headers).end(body);
    return true;
  };
const cut: Fault = (_, response) => {
  response.writeHead(200, { "content-length": 1000 }).write('{"name":');
  response.destroy();
  return true;
};
const looping: Fault = (request, response) =>
  answering(302, { location: request.url ?? "/" })(request, response);

/** Answers of a source, and the reason that clients get. */
const FAULTS: readonly (readonly [what: string, fault: Fault, reason: string])[] = [
  ["answers 503", answering(503), "answered with status 503"],
  ["answers 500", answering(500), "answered with status 500"],
  ["asks for a pause", answering(429, { "retry-after": "1" }), "answered with status 429"],
  ["answers 401", answering(401), "refuses the registry's credentials"],
  ["answers 403", answering(403), "refuses the registry's credentials"],
  ["answers with a page", answering(200, { "content-type": "text/html" }, "<html>"), "is not the"],
  ["answers nothing", answering(200), "is not the requested document"],
  ["answers a list", answering(200, {}, "[]"), "is not the requested document"],
  ["answers a text", answering(200, {}, '"left"'), "is not the requested document"],
  ["answers null", answering(200, {}, "null"), "is not the requested document"],
  ["answers a number", answering(200, {}, "1"), "is not the requested document"],
  ["cuts the answer", cut, "cannot be reached"],
  [
    "answers about another package",
    answering(200, {}, '{"name":"another","versions":{}}'),
    "is not the requested document",
  ],
  ["redirects without an end", looping, "redirects without an end"],
  [
    "answers with 5,000 levels",
    answering(200, {}, `{"name":"left","x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`),
    "is not the requested document",
  ],
];

test.each(FAULTS)("while a source %s: an older document, or an error", async (_, fault, reason) => {
  source.publish("left", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source, { name: "faulty" })]);
  expect((await registry.get("left")).status).toBe(200);
  source.fault = fault;
  registry.pass(HOUR_MS);
  await registry.get("left");
  await registry.mirror.documents.settled();
  registry.pass(1_000);
  const stale = await registry.packument("left");
  expect([stale.status, stale.versions]).toEqual([200, ["1.0.0"]]);
  expect(stale.headers.get("x-sealhouse-stale")).toMatch(/^faulty; since=2/);
  const unknown = await registry.packument("unknown");
  expect(unknown.status).toBe(503);
  expect(Number(unknown.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(unknown.body.error).toMatch(/^The package source "faulty" /);
  expect(registry.parts.failures.join("\n")).toContain("faulty: ");
  if (!reason.includes("429")) expect(unknown.body.error).toContain(reason);
  // The address of a source may be private.
  expect(unknown.body.error).not.toContain("127.0.0.1");
});

test("a document is current again when the source is back", async () => {
  source.publish("left", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.get("left");
  source.fault = answering(503);
  for (let time = 0; time < 2; time += 1) {
    registry.pass(HOUR_MS);
    await registry.get("left");
    await registry.mirror.documents.settled();
  }
  registry.pass(1_000);
  expect((await registry.get("left")).headers.has("x-sealhouse-stale")).toBe(true);
  source.fault = undefined;
  registry.pass(HOUR_MS);
  await registry.get("left");
  await registry.mirror.documents.settled();
  registry.pass(1_000);
  expect((await registry.get("left")).headers.has("x-sealhouse-stale")).toBe(false);
});

const ENDING = ["bomb", "cut", "empty", "no-content", "page", "unasked-304"];

test.each(ENDING)("refuses the hostile document %s, and the same as a tarball", async (name) => {
  source.publish("left", "1.0.0");
  const hostile = HOSTILE_ANSWERS[name] ?? expect.unreachable();
  const settings = { maxDocumentBytes: 1024 * 1024, maxFileBytes: 1024 * 1024 };
  await using registry = openMirrorRegistry([npmSource(source, { settings })]);
  const attack = (path: string) => {
    source.fault = (request, response) => {
      if (request.url !== path) return false;
      hostile(request, response);
      return true;
    };
  };
  attack("/left");
  expect((await registry.get("left")).status).toBe(503);
  source.fault = undefined;
  registry.pass(HOUR_MS);
  expect((await registry.get("left")).status).toBe(200);
  attack("/left/-/left-1.0.0.tgz");
  const { status } = await registry.tarball("left", "1.0.0").catch(() => ({ status: "cut" }));
  expect(status).not.toBe(200);
  expect(await registry.memory.lookup.tarball("left", "1.0.0")).toBeUndefined();
  expect(registry.memory.inspect.staged()).toBe(0);
  source.fault = undefined;
  registry.pass(HOUR_MS);
  expect((await registry.tarball("left", "1.0.0")).status).toBe(200);
});

test("cuts off a client that was sent wrong bytes, and keeps nothing of them", async () => {
  source.publish("wrong", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.get("wrong");
  const sending = (bytes: Buffer): Fault => {
    return (request, response) => {
      if (request.url?.endsWith(".tgz") !== true) return false;
      response.writeHead(200, { "content-length": bytes.length }).end(bytes);
      return true;
    };
  };
  for (const bytes of [Buffer.alloc(400_000, 7), Buffer.from("wrong")]) {
    source.fault = sending(bytes);
    await expect(registry.tarball("wrong", "1.0.0")).rejects.toThrow(
      "sent a file with another hash",
    );
  }
  source.fault = sending(Buffer.alloc(0));
  const empty = await registry.tarball("wrong", "1.0.0");
  expect([empty.status, empty.text]).toEqual([
    503,
    expect.stringContaining("sent a file with another hash"),
  ]);
  expect(await registry.memory.lookup.tarball("wrong", "1.0.0")).toBeUndefined();
  source.fault = undefined;
  expect((await registry.tarball("wrong", "1.0.0")).status).toBe(200);
});

test("a refused tarball causes one comparison of its document, also an unchanged one", async () => {
  source.publish("wrong", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  source.fault = (request, response) =>
    request.url?.endsWith(".tgz") === true && answering(200, {}, "wrong")(request, response);
  for (let time = 0; time < 3; time += 1) {
    expect((await registry.tarball("wrong", "1.0.0")).status).toBe(503);
    await registry.mirror.documents.settled();
  }
  expect(source.requests.filter((line) => line === "GET /wrong")).toHaveLength(2);
  expect(source.headers.at(-1)).not.toHaveProperty("if-none-match");
});

test("shows no version that names another package", async () => {
  source.publish("renamed", "1.0.0", "1.1.0");
  source.change("renamed", ({ versions }) => {
    if (versions["1.1.0"]) versions["1.1.0"]["name"] = "left-pad";
  });
  await using registry = openMirrorRegistry([npmSource(source)]);
  const { versions, body } = await registry.packument("renamed");
  expect([versions, body["dist-tags"]]).toEqual([["1.0.0"], { latest: "1.0.0" }]);
  expect((await registry.tarball("renamed", "1.1.0")).status).toBe(404);
});

test.each([
  "+275760-09-13T00:00:00.000Z",
  "-000001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "soon",
  "",
])("keeps a version that was published at %j", async (time) => {
  source.publish("timed", "1.0.0");
  source.change("timed", (document) => void (document.time["1.0.0"] = time));
  await using registry = openMirrorRegistry([npmSource(source)]);
  const { body } = await registry.packument("timed");
  const year = new Date(body.time["1.0.0"] ?? "").getUTCFullYear();
  expect(year).toBe(registry.now().getUTCFullYear());
  expect((await registry.tarball("timed", "1.0.0")).status).toBe(200);
});

test.each([
  ["no tarball", { tarball: undefined }],
  ["no hash", { shasum: undefined, integrity: undefined }],
  ["a tarball that is no text", { tarball: 1 }],
  ["an integrity that is no text", { integrity: {}, shasum: [] }],
])("shows no version with %s", async (_, dist) => {
  source.publish("left", "1.0.0", "1.1.0");
  source.change("left", ({ versions }) => Object.assign(versions["1.1.0"]?.dist ?? {}, dist));
  await using registry = openMirrorRegistry([npmSource(source)]);
  expect((await registry.packument("left")).versions).toEqual(["1.0.0"]);
  expect((await registry.tarball("left", "1.1.0")).status).toBe(404);
});

test("follows a document that grows by 3,000 versions, and back", async () => {
  source.publish("grows", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  const count = async () => {
    registry.pass(HOUR_MS);
    await registry.get("grows");
    await registry.mirror.documents.settled();
    registry.pass(1_000);
    return (await registry.packument("grows")).versions.length;
  };
  expect(await count()).toBe(1);
  source.change("grows", ({ versions, time }) => {
    const [first = expect.unreachable()] = Object.values(versions);
    for (let patch = 1; patch <= 3_000; patch += 1) {
      versions[`1.0.${patch}`] = { ...first, version: `1.0.${patch}` };
      time[`1.0.${patch}`] = "2021-01-01T00:00:00.000Z";
    }
  });
  expect(await count()).toBe(3_001);
  source.change("grows", ({ versions }) => {
    for (const version of Object.keys(versions)) if (version !== "1.0.0") delete versions[version];
  });
  expect(await count()).toBe(1);
});

const keyAnswer = (keyIds: readonly string[]) =>
  JSON.stringify({
    keys: keyIds.map((keyid) => ({
      keyid,
      keytype: "ecdsa-sha2-nistp256",
      scheme: "ecdsa-sha2-nistp256",
      key: "AAAA",
      expires: null,
    })),
  });

test("keeps keys that the source lists no longer, and those of a failing source", async () => {
  let answer: Fault = answering(200, {}, keyAnswer(["first"]));
  source.fault = (request, response) =>
    request.url === "/-/npm/v1/keys" && answer(request, response);
  await using registry = openMirrorRegistry([npmSource(source)]);
  const shown = async () => {
    registry.pass(HOUR_MS);
    await registry.mirrored.upstream.keys();
    await registry.mirror.documents.settled();
    return (await registry.mirrored.upstream.keys()).map(({ keyId }) => keyId).toSorted();
  };
  expect(await shown()).toEqual(["first"]);
  answer = answering(200, {}, keyAnswer(["second"]));
  expect(await shown()).toEqual(["first", "second"]);
  answer = answering(400);
  expect(await shown()).toEqual(["first", "second"]);
  answer = answering(503);
  expect(await shown()).toEqual(["first", "second"]);
});

test.each([
  ["fails", answering(503)],
  ["has no keys", answering(404)],
  ["answers 400 to the question", answering(400)],
  ["answers no list", answering(200, {}, '{"keys":{}}')],
])("the keys of others stay usable while a source %s", async (_, fault) => {
  await using second = await openScriptedRegistry();
  second.fault = answering(200, {}, keyAnswer(["of-second"]));
  source.fault = fault;
  await using registry = openMirrorRegistry([
    npmSource(source, { name: "one" }),
    npmSource(second, { name: "two" }),
  ]);
  const keys = await registry.mirrored.upstream.keys();
  expect(keys.map(({ keyId }) => keyId)).toEqual(["of-second"]);
});

test("keeps the statements on a version, for the time when the source is away", async () => {
  source.publish("stated", "1.0.0");
  const statement = { predicateType: "https://slsa.dev/provenance/v1", bundle: { a: 1 } };
  source.fault = (request, response) =>
    request.url?.startsWith("/-/npm/v1/attestations/") === true &&
    answering(200, {}, JSON.stringify({ attestations: [statement] }))(request, response);
  await using registry = openMirrorRegistry([npmSource(source)]);
  await registry.get("stated");
  const statements = () => registry.mirrored.upstream.attestations("stated", "1.0.0");
  expect(await statements()).toMatchObject([{ predicateType: statement.predicateType }]);
  await source.stop();
  registry.pass(HOUR_MS);
  expect(await statements()).toMatchObject([{ predicateType: statement.predicateType }]);
});

test("asks for no statements on packages of this registry", async () => {
  await using registry = openMirrorRegistry([npmSource(source)], { own: ["npm/ours"] });
  expect(await registry.mirrored.upstream.attestations("ours", "1.0.0")).toEqual([]);
  expect(source.requests).toEqual([]);
});

test("a network with too many absent names gets 429, and the names that are here", async () => {
  source.publish("left", "1.0.0");
  await using registry = openMirrorRegistry([npmSource(source)]);
  let left = 3;
  const counted = (name: string) =>
    registry.mirror.answerCounted(
      (cost) => {
        if (left <= 0) return 60;
        left -= cost;
        return undefined;
      },
      () => registry.get(name),
    );
  expect((await counted("left")).status).toBe(200);
  for (const name of ["a", "b", "c"]) expect((await counted(name)).status).toBe(404);
  const limited = await counted("d");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await counted("left")).status).toBe(200);
  expect(source.requests).not.toContain("GET /d");
});
