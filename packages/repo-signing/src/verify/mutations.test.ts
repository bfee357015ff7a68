import { expect, test } from "vitest";
import { readArchive } from "../archive/archive.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import { locateSignatureEntry } from "../archive/signature-entry.ts";
import { TAG } from "../der/reader.ts";
import { encode, sequence } from "../der/writer.ts";
import type { ForgedPackage } from "../testing/forge-package.ts";
import { FORGED_ID, forgePackageSignature, withSignature } from "../testing/forge-package.ts";
import { plain, stamped } from "../testing/forged-case.ts";
import { author, forgedRoots, repository } from "../testing/forged-identities.ts";
import { DER_MUTATIONS, derNodes, mutateDer, nodeAt } from "../testing/mutate-der.ts";
import { buildTestPackage } from "../testing/test-package.ts";
import type { PackageVerification } from "./verify-package.ts";
import { verifyPackage } from "./verify-package.ts";

const unsigned = buildTestPackage(FORGED_ID, "1.0.0");
const everything: ForgedPackage = {
  signer: { identity: author, kind: "author", ...stamped({}) },
  countersigners: [{ identity: repository, owners: ["alice"], ...stamped({}) }],
};
const repositoryFingerprint = repository.certificate.fingerprint;
const now = new Date();

function verify(file: Uint8Array): Promise<PackageVerification> {
  const roots = forgedRoots;
  return verifyPackage(packageBytesOf(file), { roots, timestampRoots: roots, now });
}

/**
 * Unsigned parts of a document, by their position. A change there leaves a package valid, as in the
 * client, and cannot change the statements of the first signer.
 */
const NOT_SIGNED: readonly (readonly [place: RegExp, what: string])[] = [
  [/^1\.0\.0$/, "version of the signed data"],
  [/^1\.0\.1(\.|$)/, "digest algorithms, a hint for streaming readers"],
  [/^1\.0\.2\.0$/, "type of the content: it is read as what it must be"],
  [/^1\.0\.3(\.|$)/, "certificates that the signer does not need"],
  [/^1\.0\.4\.0\.0$/, "version of the signer info"],
  [/^1\.0\.4\.0\.2(\.0)?$/, "parameters of the digest algorithm"],
  [/^1\.0\.4\.0\.4(\.1)?$/, "parameters of the signature algorithm: none or NULL"],
  [/^1\.0\.4\.0\.3\.\d+$/, "order of the signed attributes: it is the sorted set that is signed"],
  [/^1\.0\.4\.0\.6(\.|$)/, "time-stamps and countersignatures, which have signatures of their own"],
];

/** Where valid packages were changed, each place once. */
async function placesOf(
  good: PackageVerification,
  changes: Iterable<readonly [place: string, signature: Uint8Array]>,
): Promise<readonly string[]> {
  const places = new Set<string>();
  for (const [place, signature] of changes) {
    const packageVerification = await verify(withSignature(unsigned, signature));
    if (!packageVerification.valid) {
      expect([...packageVerification.issues, packageVerification.archiveProblem]).not.toEqual([]);
      continue;
    }
    places.add(place);
    const { timestamps, ...signerFacts } = good.signer ?? {};
    expect(packageVerification).toMatchObject({
      contentHash: good.contentHash,
      signer: signerFacts,
    });
    const stamps = (packageVerification.signer?.timestamps ?? []).map((stamp) =>
      JSON.stringify(stamp),
    );
    expect((timestamps ?? []).map((stamp) => JSON.stringify(stamp))).toEqual(
      expect.arrayContaining(stamps),
    );
    const countersigner =
      packageVerification.countersignature?.fingerprint ?? repositoryFingerprint;
    expect(countersigner).toBe(repositoryFingerprint);
  }
  return [...places].filter((place) => !NOT_SIGNED.some(([pattern]) => pattern.test(place)));
}

function* flips(
  signature: Uint8Array,
  { mask, step = 1 }: { readonly mask: number; readonly step?: number },
): Generator<readonly [string, Uint8Array]> {
  const nodes = derNodes(signature);
  for (let offset = 0; offset < signature.length; offset += step) {
    const changed = Buffer.from(signature);
    changed[offset] = (changed[offset] ?? 0) ^ mask;
    yield [nodeAt(nodes, offset).path.join("."), changed];
  }
}

function* mutations(signature: Uint8Array): Generator<readonly [string, Uint8Array]> {
  for (const { path } of derNodes(signature)) {
    for (const mutation of DER_MUTATIONS) {
      const changed = mutateDer(signature, path, mutation);
      if (changed) yield [path.join("."), changed];
    }
  }
}

test.each([0x01, 0x20, 0x80])("no byte of a signature changes unnoticed by %i", async (mask) => {
  const signature = forgePackageSignature(unsigned, plain);
  const good = await verify(withSignature(unsigned, signature));
  expect(good.valid).toBe(true);
  expect(await placesOf(good, flips(signature, { mask }))).toEqual([]);
});

test("detects a change of every third byte of a countersigned signature", async () => {
  const signature = forgePackageSignature(unsigned, everything);
  const good = await verify(withSignature(unsigned, signature));
  expect(good).toMatchObject({ valid: true, issues: [] });
  expect(await placesOf(good, flips(signature, { mask: 0x01, step: 3 }))).toEqual([]);
}, 120_000);

test("no value is dropped, doubled, moved, emptied, renamed or wrapped unnoticed", async () => {
  const signature = forgePackageSignature(unsigned, everything);
  const good = await verify(withSignature(unsigned, signature));
  expect(await placesOf(good, mutations(signature))).toEqual([]);
}, 120_000);

/** In the signature's two headers: version, time, checksum, which no client looks at. */
const FREE_IN_LOCAL = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17];
const FREE_IN_HEADER = [4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19, 36, 37];

test("no byte of the archive's structure changes unnoticed", async () => {
  const whole = withSignature(unsigned, forgePackageSignature(unsigned, plain));
  const { directoryStart, ...archive } = await readArchive(packageBytesOf(whole));
  const entry = locateSignatureEntry({ directoryStart, ...archive });
  if (!entry) throw new Error("the signature is missing");
  const unnoticed: number[] = [];
  for (let start = entry.start; start < whole.length; start++) {
    if (start === entry.start + 44) start = directoryStart;
    const changed = Buffer.from(whole);
    changed[start] = (changed[start] ?? 0) ^ 1;
    if ((await verify(changed)).valid) unnoticed.push(start);
  }
  expect(unnoticed).toEqual([
    ...FREE_IN_LOCAL.map((offset) => entry.start + offset),
    ...FREE_IN_HEADER.map((offset) => entry.headerStart + offset),
  ]);
});

test("a package that is cut off anywhere is refused with a reason", async () => {
  const whole = withSignature(unsigned, forgePackageSignature(unsigned, plain));
  for (let length = 0; length < whole.length; length += 7) {
    const packageVerification = await verify(whole.subarray(0, length));
    expect(packageVerification).toMatchObject({
      valid: false,
      archiveProblem: { problem: expect.anything() },
    });
  }
});

test.each([
  ["a signature of more than 1 MiB", Buffer.alloc(1024 * 1024 + 1, 0x30), "NU3005"],
  ["a signature of nothing", Buffer.of(), "NU3003"],
  ["100,000 values in one set", manyValues(100_000), "NU3003"],
  ["250,000 values inside each other", nested(250_000), "NU3003"],
  ["one object identifier of 900 kB", contentOf(oidOf(900_000)), "NU3003"],
  [
    "7,000 object identifiers of 128 octets",
    contentOf(Buffer.concat(Array(7_000).fill(oidOf(128)))),
    "NU3003",
  ],
])("%s is refused", async (_what, signature, code) => {
  const packageVerification = await verify(withSignature(unsigned, signature));
  expect(packageVerification).toMatchObject({ valid: false, issues: [{ level: "error", code }] });
});

/** SEQUENCEs of unknown length, so that a reader must look for every end. */
function nested(depth: number): Buffer {
  return Buffer.concat([Buffer.from("3080".repeat(depth), "hex"), Buffer.alloc(depth * 2)]);
}

/** A ContentInfo with these octets in place of its type. */
function contentOf(octets: Buffer): Buffer {
  return Buffer.from(sequence(octets, encode(0xa0, sequence())));
}

function oidOf(octets: number): Buffer {
  return Buffer.from(encode(TAG.oid, new Uint8Array(octets).fill(1)));
}

function manyValues(count: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(count * 2);
  return Buffer.concat([Buffer.of(0x30, 0x84), length, Buffer.alloc(count * 2, "0500", "hex")]);
}
