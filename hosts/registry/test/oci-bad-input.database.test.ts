import { request } from "node:http";
import type { OutgoingHttpHeaders } from "node:http";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import {
  OCI_INDEX,
  OCI_MANIFEST,
  buildImage,
  buildIndex,
} from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostProcess } from "../src/testing/index.ts";
import { databaseSettings, spawnHost } from "../src/testing/index.ts";
import { expectTraces, tracesOf } from "./traces.ts";

const MIB = 1024 ** 2;
/** Milliseconds within which every request has its answer, even on a busy machine. */
const WITHIN_MS = 10_000;

type Answer = { readonly status: number; readonly body: string };
type Sent = { readonly headers?: OutgoingHttpHeaders; readonly body?: Uint8Array | string };

const databases = testableDatabases();

describe.each(databases)("on %s, the host", (type) => {
  const cleanUp = new AsyncDisposableStack();
  let host: HostProcess;
  let authorization: string;

  beforeAll(async () => {
    const place = cleanUp.use(await openTestPlace(type));
    host = cleanUp.use(await spawnHost({ env: databaseSettings(place.config) }));
    const token = await host.makeToken({ scopes: "read,write,delete" });
    authorization = `Basic ${btoa(`me:${token}`)}`;
    const image = buildImage({ layers: ["layer"] });
    for (const { digest, bytes } of image.blobs) {
      const path = `/v2/team/app/blobs/uploads/?digest=${digest}`;
      expect((await send("POST", path, { body: bytes })).status).toBe(201);
    }
    const put = { headers: { "content-type": OCI_MANIFEST }, body: image.bytes };
    expect((await send("PUT", "/v2/team/app/manifests/1", put)).status).toBe(201);
  }, 120_000);
  afterAll(() => cleanUp.disposeAsync());

  /** Sends the path unchanged; `fetch` would normalise it. */
  function send(method: string, path: string, { headers = {}, body }: Sent = {}) {
    return new Promise<Answer>((resolve, reject) => {
      const { hostname, port } = new URL(host.url);
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const all = { authorization, ...length, ...headers };
      const options = { method, path, hostname, port, headers: all, agent: false } as const;
      const sent = request({ ...options, timeout: WITHIN_MS }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
        answer.once("error", reject);
      });
      sent.once("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.once("error", reject);
      sent.end(body);
    });
  }

  test("serves a repository whose name has 255 characters, and refuses a longer one", async () => {
    const name = `long/${"a".repeat(249)}z`;
    const tag = "t".repeat(128);
    const { blobs, bytes, digest } = buildImage({ layers: ["of the long name"] });
    for (const blob of blobs) {
      // Its beginning is a row that has the name.
      const session = await locationOf("POST", `/v2/${name}/blobs/uploads/`);
      expect((await send("PATCH", session, { body: blob.bytes })).status).toBe(202);
      const path = `${session}?digest=${encodeURIComponent(blob.digest)}`;
      expect((await send("PUT", path)).status).toBe(201);
    }
    const put = { headers: { "content-type": OCI_MANIFEST }, body: bytes };
    expect((await send("PUT", `/v2/${name}/manifests/${tag}`, put)).status).toBe(201);

    const listed = await send("GET", `/v2/${name}/tags/list?n=1`);
    expect(JSON.parse(listed.body)).toEqual({ name, tags: [tag] });
    expect((await send("GET", "/v2/_catalog?n=1&last=long")).body).toContain(name);
    expect((await send("GET", `/v2/${name}/referrers/${digest}`)).status).toBe(200);
    for (const page of [`/images/${name}`, `/images/${name}:${tag}`]) {
      expect((await send("GET", page)).body).toContain(name);
    }
    const collected = await host.cli("oci", "gc");
    expect(collected).toMatchObject({ code: 0 });
    expect((await send("DELETE", `/v2/${name}/manifests/${digest}`)).status).toBe(202);

    const longer = await send("GET", `/v2/${name}z/tags/list`);
    expect(longer).toMatchObject({ status: 400, body: expect.stringContaining("NAME_INVALID") });
  });

  /** Path and query of the `Location` that a request is answered with. */
  async function locationOf(method: string, path: string): Promise<string> {
    const answer = await host.fetch(path, { method, headers: { authorization } });
    return answer.headers.get("location") ?? "";
  }

  async function expectRefused(act: () => Promise<Answer>, status: number, code: string) {
    const before = await tracesOf(host);
    const answer = await act();
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ code }] });
    await expectTraces(host, before);
  }

  test.each([
    ["team/../app", 400, "NAME_INVALID"],
    ["team/%2e%2e/app", 400, "NAME_INVALID"],
    ["../v2/team/app", 400, "NAME_INVALID"],
    ["team%2Fapp", 400, "NAME_INVALID"],
    ["team%252Fapp", 400, "NAME_INVALID"],
    ["team%00app", 400, "NAME_INVALID"],
    ["team%5Capp", 400, "NAME_INVALID"],
    ["team//app", 400, "NAME_INVALID"],
    ["Team/app", 400, "NAME_INVALID"],
    ["team/app%FF", 400, "NAME_INVALID"],
    ["t".repeat(256), 400, "NAME_INVALID"],
    ["team/%F0%9F%90%B3", 400, "NAME_INVALID"],
  ])("refuses the name %s, for manifests, uploads and reads", async (name, status, code) => {
    const put = { headers: { "content-type": OCI_INDEX }, body: buildIndex([]).bytes };
    await expectRefused(() => send("PUT", `/v2/${name}/manifests/1`, put), status, code);
    const upload = `/v2/${name}/blobs/uploads/`;
    await expectRefused(() => send("POST", upload, { body: "" }), status, code);
    await expectRefused(() => send("GET", `/v2/${name}/tags/list`), status, code);
  });

  test.each([
    ["..", "MANIFEST_INVALID"],
    ["a%2Fb", "MANIFEST_INVALID"],
    ["a%00", "MANIFEST_INVALID"],
    ["a%5Cb", "MANIFEST_INVALID"],
    [".hidden", "MANIFEST_INVALID"],
    ["t".repeat(129), "MANIFEST_INVALID"],
    ["sha256:baddigest", "DIGEST_INVALID"],
    [`sha256:${"A".repeat(64)}`, "DIGEST_INVALID"],
    [`sha256:${"0".repeat(64)}`, "DIGEST_INVALID"],
    ["sha256:..%2F..%2Fetc", "DIGEST_INVALID"],
  ])("refuses to put a manifest as %s", async (reference, code) => {
    const put = { headers: { "content-type": OCI_INDEX }, body: buildIndex([]).bytes };
    await expectRefused(() => send("PUT", `/v2/team/app/manifests/${reference}`, put), 400, code);
  });

  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const itself = `sha256:${"1".repeat(64)}`;
  const child = { mediaType: OCI_INDEX, digest: itself, size: 2 };

  test.each([
    ["no JSON", "{", 400, "MANIFEST_INVALID"],
    ["nothing", "", 400, "MANIFEST_INVALID"],
    ["a number", "1", 400, "MANIFEST_INVALID"],
    ["100,000 levels", `{"schemaVersion":2,"x":${deep(100_000)}}`, 400, "MANIFEST_INVALID"],
    ["4 MiB of brackets", "[".repeat(4 * MIB), 400, "MANIFEST_INVALID"],
    ["a byte over 4 MiB", " ".repeat(4 * MIB + 1), 413, "MANIFEST_INVALID"],
    ["32 MiB", " ".repeat(32 * MIB), 413, "MANIFEST_INVALID"],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22]), 400, "MANIFEST_INVALID"],
    ["an index of what is not there", index([child]), 404, "MANIFEST_BLOB_UNKNOWN"],
    [
      "10,001 children",
      index(Array.from({ length: 10_001 }, () => child)),
      400,
      "MANIFEST_INVALID",
    ],
    ["layers in an index", index([], { layers: [] }), 400, "MANIFEST_INVALID"],
    ["a subject that is a text", index([], { subject: itself }), 400, "MANIFEST_INVALID"],
    ["a size below zero", index([{ ...child, size: -1 }]), 400, "MANIFEST_INVALID"],
  ])("refuses a manifest of %s", async (_, body, status, code) => {
    const put = { headers: { "content-type": OCI_INDEX }, body };
    await expectRefused(() => send("PUT", "/v2/team/app/manifests/bad", put), status, code);
    expect((await send("GET", "/v2/team/app/manifests/bad")).status).toBe(404);
  });

  test("refuses an index that names its own digest, because no client can know it beforehand", async () => {
    const put = { headers: { "content-type": OCI_INDEX }, body: index([child]) };
    const path = `/v2/team/app/manifests/${itself}`;
    await expectRefused(() => send("PUT", path, put), 400, "DIGEST_INVALID");
  });

  test("subjects in a ring, by way of a digest that never comes, do no harm", async () => {
    const first = index([], { subject: { ...child, digest: itself } });
    const put = { headers: { "content-type": OCI_INDEX }, body: first };
    expect((await send("PUT", "/v2/team/ring/manifests/1", put)).status).toBe(201);
    const { body, status } = await send("GET", `/v2/team/ring/referrers/${itself}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ manifests: [{ mediaType: OCI_INDEX }] });
  });

  test("accepts texts that a database cannot store, and returns them unchanged", async () => {
    const odd = { artifactType: "a\u0000b", annotations: { "k\u0000": "v\u0000\ud800" } };
    for (const text of [odd, { artifactType: "t".repeat(100_000) }]) {
      const manifest = index([], { ...text, subject: { ...child, digest: itself } });
      const put = { headers: { "content-type": OCI_INDEX }, body: manifest };
      expect((await send("PUT", "/v2/team/odd/manifests/1", put)).status).toBe(201);
      expect((await send("GET", "/v2/team/odd/manifests/1")).body).toBe(manifest);
    }
    expect((await send("GET", `/v2/team/odd/referrers/${itself}`)).status).toBe(200);
  });

  test.each([
    ["/v2/team/app/tags/list?last=%00", 200],
    ["/v2/team/app/tags/list?last=%FF%FE&n=5", 200],
    [`/v2/team/app/tags/list?last=${"z".repeat(5_000)}`, 200],
    ["/v2/team/app/tags/list?n=-1", 400],
    ["/v2/team/app/tags/list?n=1e3", 400],
    [`/v2/team/app/tags/list?n=${"9".repeat(400)}`, 200],
    ["/v2/_catalog?last=%00", 200],
    ["/v2/_catalog?last=..%2F", 200],
    [`/v2/team/app/referrers/${itself}?artifactType=%00`, 200],
    ["/v2/team/app/referrers/sha256:x", 400],
    [`/v2/team/app/referrers/${itself}?n=0`, 200],
    [`/v2/team/app/referrers/${itself}?n=99999999999999999999`, 200],
    [`/v2/team/app/referrers/${itself}?last=99999999999999999999`, 200],
    [`/v2/team/app/referrers/${itself}?last=1e3`, 400],
    [`/v2/team/app/referrers/${itself}?last=`, 400],
    ["/v2/team/app/manifests/%00", 404],
    ["/v2/team/app/blobs/..", 400],
    ["/v2/../../etc/manifests/1", 404],
    ["/v2/team\\app/tags/list", 400],
    ["/v2/team/app/blobs/uploads/%00", 404],
    ["/token?service=%00&scope=%00&account=%00&client_id=%00&offline_token=true", 200],
    [`/token?offline_token=true&client_id=${"c".repeat(5_000)}`, 200],
    [`/token?${"scope=repository:a:pull&".repeat(101)}`, 400],
  ])("answers %s", async (path, status) => {
    expect((await send("GET", path)).status).toBe(status);
  });

  test.each([
    ["grant_type=password&username=%00&password=%00", 401],
    ["grant_type=refresh_token&refresh_token=%00", 401],
    ["grant_type=refresh_token&refresh_token=shr_%FF", 401],
    ["grant_type=none", 400],
    ["%", 400],
    [`grant_type=password&username=${"u".repeat(100_000)}&password=p`, 413],
  ])("answers the token request %s", async (body, status) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", authorization: "" };
    expect((await send("POST", "/token", { headers, body })).status).toBe(status);
  });

  test.each([
    ["5-1", 400],
    ["-1", 400],
    ["0-99999999999999999999", 400],
    ["bytes */*", 400],
    ["1-3", 416],
    ["0-3", 400],
  ])("refuses three bytes announced as %s, and keeps serving", async (range, status) => {
    const { location } = await open();
    const headers = { "content-range": range };
    expect((await send("PATCH", location, { headers, body: "abc" })).status).toBe(status);
    expect((await send("PATCH", location, { body: "abc" })).status).toBe(202);
    expect((await send("DELETE", location)).status).toBe(204);
  });

  test("keeps nothing of bytes with another digest, whichever way they come", async () => {
    const path = "/v2/team/app/blobs/uploads/";
    const whole = () => send("POST", `${path}?digest=${itself}`, { body: "abc" });
    await expectRefused(whole, 400, "DIGEST_INVALID");
    const inOne = async () => {
      const { location } = await open();
      return send("PUT", `${location}?digest=${itself}`, { body: "abc" });
    };
    await expectRefused(inOne, 400, "DIGEST_INVALID");
    const inTwo = async () => {
      const { location } = await open();
      expect((await send("PATCH", location, { body: "abc" })).status).toBe(202);
      return send("PUT", `${location}?digest=${itself}`, { body: "" });
    };
    await expectRefused(inTwo, 400, "DIGEST_INVALID");
  });

  test("has failed at none of it", () => {
    expect(host.output()).not.toMatch(/"level":"(?:error|fatal)"|"level":[56]0/);
  });

  async function open() {
    const opened = await host.fetch("/v2/team/app/blobs/uploads/", {
      method: "POST",
      headers: { authorization },
    });
    expect(opened.status).toBe(202);
    return { location: opened.headers.get("location") ?? "" };
  }
});

afterAll(leaveTestServers);

function index(manifests: readonly unknown[], fields: Readonly<Record<string, unknown>> = {}) {
  return JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests, ...fields });
}
