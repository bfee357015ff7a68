import { createHash, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
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
const NO_TIME = "0001-01-01T00:00:00Z";

/** Adds the signature to those that are under the tag already, unless it is among them. */
export async function sealForCosign(
  ports: SealPorts,
  subject: SealSubject,
  { registry, caller }: Pick<SealOptions, "registry" | "caller">,
): Promise<"sealed" | "there"> {
  const key = await ports.keys.cosign();
  const tag = cosignTag(subject);
  const found = await ports.manifests.find(subject.repository, tag);
  const present = listIn(found && parseJson(found.bytes), "layers").filter(isObject);
  for (const layer of present) {
    if (await isSignedBy(ports, subject, layer, key.publicKey)) return "there";
  }
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

export function cosignTag({ digest }: Pick<SealSubject, "digest">): string {
  return `${digest.replace(":", "-")}.sig`;
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

/** As an image has it: clients that add a signature of their own read and extend it. */
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
