import { createHash } from "node:crypto";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { PackageSignature } from "@sealhouse/repo-signing";
import {
  contentHash,
  createTimestamper,
  packageBytesOf,
  readArchive,
  readSignature,
  signPackage,
  spliced,
  verifyPackage,
} from "@sealhouse/repo-signing";
import {
  bytesOf,
  createTestSigner,
  createTestStampServer,
  signAs,
  signAsAuthor,
} from "@sealhouse/repo-signing/testing";

/** Signatures of a package, in the terms of the specification. */
export const CARRIES = [
  "no signature",
  "an author signature",
  "an upstream repository signature",
  "an author signature and an upstream countersignature",
  "a signature of unknown type",
  "a broken signature",
] as const;
export type Carries = (typeof CARRIES)[number];

const now = new Date();
const upstream = await createTestSigner({ as: "repository", now });
const author = await createTestSigner({ as: "author", now });
const stamp = createTimestamper({
  url: "http://stamp.test/",
  fetch: await createTestStampServer(),
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  now: () => new Date(),
});

/** A package as it comes to the feed. */
export async function packageThat(carries: Carries, id: string): Promise<Buffer> {
  const version = "1.0.0";
  const files = { "lib/netstandard2.0/a.dll": "MZ".repeat(2000), "tools/read me.txt": id };
  const unsigned = Buffer.from(buildNupkg({ id, version, files }));
  switch (carries) {
    case "no signature":
      return unsigned;
    case "an author signature":
      return signAsAuthor(unsigned, author, { now, timestamp: stamp });
    case "an upstream repository signature":
      return signAs("repository", unsigned, upstream, { now });
    case "an author signature and an upstream countersignature":
      return countersigned(await signAsAuthor(unsigned, author, { now, timestamp: stamp }));
    case "a signature of unknown type":
      return signAs("unknown", unsigned, author, { now });
    case "a broken signature": {
      const about = Buffer.from(buildNupkg({ id, version, files: {} }));
      return signAs("repository", unsigned, upstream, { now, about });
    }
  }
}

async function countersigned(authored: Uint8Array): Promise<Buffer> {
  const file = packageBytesOf(authored);
  const outcome = await signPackage({
    file,
    sha256: createHash("sha256").update(authored).digest("hex"),
    signer: upstream,
    serviceIndexUrl: "https://upstream.test/v3/index.json",
    now,
    policy: "ReSign",
    moment: "upload",
  });
  if (outcome.status !== "sealed") throw new Error(outcome.reason);
  return bytesOf(spliced(file, outcome.plan));
}

/** Changes to a package, as a download shows them. */
export type Fate =
  | "is signed"
  | "is countersigned"
  | "is as it came"
  | "is not there"
  /** None of these: something is wrong. */
  | `is wrong: ${string}`;

/** Compares the pushed package with the served one. */
export async function fateOf(
  before: Uint8Array,
  after: Uint8Array | undefined,
  serviceIndexUrl: string,
): Promise<Fate> {
  if (!after) return "is not there";
  if (Buffer.compare(before, after) === 0) return "is as it came";
  const fault = await changeBesidesSignature(before, after);
  if (fault !== undefined) return `is wrong: ${fault}`;
  const { valid } = await verifyPackage(packageBytesOf(after), {
    roots: "any",
    timestampRoots: "any",
    now: new Date(),
  });
  if (!valid) return "is wrong: it does not verify";
  const [had, has] = [await signatureOf(before), await signatureOf(after)];
  if (has.kind === "repository" && has.signer.serviceIndexUrl === serviceIndexUrl) {
    return has.countersignature ? "is wrong: it is countersigned, too" : "is signed";
  }
  if (has.kind === "none" || had.kind === "none") return `is wrong: its kind is ${has.kind}`;
  if (has.countersignature?.serviceIndexUrl !== serviceIndexUrl) return "is wrong: not by us";
  const isSame = JSON.stringify(had.signer) === JSON.stringify(has.signer);
  return isSame ? "is countersigned" : "is wrong: the first signature has changed";
}

/** Everything but the signature's entry, and the content hash that lock files hold, must stay. */
async function changeBesidesSignature(
  before: Uint8Array,
  after: Uint8Array,
): Promise<string | undefined> {
  const hashes = await Promise.all(
    [before, after].map((bytes) => contentHash(packageBytesOf(bytes), "SHA512")),
  );
  if (!hashes[0]?.equals(hashes[1] ?? Buffer.alloc(0))) return "the content hash has changed";
  const [had, has] = [await entriesOf(before), await entriesOf(after)];
  if (had.size !== has.size) return "its entries are others";
  for (const [name, bytes] of had) {
    if (Buffer.compare(bytes, has.get(name) ?? Buffer.alloc(0)) !== 0) return `${name} has changed`;
  }
  return undefined;
}

/** The bytes of each entry, local header and all. */
async function entriesOf(bytes: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const { entries } = await readArchive(packageBytesOf(bytes));
  const pairs = entries.map(
    ({ name, start, end }) => [name.toString(), bytes.subarray(start, end)] as const,
  );
  return new Map(pairs.filter(([name]) => name !== ".signature.p7s"));
}

function signatureOf(bytes: Uint8Array): Promise<PackageSignature> {
  return readSignature(packageBytesOf(bytes));
}
