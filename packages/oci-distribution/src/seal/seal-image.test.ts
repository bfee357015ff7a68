import { X509Certificate, verify } from "node:crypto";
import { expect, test } from "vitest";
import type { Digest } from "../digest.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { allReferrers } from "../referrers.ts";
import { parseRepositoryName } from "../repository-name.ts";
import type { TestManifest } from "../testing/build-image.ts";
import { OCI_MANIFEST, buildImage, buildIndex } from "../testing/build-image.ts";
import { createMemoryOciPorts } from "../testing/memory-ports.ts";
import { storeBlob } from "../upload/upload.ts";
import type { SealFormat } from "./ports.ts";
import { isSealed, platformsOf, sealImage } from "./seal-image.ts";
import { createTestSealKeys } from "./seal-keys.test.support.ts";
import { attachedTo, isSealable } from "./sealable.ts";

const REPOSITORY = parseRepositoryName("team/app");
const ALL: readonly SealFormat[] = ["cosign", "bundle", "notation"];
const NOTARY = "application/vnd.cncf.notary.signature";
const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const SIMPLE = "application/vnd.dev.cosign.simplesigning.v1+json";

type Layer = {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly annotations?: Readonly<Record<string, string>>;
};
type Stored = {
  readonly artifactType?: string;
  readonly subject?: { readonly digest: Digest };
  readonly layers: readonly Layer[];
};

function openRegistry(keys = createTestSealKeys()) {
  const stores = createMemoryOciPorts();
  const ports = { ...stores, keys, now: () => new Date("2026-11-22T10:00:00.500Z") };
  const caller = { actor: "system" };
  const push = async (image: TestManifest, tags: readonly string[] = []) => {
    for (const { digest, bytes } of image.blobs) {
      const body = (async function* () {
        yield bytes;
      })();
      await storeBlob({ ...stores, maxBlobBytes: 2 ** 20 }, REPOSITORY, { body }, digest);
    }
    const { kind: _, ...parsed } = parseManifest(image.bytes, image.mediaType);
    const { digest, bytes } = image;
    const manifest = { ...parsed, digest, bytes, repository: REPOSITORY, tags };
    expect((await stores.manifests.record(manifest, caller)).status).toBe("recorded");
    return image;
  };
  const seal = (image: TestManifest, formats = ALL, by = keys) => {
    const options = { formats, registry: "registry.test", agent: "test/1", caller };
    return sealImage({ ...ports, keys: by }, REPOSITORY, image, options);
  };
  const sealed = (image: TestManifest) => isSealed(ports, REPOSITORY, image, ALL);
  const manifest = async (reference: string): Promise<Stored> => {
    const stored = await stores.manifests.find(REPOSITORY, reference);
    return JSON.parse(Buffer.from(stored?.bytes ?? []).toString()) as Stored;
  };
  const blob = async (digest: Digest): Promise<Buffer> => {
    const stored = await stores.blobs.find(REPOSITORY, digest);
    if (!stored) throw new Error(`no blob ${digest}`);
    return Buffer.concat(await Array.fromAsync(stores.files.open(stored).read()));
  };
  const referrers = async (subject: Digest, artifactType: string) => {
    const all = await Array.fromAsync(allReferrers(stores.manifests, REPOSITORY, subject));
    return all.filter((referrer) => referrer.artifactType === artifactType);
  };
  return { stores, keys, push, seal, isSealed: sealed, manifest, blob, referrers };
}

type Registry = ReturnType<typeof openRegistry>;

/** The text of the only layer of the only referrer of a type. */
async function attached({ referrers, manifest, blob }: Registry, subject: Digest, type: string) {
  const [referrer, ...others] = await referrers(subject, type);
  expect(others).toEqual([]);
  const { layers } = await manifest(referrer?.digest ?? "");
  return (await blob(layers[0]?.digest ?? subject)).toString();
}

const sigTag = (digest: Digest) => `${digest.replace(":", "-")}.sig`;
const bytesOf = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64");

test("what cosign reads is signed by the key, and refers to the image", async () => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  expect(await registry.seal(image)).toEqual({ digest: image.digest, addedFormats: ALL });
  const { subject, layers } = await registry.manifest(sigTag(image.digest));
  expect(subject?.digest).toBe(image.digest);
  const [layer] = layers;
  expect(layer?.mediaType).toBe(SIMPLE);
  const statement = await registry.blob(layer?.digest ?? image.digest);
  expect(JSON.parse(statement.toString())).toEqual({
    critical: {
      identity: { "docker-reference": "registry.test/team/app" },
      image: { "docker-manifest-digest": image.digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
  const signature = bytesOf(layer?.annotations?.["dev.cosignproject.cosign/signature"]);
  const { publicKey } = registry.keys;
  expect(verify("sha256", statement, publicKey, signature)).toBe(true);
  statement[statement.length - 2] = 0;
  expect(verify("sha256", statement, publicKey, signature)).toBe(false);
});

test("notation's signature is a JWS of the descriptor by the certificate's key", async () => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  await registry.seal(image);
  const jws = JSON.parse(await attached(registry, image.digest, NOTARY)) as {
    payload: string;
    protected: string;
    signature: string;
    header: { x5c: string[] };
  };
  const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());
  expect(decoded(jws.payload)).toEqual({
    targetArtifact: {
      mediaType: OCI_MANIFEST,
      digest: image.digest,
      size: image.bytes.length,
    },
  });
  expect(decoded(jws.protected)).toEqual({
    alg: "ES256",
    cty: "application/vnd.cncf.notary.payload.v1+json",
    crit: ["io.cncf.notary.signingScheme"],
    "io.cncf.notary.signingScheme": "notary.x509",
    "io.cncf.notary.signingTime": "2026-11-22T10:00:00Z",
  });
  const { publicKey, fingerprint256 } = new X509Certificate(bytesOf(jws.header.x5c[0]));
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  const signature = Buffer.from(jws.signature, "base64url");
  const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
  expect(verify("sha256", signed, key, signature)).toBe(true);
  const [referrer] = await registry.referrers(image.digest, NOTARY);
  const thumbprint = fingerprint256.replaceAll(":", "").toLowerCase();
  expect(JSON.parse(referrer?.annotations ?? "{}")).toMatchObject({
    "io.cncf.notary.x509chain.thumbprint#S256": JSON.stringify([thumbprint]),
  });
});

test("the bundle is a DSSE envelope around a statement about the image", async () => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  await registry.seal(image);
  const { dsseEnvelope } = JSON.parse(await attached(registry, image.digest, BUNDLE)) as {
    dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
  };
  const { payload, payloadType, signatures } = dsseEnvelope;
  const body = bytesOf(payload);
  expect(JSON.parse(body.toString())).toMatchObject({
    subject: [{ digest: { sha256: image.digest.slice("sha256:".length) } }],
    predicateType: "https://sigstore.dev/cosign/sign/v1",
  });
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `;
  const signed = Buffer.concat([Buffer.from(head), body]);
  const signature = bytesOf(signatures[0]?.sig);
  expect(verify("sha256", signed, registry.keys.publicKey, signature)).toBe(true);
});

test("an image is signed once by each key, and keeps what others signed", async () => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  await registry.seal(image);
  const before = registry.stores.events.length;
  expect((await registry.seal(image)).addedFormats).toEqual([]);
  expect(registry.keys.signatures()).toBe(3);
  expect(registry.stores.events).toHaveLength(before);

  const other = createTestSealKeys(true);
  expect((await registry.seal(image, ALL, other)).addedFormats).toEqual(["cosign", "bundle"]);
  expect((await registry.manifest(sigTag(image.digest))).layers).toHaveLength(2);
  // Both are there, whichever key is asked about.
  expect((await registry.seal(image)).addedFormats).toEqual([]);
});

test("a signature that only says it is ours does not pass for one", async () => {
  const registry = openRegistry();
  const model = await registry.push(buildImage(), ["1.0"]);
  await registry.seal(model);
  const victim = await registry.push(buildImage({ layers: ["victim"] }), ["2.0"]);
  for (const type of [NOTARY, BUNDLE]) {
    const [ours] = await registry.referrers(model.digest, type);
    const annotations = JSON.parse(ours?.annotations ?? "{}") as Record<string, string>;
    // The true bytes of another image's signature, and rubbish.
    const layers = [await attached(registry, model.digest, type), "rubbish"];
    for (const layer of layers) {
      const subject = victim.descriptor;
      const artifactType = type;
      await registry.push(buildImage({ artifactType, annotations, subject, layers: [layer] }));
    }
  }
  const { layers } = await registry.manifest(sigTag(model.digest));
  await registry.push(buildImage({ layers: [], fields: { layers } }), [sigTag(victim.digest)]);
  expect(await registry.isSealed(victim)).toBe(false);
  expect((await registry.seal(victim)).addedFormats).toEqual(ALL);
  expect((await registry.manifest(sigTag(victim.digest))).layers).toHaveLength(2);
});

test("adds a bundle only when another signer has added one", async () => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  const formats = ["cosign", "notation"] as const;
  expect((await registry.seal(image, formats)).addedFormats).toEqual(formats);
  const subject = image.descriptor;
  await registry.push(buildImage({ artifactType: BUNDLE, subject, layers: ["theirs"] }));
  expect((await registry.seal(image, formats)).addedFormats).toEqual(["bundle"]);
  expect((await registry.seal(image, ["notation"])).addedFormats).toEqual([]);
});

test("reports what is sealed, and the images of an index", async () => {
  const registry = openRegistry();
  const { manifests } = registry.stores;
  const images = [buildImage({ config: "1" }), buildImage({ config: "2" })];
  for (const image of images) await registry.push(image);
  const attestation = await registry.push(buildImage({ artifactType: NOTARY }));
  const index = await registry.push(buildIndex([...images, attestation]), ["1.0"]);
  const platforms = await platformsOf({ manifests }, REPOSITORY, index);
  expect(platforms.map(({ digest }) => digest)).toEqual(images.map(({ digest }) => digest));
});

test.each(ALL)("an image that is signed for %s alone is sealed", async (format) => {
  const registry = openRegistry();
  const image = await registry.push(buildImage(), ["1.0"]);
  expect(await registry.isSealed(image)).toBe(false);
  await registry.seal(image, [format]);
  expect(await registry.isSealed(image)).toBe(true);
  // The signature of another signer takes the tag, and ours is still a referrer.
  await registry.push(buildImage({ layers: ["theirs"] }), [sigTag(image.digest)]);
  expect(await registry.isSealed(image)).toBe(true);
});

const IMAGE = buildImage();
const HEX = IMAGE.digest.slice("sha256:".length);

test.each([
  ["an image", IMAGE, "1.0", true],
  ["an index", buildIndex([IMAGE]), "latest", true],
  ["an SBOM with a tag of its own", sbom(), "sbom-1.0", true],
  ["what cosign puts beside an image", IMAGE, `sha256-${HEX}.att`, false],
  ["the fall-back list of referrers", buildIndex([]), `sha256-${HEX}`, false],
  ["a notation signature with a tag", buildImage({ artifactType: NOTARY }), "1.0", false],
  ["a signature told by its config", buildImage({ configType: NOTARY }), "1.0", false],
  ["a bundle with a tag", buildImage({ artifactType: BUNDLE }), "1.0", false],
  ["a cosign signature with a tag", simple(), "1.0", false],
])("%s under a tag: sealed or not", (_, manifest, tag, sealed) => {
  expect(isSealable(manifest, tag)).toBe(sealed);
});

test("reads the subject of a signature", () => {
  expect(attachedTo(IMAGE, "1.0")).toBeUndefined();
  expect(attachedTo(IMAGE, undefined)).toBeUndefined();
  expect(attachedTo(simple(), `sha256-${HEX}.sig`)).toBe(IMAGE.digest);
  expect(attachedTo(sbom(), undefined)).toBe(IMAGE.digest);
});

function sbom(): TestManifest {
  return buildImage({ artifactType: "application/spdx+json", subject: IMAGE.descriptor });
}

function simple(): TestManifest {
  const layers = [{ mediaType: SIMPLE, digest: IMAGE.digest, size: 1 }];
  return buildImage({ layers: [], fields: { layers } });
}
