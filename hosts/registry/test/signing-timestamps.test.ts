import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, readSignature, verifyPackage } from "@sealhouse/repo-signing";
import type { OpenSslStamps } from "@sealhouse/repo-signing/testing";
import { hasOpenSsl, openSslStamps } from "@sealhouse/repo-signing/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { startHost } from "../src/testing/index.ts";
import type { StampServer } from "../src/testing/stamp-server-stand-in.ts";
import { openStampServer } from "../src/testing/stamp-server-stand-in.ts";

// Packages of a feed whose timestamp servers misbehave: the policy of the operator applies, and no
// package contains an invalid token.

const STAND_IN = fileURLToPath(new URL("../src/testing/signing-mode-stand-in.ts", import.meta.url));
const FAULTS = [
  "http-error",
  "garbage",
  "refuses",
  "wrong-nonce",
  "wrong-imprint",
  "far-clock",
] as const;

const opened = new AsyncDisposableStack();
let folder = "";
let first: StampServer;
let second: StampServer;
let pushed = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-stamps-"));
  opened.defer(() => rm(folder, { recursive: true, maxRetries: 3 }));
  first = opened.use(await openStampServer());
  second = opened.use(await openStampServer());
});
afterAll(() => opened.disposeAsync());

function hostWith(mode: string, env: Readonly<Record<string, string>>): Promise<TestHost> {
  return startHost({
    env: {
      Signing__Mode: mode,
      Host__OutgoingRequests__AllowPrivateAddresses: "true",
      ...(mode === "StandIn" && {
        Host__Extensions__0: STAND_IN,
        Signing__StandIn__Folder: folder,
      }),
      ...env,
    },
  });
}

/** Warnings and signature that a client sees after a push and a download. */
async function pushTo(host: TestHost, key: string) {
  pushed += 1;
  const id = `acme.stamped${pushed}`;
  const body = new Uint8Array(buildNupkg({ id, version: "1.0.0", files: {} }));
  const headers = { "x-nuget-apikey": key };
  const answer = await host.fetch("/api/v2/package", { method: "PUT", headers, body });
  const response = await host.fetch(`/v3/package/${id}/1.0.0/${id}.1.0.0.nupkg`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const signature = response.ok ? await readSignature(packageBytesOf(bytes)) : undefined;
  return {
    status: answer.status,
    warning: answer.headers.get("x-nuget-warning") ?? "",
    retryAfter: answer.headers.get("retry-after"),
    kind: signature?.kind,
    stamps: signature && signature.kind !== "none" ? signature.signer.timestamps.length : undefined,
    bytes,
  };
}

const NOT_STORED = { status: 503, retryAfter: "30", kind: undefined, stamps: undefined };
const WITHOUT = { status: 201, retryAfter: null, kind: "repository", stamps: 0 };
const UNSIGNED = { status: 201, retryAfter: null, kind: "none", stamps: undefined };
const STAMPED = { status: 201, retryAfter: null, kind: "repository", stamps: 1 };

describe.each([
  // mode, policy, what becomes of the package
  ["SelfSigned", undefined, WITHOUT],
  ["SelfSigned", "Fail", UNSIGNED],
  ["StandIn", undefined, NOT_STORED],
  ["StandIn", "SignWithoutTimestamp", WITHOUT],
] as const)("in mode %s, policy %s", (mode, policy, expected) => {
  let host: TestHost;
  let key = "";
  beforeAll(async () => {
    host = await hostWith(mode, {
      Signing__TimestampServerUrl: first.url,
      ...(policy !== undefined && { Signing__TimestampFailurePolicy: policy }),
    });
    key = await host.makeToken({ scopes: "write" });
  });
  afterAll(() => host[Symbol.asyncDispose]());

  test.each(FAULTS)("does not trust a server that is “%s”", async (fault) => {
    first.behave(fault);
    const seen = await pushTo(host, key);
    expect(seen).toMatchObject(expected);
    expect(seen.warning).toContain("The timestamp server 127.0.0.1:");
    expect(host.output()).toContain("The timestamp server 127.0.0.1:");
  });

  test("trusts a server again that behaves again", async () => {
    first.behave(undefined);
    expect(await pushTo(host, key)).toMatchObject(STAMPED);
  });
});

describe("with two servers", () => {
  let host: TestHost;
  let key = "";
  beforeAll(async () => {
    host = await hostWith("StandIn", {
      // Development sets it to nothing.
      Signing__TimestampServerUrl: "",
      Signing__TimestampServerUrls__0: first.url,
      Signing__TimestampServerUrls__1: second.url,
    });
    key = await host.makeToken({ scopes: "write" });
  });
  afterAll(() => host[Symbol.asyncDispose]());

  test("asks the second only when the first gives nothing", async () => {
    first.behave(undefined);
    second.behave(undefined);
    const before = second.requestCount();
    expect(await pushTo(host, key)).toMatchObject(STAMPED);
    expect(second.requestCount()).toBe(before);
    first.behave("wrong-imprint");
    expect(await pushTo(host, key)).toMatchObject(STAMPED);
    expect(second.requestCount()).toBe(before + 1);
  });

  test("reports both reasons when both servers fail", async () => {
    first.behave("wrong-nonce");
    second.behave("http-error");
    const seen = await pushTo(host, key);
    expect(seen).toMatchObject(NOT_STORED);
    expect(seen.warning).toMatch(/belongs to another request.*answered 500/);
  });

  test("a server that hangs holds up one push for ten seconds, and the next ones less", async () => {
    first.behave("silent");
    second.behave(undefined);
    expect(await pushTo(host, key)).toMatchObject(STAMPED);
    // One of them tries whether it is back; the others do not wait for that.
    const begun = second.requestCount();
    const both = [pushTo(host, key), pushTo(host, key)];
    await Promise.race(both);
    expect(second.requestCount()).toBe(begun + 1);
    first.behave(undefined);
    for (const seen of await Promise.all(both)) expect(seen).toMatchObject(STAMPED);
  });
});

describe.skipIf(!hasOpenSsl())("with a timestamping authority run by OpenSSL", () => {
  let stamps: OpenSslStamps;
  let host: TestHost;
  let key = "";
  beforeAll(async () => {
    const server = opened.use(await served((...args) => stamps.fetch(...args)));
    host = opened.use(await hostWith("StandIn", { Signing__TimestampServerUrl: server.url }));
    key = await host.makeToken({ scopes: "write" });
  });

  test.each(["sha256", "sha384", "sha512"] as const)("that signs with %s", async (digest) => {
    stamps = await openSslStamps(join(folder, digest), { digest, accuracy: "secs:1" });
    const seen = await pushTo(host, key);
    expect(seen).toMatchObject({ ...STAMPED, warning: expect.not.stringContaining("timestamp") });
    const verified = await verifyPackage(packageBytesOf(seen.bytes), {
      roots: "any",
      timestampRoots: [new X509Certificate(stamps.root).raw],
      now: new Date(),
    });
    expect(verified).toMatchObject({ valid: true, issues: [] });
  });
});

/** Behind real HTTP. */
async function served(answer: typeof fetch): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const reply = await answer("http://stamps.test/", { method: "POST", body });
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(Buffer.from(await reply.arrayBuffer()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
