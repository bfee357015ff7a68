import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TimestampError } from "../errors.ts";
import { hasOpenSsl } from "../testing/open-ssl-stamps.ts";
import { pemOf, testRootCertificate } from "../testing/test-signer.ts";
import type { StampMisbehaviour } from "../testing/test-timestamper.ts";
import { createTestStampServer } from "../testing/test-timestamper.ts";
import { createTimestamper } from "./client.ts";
import { parseTimestampToken } from "./token.ts";

const now = () => new Date("2026-11-21T12:00:00Z");
const signature = Buffer.from("a signature of some kind");
const url = "http://time.test/stamp";
const randomBytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => index + 1);

async function stamperOf(misbehaves?: StampMisbehaviour) {
  const fetch = await createTestStampServer({ now, ...(misbehaves && { misbehaves }) });
  return createTimestamper({ url, fetch, randomBytes, now, timeoutMs: 50 });
}

test("a token tells the time of the server, with its accuracy", async () => {
  const token = parseTimestampToken(await (await stamperOf())(signature));
  expect(token.time).toEqual(now());
  expect(token.to.getTime() - token.from.getTime()).toBe(2000);
});

test("the request is what RFC 3161 servers expect", async () => {
  let sent: Request | undefined;
  const server = await createTestStampServer({ now });
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent = new Request(input, init);
    return server(input, init);
  };
  await createTimestamper({ url, fetch, randomBytes, now })(signature);
  expect(sent?.method).toBe("POST");
  expect(sent?.url).toBe(url);
  expect(sent?.headers.get("content-type")).toBe("application/timestamp-query");
});

test.each<[StampMisbehaviour, Partial<TimestampError>]>([
  ["refuses", { reason: "rejected" }],
  ["garbage", { reason: "malformed" }],
  ["http-error", { reason: "http-status" }],
  ["silent", { reason: "timeout" }],
  ["wrong-nonce", { reason: "invalid", nugetCode: "NU3026" }],
  ["wrong-imprint", { reason: "invalid", nugetCode: "NU3019" }],
  ["no-certificate", { reason: "invalid", nugetCode: "NU3020" }],
  ["wrong-usage", { reason: "invalid", nugetCode: "NU3028" }],
  ["no-nonce", { reason: "invalid", nugetCode: "NU3026" }],
  ["sha1-imprint", { reason: "invalid", nugetCode: "NU3030" }],
  ["no-binding", { reason: "invalid", nugetCode: "NU3021" }],
  ["other-binding", { reason: "invalid", nugetCode: "NU3021" }],
  ["wrong-signature", { reason: "invalid", nugetCode: "NU3021" }],
  ["two-signers", { reason: "invalid", nugetCode: "NU3021" }],
  ["other-content", { reason: "invalid", nugetCode: "NU3021" }],
  ["far-clock", { reason: "invalid", nugetCode: undefined }],
])("a server that is “%s” gives no token", async (misbehaves, expected) => {
  const stamp = await stamperOf(misbehaves);
  const failure = await stamp(signature).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TimestampError);
  expect(failure).toMatchObject({ ...expected, retryable: true });
  expect((failure as Error).message).toContain("time.test");
});

test("a server that cannot be reached, or never stops answering, gives no token", async () => {
  const away: typeof fetch = () => Promise.reject(new TypeError("fetch failed"));
  const endless: typeof fetch = async () =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
    );
  const stampWith = (fetch: typeof globalThis.fetch) =>
    createTimestamper({ url, fetch, randomBytes, now })(signature);
  await expect(stampWith(away)).rejects.toMatchObject({ reason: "unreachable" });
  await expect(stampWith(endless)).rejects.toMatchObject({ reason: "malformed" });
});

const year = {
  notBefore: new Date("2026-01-01T00:00:00Z"),
  notAfter: new Date("2027-01-01T00:00:00Z"),
};

test("a token whose interval lies inside the signing certificate's validity is taken", async () => {
  await expect((await stamperOf())(signature, { within: year })).resolves.toBeInstanceOf(
    Uint8Array,
  );
});

test.each<[string, StampMisbehaviour | undefined, Partial<typeof year>]>([
  ["the certificate has ended", undefined, { notAfter: now() }],
  ["it ends within the accuracy of the time", undefined, { notAfter: secondsFromNow(1) }],
  ["the certificate begins within the accuracy", undefined, { notBefore: secondsFromNow(-1) }],
  ["the server knows the time only vaguely", "vague", {}],
])("when %s, the token saves nothing and is not taken", async (_what, misbehaves, changes) => {
  const stamp = await stamperOf(misbehaves);
  const failure = stamp(signature, { within: { ...year, ...changes } });
  await expect(failure).rejects.toMatchObject({ reason: "invalid", nugetCode: "NU3037" });
});

test("reports a cancelled request as cancelled", async () => {
  const stamp = await stamperOf("silent");
  const failure = stamp(signature, { signal: AbortSignal.abort() });
  await expect(failure).rejects.toBeInstanceOf(TimestampError);
  await expect(failure).rejects.toMatchObject({ reason: "cancelled" });
});

function secondsFromNow(seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}

test.skipIf(!hasOpenSsl())("OpenSSL verifies the token that our test server makes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-stamp-"));
  try {
    writeFileSync(join(folder, "token"), await (await stamperOf())(signature));
    writeFileSync(join(folder, "signature"), signature);
    writeFileSync(join(folder, "root.pem"), pemOf(await testRootCertificate()));
    const args = "ts -verify -data signature -in token -token_in -CAfile root.pem".split(" ");
    const time = Math.floor(now().getTime() / 1000).toString();
    const output = execFileSync("openssl", [...args, "-attime", time], { cwd: folder });
    expect(output.toString()).toContain("Verification: OK");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
