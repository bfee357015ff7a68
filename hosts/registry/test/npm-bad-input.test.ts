import { readFile } from "node:fs/promises";
import { request } from "node:http";
import type { ClientRequest } from "node:http";
import { Readable, pipeline } from "node:stream";
import { gzipSync } from "node:zlib";
import type { TarEntryWish, TarballWish } from "@sealhouse/npm-protocol/testing";
import { buildTarball, publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostProcess } from "../src/testing/index.ts";
import { spawnHost } from "../src/testing/index.ts";
import { expectTraces, tracesOf } from "./traces.ts";

const MIB = 1024 ** 2;
const TWO_GB = 2 * 1024 ** 3;
/** Limit of the bytes by which many refusals may grow the data folder. */
const GROWN_MIB_MAX = 50;
const JSON_TYPE = { "content-type": "application/json" };

const cleanUp = new AsyncDisposableStack();
let host: HostProcess;
let authorization: string;

beforeAll(async () => {
  const env = { Feed__Npm__MaxTarballBytes: String(64 * MIB) };
  host = cleanUp.use(await spawnHost({ env }));
  authorization = `Bearer ${await host.makeToken({ scopes: "read,write" })}`;
  // Loads what every publish needs, and every refusal.
  expect((await publish({ name: "good" })).status).toBe(200);
  expect((await publish({ tarball: Buffer.from("x") })).status).toBe(422);
});
afterAll(() => cleanUp.disposeAsync());

describe("tarballs that clients would install differently", () => {
  const link: TarEntryWish = { path: "package/lib", type: "2", linkTo: "/etc" };
  const entries = (...wished: readonly TarEntryWish[]): TarballWish => ({ entries: wished });
  const confused = buildTarball({ manifest: { scripts: { postinstall: "x" } } });

  test.each<[string, Buffer, RegExp]>([
    ["package/../../x", tarball(entries({ path: "package/../../x" })), /leads out of the package/],
    ["an absolute path", tarball(entries({ path: "/tmp/x" })), /is absolute/],
    [
      "a file through a linked folder",
      tarball(entries(link, { path: "package/lib/x" })),
      /a symbolic link/,
    ],
    [
      "a hard link to /etc/hostname",
      tarball(entries({ path: "package/h", type: "1", linkTo: "/etc/hostname" })),
      /a hard link/,
    ],
    [
      "two package.json",
      tarball(entries({ path: "package/package.json", content: "{}" })),
      /"package\/package.json" twice/,
    ],
    ["two top folders", tarball(entries({ path: "other/x" })), /two top folders/],
    [
      "files at the root of the archive",
      tarball({
        packageJson: false,
        files: {},
        entries: [{ path: "package.json", content: "{}" }],
      }),
      /outside the top folder/,
    ],
    ["a manifest that hides a script", confused, /differs from the package.json.*scripts/],
    ["a plain tar", tarball({ pack: (tar) => tar }), /is not gzip/],
    [
      "garbage behind gzip",
      Buffer.concat([tarball({}), Buffer.from("garbage")]),
      /bytes behind its gzip data/,
    ],
    ["a FIFO", tarball(entries({ path: "package/f", type: "6" })), /a FIFO/],
    ["no package.json", tarball({ packageJson: false }), /no package.json/],
    ["backslashes", tarball(entries({ path: "package/..\\..\\x" })), /a backslash/],
    ["an empty tar", gzipSync(Buffer.alloc(1024)), /no package.json/],
    [
      "a file that is a folder too",
      tarball(entries({ path: "package/index.js/x" })),
      /makes a file a folder too/,
    ],
    ["a bomb", tarball({ files: { zeros: Buffer.alloc(300 * MIB) } }), /200 times its size/],
  ])("%s: answers 422 with the reason, and keeps nothing", async (_, bytes, reason) => {
    await expectRefused(() => publish({ tarball: bytes }), 422, reason);
  });

  test("a command that points out of the package points into it, as npm has it", async () => {
    const manifest = { bin: { evil: "../../x" } };
    const bytes = buildTarball({ name: "points-out", manifest });
    expect((await publish({ name: "points-out", tarball: bytes, manifest })).status).toBe(200);
    const answer = await put("/npm/points-out/1.0.0", "", "GET");
    expect(JSON.parse(answer.text)).toMatchObject({ bin: { evil: "x" } });
  });

  test("accepts a package in another folder than package/", async () => {
    const bytes = buildTarball({ name: "other-top", top: "other-top-1.0.0" });
    expect((await publish({ name: "other-top", tarball: bytes })).status).toBe(200);
  });

  function tarball(wish: TarballWish): Buffer {
    return buildTarball({ name: "bad", ...wish });
  }
});

describe("invalid documents", () => {
  const whole = publishBody({ name: "bad" });
  const offset = whole.indexOf('"data":"') + 20;
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  test.each<[string, string | Buffer, number, RegExp]>([
    ["base64 that is cut in the middle", whole.slice(0, offset), 400, /ends inside the tarball/],
    ["base64 without its end", whole.replace(/=*","length"/, '","length"').slice(0, -1), 400, /./],
    ["base64 with a hole", `${whole.slice(0, offset)}"${whole.slice(offset)}`, 400, /two tarballs/],
    ["another alphabet", `${whole.slice(0, offset)}-_${whole.slice(offset + 2)}`, 400, /base64/],
    ["a readme 100,000 levels deep", `{"readme":${deep(100_000)}}`, 400, /deeper than 64 levels/],
    ["opening brackets alone", "[".repeat(5_000_000), 400, /deeper than 64 levels/],
    ["a prototype", whole.replace('{"_id"', '{"__proto__":{"a":1},"_id"'), 400, /"__proto__"/],
    ["a prototype for a version", whole.replace('"1.0.0":{', '"__proto__":{'), 400, /"__proto__"/],
    ["a NUL for a name", whole.replaceAll('"name":"bad"', '"name":"b\\u0000d"'), 400, /is about/],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, /valid JSON/],
    ["nothing", "", 400, /valid JSON/],
    ["a number", "1", 400, /no(?:t a)? JSON object/],
  ])("%s", async (_, body, status, reason) => {
    await expectRefused(() => put("/npm/bad", body), status, reason);
  });

  test.each([
    ["PUT", "/npm/-/package/good/dist-tags/x"],
    ["POST", "/npm/-/npm/v1/tokens"],
    ["PUT", "/npm/-/user/org.couchdb.user:alice"],
    ["POST", "/npm/-/npm/v1/security/advisories/bulk"],
    ["POST", "/npm/-/npm/v1/security/audits/quick"],
    ["PUT", "/npm/good/-rev/1-0"],
    ["PUT", "/npm/-/org/acme/user"],
    ["POST", "/npm/-/package/good/access"],
    ["POST", "/npm/-/v1/login"],
  ])("%s %s understands what is no such document", async (method, path) => {
    const bodies = [deep(2_000), '{"__proto__":{"name":"x"}}', "{", '"\\ud800"', "null", "[]"];
    for (const body of bodies) {
      const answer = await put(path, body, method);
      expect(answer.status, `${body.slice(0, 20)}: ${answer.text}`).toBeLessThan(500);
      expect(() => JSON.parse(answer.text) as unknown).not.toThrow();
    }
  });
});

describe("strings of 2 GB", () => {
  const start = '{"_id":"bad","name":"bad",';
  const attachment = `${start}"_attachments":{"bad-1.0.0.tgz":{"data":"`;

  test.each<[string, string, string, number]>([
    ["a readme", `${start}"readme":"`, "a", 413],
    ["a key", `${start}"`, "k", 413],
    ["a name of an attachment", `${start}"_attachments":{"`, "n", 413],
    ["a tarball", attachment, "A", 413],
    ["a number", `${start}"x":1`, "1", 413],
    ["blanks", start, " ", 413],
    ["versions", `${start}"versions":{`, '"1.0.0":{},', 413],
    ["escapes", `${start}"readme":"`, "\\u0061", 413],
    ["no JSON", "", "x", 413],
  ])("refuses %s early, without much memory", async (_, head, filling, status) => {
    const before = await memoryOf(host.pid);
    let sentBytes = 0;
    const filled = filling.repeat(Math.ceil(65_536 / filling.length));
    const body = function* () {
      yield head;
      for (; sentBytes < TWO_GB; sentBytes += filled.length) yield filled;
    };
    await expectRefused(() => stream("/npm/bad", body()), status, /larger|more than/);
    expect(sentBytes).toBeLessThan(200 * MIB);
    const grown = ((await memoryOf(host.pid)) - before) / MIB;
    expect(grown).toBeLessThanOrEqual(GROWN_MIB_MAX);
  });

  test("refuses them packed into 2 MB as well", async () => {
    const before = await memoryOf(host.pid);
    const zeros = gzipSync(Buffer.alloc(64 * MIB, "a"));
    const members = Array.from({ length: 32 }, () => zeros);
    const body = Buffer.concat([gzipSync(`${start}"readme":"`), ...members]);
    const packed = { "content-encoding": "gzip" };
    const act = () => put("/npm/bad", body, "PUT", packed);
    await expectRefused(act, 413, /more than 8192 KiB/);
    const grown = ((await memoryOf(host.pid)) - before) / MIB;
    expect(grown).toBeLessThanOrEqual(GROWN_MIB_MAX);
  });
});

test.each([
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e%2fetc",
  "%00",
  "%ff",
  "%252e%252e",
  "__proto__",
  "@__proto__%2fconstructor",
  "@a%2f-",
  "a%5cb",
  "*",
  "good/-/..%2f..%2fsealhouse.db",
  "good/-/good-1.0.0.tgz%00.html",
  "-/package/..%2f../dist-tags",
  "-/npm/v1/attestations/..%2f..",
  "-/v1/search?text=%00&size=1e9&from=-1",
  `-/v1/search?text=${"a+".repeat(3_000)}`,
  `good/${"1".repeat(1_000)}.0.0`,
  "a/".repeat(1_000),
])("answers the path %s in npm's form", async (path) => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await put(`/npm/${path}`, "{}", method);
    expect(answer.status, answer.text).toBeLessThan(500);
    if (answer.status >= 400) expect(JSON.parse(answer.text)).toMatchObject({ error: /./ });
  }
});

type Answer = { readonly status: number; readonly text: string; readonly type: string };

async function publish(wish: Parameters<typeof publishBody>[0] = {}): Promise<Answer> {
  const { name = "bad" } = wish;
  return put(`/npm/${name}`, publishBody({ name, ...wish }));
}

/** Nothing of what it is about is there afterwards, nor any byte of it. */
async function expectRefused(
  act: () => Promise<Answer>,
  status: number,
  reason: RegExp,
): Promise<void> {
  const before = await tracesOf(host);
  const answer = await act();
  expect(answer.status, answer.text).toBe(status);
  expect(answer.type).toMatch(/^application\/json/);
  const matcher = expect.stringMatching(reason) as unknown;
  expect(JSON.parse(answer.text)).toMatchObject({ error: matcher, message: matcher });
  expect((await put("/npm/bad", "", "GET")).status).toBe(404);
  await expectTraces(host, before);
}

/** Sends the path unchanged. */
function put(
  path: string,
  body: string | Buffer,
  method = "PUT",
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const sent = method === "GET" ? "" : body;
  const length = { "content-length": String(Buffer.byteLength(sent)) };
  return send({ path, method, headers: { ...length, ...headers } }, (outgoing) => {
    outgoing.end(sent);
  });
}

/** Until it is all sent, or the host has answered. */
function stream(path: string, body: Iterable<string>): Promise<Answer> {
  return send({ path, method: "PUT" }, (outgoing) => {
    pipeline(Readable.from(body), outgoing, () => undefined);
  });
}

type ExpectedAnswer = {
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
};

function send(
  { path, method, headers }: ExpectedAnswer,
  write: (outgoing: ClientRequest) => void,
): Promise<Answer> {
  const { hostname, port } = new URL(host.url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const all = { ...JSON_TYPE, authorization, ...headers };
  const outgoing = request({ hostname, port, path, method, headers: all });
  outgoing.once("error", reject).once("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.once("end", () => {
      const { statusCode: status = 0, headers: answerHeaders } = response;
      resolve({ status, text, type: answerHeaders["content-type"] ?? "" });
      outgoing.destroy();
    });
  });
  write(outgoing);
  return promise;
}

/** In bytes: the most it ever held. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kib = "NaN"] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return Number(kib) * 1024;
}
