import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { StampAuthority } from "../testing/open-ssl-stamps.ts";
import { hasOpenSsl, openSslStamps } from "../testing/open-ssl-stamps.ts";
import { createTimestamper } from "./client.ts";
import { parseTimestampToken } from "./token.ts";

// The client against the real `openssl ts -reply`, and what it gives against `openssl ts -verify`.

const folder = mkdtempSync(join(tmpdir(), "sealhouse-openssl-"));
afterAll(() => rmSync(folder, { recursive: true }));
const signature = Buffer.from("a signature of some kind");
let authorities = 0;

async function authorityWith(authority: StampAuthority) {
  authorities += 1;
  const own = join(folder, String(authorities));
  const stamps = await openSslStamps(own, authority);
  const url = "http://stamps.test/";
  const stampWith = (hash: "SHA256" | "SHA384" | "SHA512" = "SHA256") =>
    createTimestamper({ url, fetch: stamps.fetch, randomBytes, now: () => new Date(), hash });
  return { own, stampWith, root: stamps.root };
}

describe.skipIf(!hasOpenSsl())("a timestamping authority run by OpenSSL", () => {
  test.each(["SHA256", "SHA384", "SHA512"] as const)("stamps %s imprints", async (hash) => {
    const digest = { SHA256: "sha256", SHA384: "sha384", SHA512: "sha512" } as const;
    const { own, stampWith } = await authorityWith({ digest: digest[hash], accuracy: "secs:1" });
    const token = await stampWith(hash)(signature);
    const { time, from, to } = parseTimestampToken(token);
    expect(Math.abs(time.getTime() - Date.now())).toBeLessThan(60_000);
    expect(to.getTime() - from.getTime()).toBe(2_000);
    writeFileSync(join(own, "token"), token);
    writeFileSync(join(own, "signature"), signature);
    const words = "ts -verify -data signature -in token -token_in -CAfile ca.pem".split(" ");
    const output = execFileSync("openssl", words, {
      cwd: own,
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(output.toString()).toContain("Verification: OK");
  });

  test.each<[string, StampAuthority, accuracyMs: number]>([
    ["without an accuracy", {}, 0],
    ["by the baseline policy, without an accuracy", { policy: "0.4.0.2023.1.1" }, 1_000],
    ["to five milliseconds", { accuracy: "millisecs:5" }, 5],
    ["bound by version 1 of its attribute", { bindingDigest: "sha1" }, 0],
    ["bound with SHA-512", { bindingDigest: "sha512" }, 0],
  ])("a token %s is taken", async (_what, authority, accuracyMs) => {
    const { stampWith } = await authorityWith(authority);
    const { time, to } = parseTimestampToken(await stampWith()(signature));
    expect(to.getTime() - time.getTime()).toBe(accuracyMs);
  });

  test.each<[string, StampAuthority, code: string]>([
    ["its certificate is signed with SHA-1", { certificateDigest: "sha1" }, "NU3022"],
    ["its key has 1024 bits", { keyBits: 1024 }, "NU3023"],
    ["it signs with SHA-1", { digest: "sha1" }, "NU3024"],
    ["its certificate is still to come", { valid: { from: 1, to: 9 } }, "NU3025"],
    ["its certificate has ended", { valid: { from: -9, to: -1 } }, "NU3036"],
  ])("no token is taken when %s", async (_what, authority, code) => {
    const { stampWith } = await authorityWith(authority);
    const failure = stampWith()(signature);
    await expect(failure).rejects.toMatchObject({
      reason: "invalid",
      nugetCode: code,
      retryable: true,
    });
  });
});
