import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contentHash } from "../splice/content-hash.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { SigningError } from "../errors.ts";
import { openSealed, signedContent } from "./sealed-content.ts";
import type { Seal, SealerOptions } from "./sealer.ts";
import { createSealer } from "./sealer.ts";
import { createMemoryLedger } from "../testing/memory-ports.ts";
import { bytesOf } from "../testing/sign-as-author.ts";
import { createTestSigner } from "../testing/test-signer.ts";
import { verifyPackage } from "../verify/verify-package.ts";

const folder = new URL("../../../../vectors/nuget-signatures/packages/", import.meta.url);
const now = new Date("2026-11-21T12:00:00Z");
const signer = await createTestSigner({ now });
const identity = { id: "a", version: "1.0.0" };

function received(name: string) {
  const bytes = readFileSync(new URL(`${name}.nupkg`, folder));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...packageBytesOf(bytes), sha256, etag: sha256 };
}

function sealerWith(changes: Partial<SealerOptions> = {}) {
  return createSealer({
    signer: async () => signer,
    ledger: createMemoryLedger(),
    serviceIndexUrl: "https://feed.test/v3/index.json",
    policy: "ReSign",
    onFailure: "fail",
    now: () => now,
    ...changes,
  });
}

async function sealOf(name: string): Promise<Seal> {
  const outcome = await sealerWith().seal(received(name), identity);
  if (outcome.status !== "sealed") throw new Error(outcome.status);
  return outcome.seal;
}

test("a seal and the received file make the signed file", async () => {
  const file = received("unsigned");
  const served = openSealed(file, await sealOf("unsigned"));
  expect(served.etag).toMatch(new RegExp(`^${file.sha256}-[0-9a-f]{16}$`));
  const bytes = await bytesOf(served);
  expect(bytes.length).toBe(served.size);
  const trust = { roots: [signer.chain[1] ?? new Uint8Array()], timestampRoots: [] };
  expect(await verifyPackage(packageBytesOf(bytes), { ...trust, now })).toMatchObject({
    valid: true,
    signatureType: "Repository",
  });
});

test("a push gets digests of its signed file, and a content hash if it was signed", async () => {
  for (const name of ["unsigned", "repo", "author"]) {
    const outcome = await sealerWith().seal(received(name), identity);
    if (outcome.status !== "sealed") throw new Error(outcome.status);
    const bytes = await bytesOf(openSealed(received(name), outcome.seal));
    const digest = (hash: string) => createHash(hash).update(bytes);
    expect(outcome.seal.digests).toEqual({
      sha256: digest("sha256").digest("hex"),
      sha512: digest("sha512").digest("base64"),
    });
    const content = await contentHash(received(name), "SHA512");
    const known = name === "unsigned" ? undefined : content.toString("base64");
    expect(outcome.contentHash, name).toBe(known);
  }
});

test("a download is not read twice for digests", async () => {
  const outcome = await sealerWith().sealOnDownload(received("unsigned"), identity);
  expect(outcome).toMatchObject({ status: "sealed" });
  expect(outcome).not.toHaveProperty("seal.digests");
});

test("another signature of the same file has another tag", async () => {
  const later = sealerWith({ now: () => new Date(now.getTime() + 60_000) });
  const outcome = await later.seal(received("unsigned"), identity);
  if (outcome.status !== "sealed") throw new Error(outcome.status);
  const first = openSealed(received("unsigned"), await sealOf("unsigned"));
  expect(openSealed(received("unsigned"), outcome.seal).etag).not.toBe(first.etag);
});

test("a seal is not served over another file", async () => {
  const seal = await sealOf("unsigned");
  expect(() => openSealed(received("repo"), seal)).toThrow(SigningError);
  expect(() => openSealed(received("unsigned"), { ...seal, size: 7 })).toThrow(SigningError);
});

test("a certificate is on record when a seal leaves; usage is noted once a minute", async () => {
  const ledger = createMemoryLedger();
  let writes = 0;
  let time = now;
  const used: typeof ledger.used = (certificate, when) => {
    writes += 1;
    return ledger.used(certificate, when);
  };
  const sealer = sealerWith({ ledger: { ...ledger, used }, now: () => time });
  for (const seconds of [0, 10, 59, 60, 61]) {
    time = new Date(now.getTime() + seconds * 1000);
    await sealer.seal(received("unsigned"), identity);
  }
  expect(writes).toBe(2);
  const [record] = await ledger.list();
  expect(record).toMatchObject({
    subject: "CN=Sealhouse Test Repository, O=Sealhouse Test",
    firstUsedAt: now,
    active: true,
  });
});

const away = { signer: () => Promise.reject(new Error("the store is away")) };
const locked = {
  signer: () => Promise.reject(new SigningError("certificate-file", "The password is wrong.")),
};

test.each<[string, Partial<SealerOptions>, object]>([
  [
    "the signer may come back, in a mode that fails",
    away,
    { status: "failed", reason: "the store is away", retryAfterSeconds: 30 },
  ],
  [
    "an operator must act, in a mode that fails",
    locked,
    { status: "failed", reason: "The password is wrong." },
  ],
  [
    "the signer is away, in the mode that lets packages pass",
    { ...away, onFailure: "let-pass" },
    { status: "unsealed", warning: "Not signed: the store is away", because: "failure" },
  ],
])("reports in the outcome that %s", async (_what, changes, expected) => {
  expect(await sealerWith(changes).seal(received("unsigned"), identity)).toEqual(expected);
});

test.each<[string, Partial<SealerOptions>, object]>([
  ["waiting helps", away, { status: "failed", reason: "the store is away", retryAfterSeconds: 30 }],
  [
    "an operator must act",
    locked,
    { status: "unsealed", warning: "Not signed: The password is wrong.", because: "failure" },
  ],
  [
    "an operator must act, who promised signatures",
    { ...locked, promisesAllSigned: true },
    { status: "failed", reason: "The password is wrong." },
  ],
  [
    "the mode lets packages pass",
    { ...away, onFailure: "let-pass" },
    { status: "unsealed", warning: "Not signed: the store is away", because: "failure" },
  ],
])(
  "reports in the outcome that a download cannot be signed and %s",
  async (_what, changes, expected) => {
    expect(await sealerWith(changes).sealOnDownload(received("unsigned"), identity)).toEqual(
      expected,
    );
  },
);

test("stores mirrored packages unchanged where the policy refuses pushes", async () => {
  const strict = sealerWith({ policy: "Reject" });
  const mirrored = { ...identity, origin: "mirrored" } as const;
  expect(await strict.seal(received("repo"), mirrored)).toEqual({
    status: "unsealed",
    warning: "Stored unchanged: package already has a repository signature",
    because: "package",
  });
  expect(await strict.seal(received("repo-tampered"), mirrored)).toMatchObject({
    status: "refused",
  });
});

test("does not read a package again that stays unchanged", async () => {
  let readBytes = 0;
  const file = received("repo");
  const counting = {
    ...file,
    async *read(range?: { readonly start: number; readonly end: number }) {
      for await (const chunk of file.read(range)) {
        readBytes += chunk.length;
        yield chunk;
      }
    },
  };
  await sealerWith({ policy: "Reject" }).sealOnDownload(counting, identity);
  // The tail is read once; hashing the package would read it all a second time.
  expect(readBytes).toBeLessThanOrEqual(file.size);
});

test("a broken or rejected package is refused in every mode", async () => {
  const lenient = sealerWith({ onFailure: "let-pass", policy: "Reject" });
  expect(await lenient.seal(received("repo-tampered"), identity)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("NU3008"),
  });
  expect(await lenient.seal(received("repo"), identity)).toEqual({
    status: "refused",
    reason: "package already has a repository signature",
  });
  expect(await lenient.sealOnDownload(received("repo"), identity)).toMatchObject({
    status: "unsealed",
  });
});

test("a stored seal is used without signing", async () => {
  const never = () => Promise.reject(new Error("must not sign"));
  const content = signedContent({ open: async () => received("unsigned") }, never);
  const seal = await sealOf("unsigned");
  const storedPackage = { ...identity, blob: { sha256: received("unsigned").sha256 }, seal };
  expect((await content.open(storedPackage)).size).toBe(seal.size);
});
