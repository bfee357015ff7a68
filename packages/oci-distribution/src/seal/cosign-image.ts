import { createHash, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { attachedTagOf } from "../attached-tag.ts";
import { digestOf, isDigest } from "../digest.ts";
import { isObject } from "../manifest/descriptor.ts";
import { attach, madeWith, read } from "./artifact.ts";
import type { Content } from "./artifact.ts";
import { listIn, objectIn, parseJson, textIn } from "./json.ts";
import type { Json } from "./json.ts";
import type { CosignKey, SealOptions, SealPorts, SealSubject } from "./ports.ts";

// What cosign calls simple signing: an image whose layers are the statements, each with its
// signature as an annotation, under a tag made from the digest. Every version of cosign reads it.

export const COSIGN_ARTIFACT = "application/vnd.dev.cosign.artifact.sig.v1+json";
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIGNATURE = "dev.cosignproject.cosign/signature";
const CONFIG = "application/vnd.oci.image.config.v1+json";
/** Limit of signatures to read; real images have fewer. */
const IMAGES_MAX = 100;
const ANNOTATIONS_MAX = 16 * 1024 * 1024;
const NO_TIME = "0001-01-01T00:00:00Z";

/** Adds the signature to those that are under the tag already, unless it is among them. */
export async function sealForCosign(
  ports: SealPorts,
  subject: SealSubject,
  { registry, caller }: Pick<SealOptions, "registry" | "caller">,
): Promise<"sealed" | "there"> {
  const key = await ports.keys.cosign();
  const tag = cosignTag(subject);
  const present = await signaturesIn(ports, subject, tag);
  if (await isAmong(present, { ports, subject, key })) return "there";
  const layer = await sign(subject, registry, key);
  const layers = [...present, layer];
  await attach(
    ports,
    subject,
    {
      artifactType: COSIGN_ARTIFACT,
      config: { mediaType: CONFIG, bytes: configOf(layers) },
      layers,
      annotations: madeWith(cosignKeyId(key.publicKey)),
    },
    { tags: [tag], caller },
  );
  return "sealed";
}

/** Whether a signature by the key of the moment is where cosign looks for it. */
export async function isUnderCosignTag(ports: SealPorts, subject: SealSubject): Promise<boolean> {
  const key = await ports.keys.cosign();
  const present = await signaturesIn(ports, subject, cosignTag(subject));
  return isAmong(present, { ports, subject, key });
}

/** Whether the active key has signed it in this format, even when the tag was moved since. */
export async function isSealedForCosign(ports: SealPorts, subject: SealSubject): Promise<boolean> {
  const key = await ports.keys.cosign();
  const query = { artifactType: COSIGN_ARTIFACT, limit: IMAGES_MAX, maxBytes: ANNOTATIONS_MAX };
  const { repository, digest: of } = subject;
  const { referrers } = await ports.manifests.referrers(repository, of, query);
  for await (const { digest } of referrers) {
    const signatures = await signaturesIn(ports, subject, digest);
    if (await isAmong(signatures, { ports, subject, key })) return true;
  }
  return false;
}

async function signaturesIn(
  { manifests }: SealPorts,
  { repository }: SealSubject,
  reference: string,
): Promise<readonly Json[]> {
  const manifest = await manifests.find(repository, reference);
  return listIn(manifest && parseJson(manifest.bytes), "layers").filter(isObject);
}

async function isAmong(
  signatures: readonly Json[],
  by: { readonly ports: SealPorts; readonly subject: SealSubject; readonly key: CosignKey },
): Promise<boolean> {
  for (const signature of signatures) {
    if (await isSignedBy(by.ports, by.subject, signature, by.key.publicKey)) return true;
  }
  return false;
}

export function cosignTag({ digest }: Pick<SealSubject, "digest">): string {
  return attachedTagOf(digest, "sig");
}

/** SHA-256 of SubjectPublicKeyInfo, hex. */
export function cosignKeyId(publicKey: KeyObject): string {
  const spki = publicKey.export({ format: "der", type: "spki" });
  return createHash("sha256").update(spki).digest("hex");
}

async function sign(subject: SealSubject, registry: string, key: CosignKey): Promise<Content> {
  const statement = {
    critical: {
      identity: { "docker-reference": [registry, subject.repository].filter(Boolean).join("/") },
      image: { "docker-manifest-digest": subject.digest },
      type: "cosign container image signature",
    },
    optional: null,
  };
  const bytes = Buffer.from(JSON.stringify(statement));
  const signature = Buffer.from(await key.sign(bytes)).toString("base64");
  return { mediaType: SIMPLE_SIGNING, bytes, annotations: { [SIGNATURE]: signature } };
}

/** Config of an image, because clients that add a signature read and extend it. */
function configOf(layers: readonly (Content | Json)[]): Uint8Array {
  const digests = layers.map(({ bytes, ...layer }: Json) =>
    bytes instanceof Uint8Array ? digestOf(bytes) : layer["digest"],
  );
  const config = {
    architecture: "",
    created: NO_TIME,
    history: digests.map(() => ({ created: NO_TIME })),
    os: "",
    rootfs: { type: "layers", diff_ids: digests },
    config: {},
  };
  return Buffer.from(JSON.stringify(config));
}

async function isSignedBy(
  ports: SealPorts,
  subject: SealSubject,
  layer: Json,
  publicKey: KeyObject,
): Promise<boolean> {
  const { digest, size } = layer;
  const signature = textIn(objectIn(layer, "annotations"), SIGNATURE);
  if (typeof digest !== "string" || !isDigest(digest) || typeof size !== "number") return false;
  if (signature === undefined) return false;
  const statement = await read(ports, subject, { digest, size });
  if (!statement || !speaksOf(statement, subject)) return false;
  return verify("sha256", statement, publicKey, Buffer.from(signature, "base64"));
}

function speaksOf(statement: Uint8Array, { digest }: SealSubject): boolean {
  const critical = objectIn(parseJson(statement), "critical");
  return textIn(objectIn(critical, "image"), "docker-manifest-digest") === digest;
}
