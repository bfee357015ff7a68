import { verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isObject } from "../manifest/descriptor.ts";
import { attach, layersMadeWith, madeWith } from "./artifact.ts";
import { cosignKeyId } from "./cosign-image.ts";
import { listIn, objectIn, parseJson, textIn } from "./json.ts";
import type { CosignKey, SealOptions, SealPorts, SealSubject } from "./ports.ts";

// What cosign 3 writes: a Sigstore bundle around a DSSE envelope around an in-toto statement.

export const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const STATEMENT = "application/vnd.in-toto+json";
const PREDICATE = "https://sigstore.dev/cosign/sign/v1";
const EMPTY = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };

export async function sealWithBundle(
  ports: SealPorts,
  subject: SealSubject,
  { caller }: Pick<SealOptions, "caller">,
): Promise<"sealed" | "there"> {
  const key = await ports.keys.cosign();
  if (await hasOurBundle(ports, subject)) return "there";
  const keyId = cosignKeyId(key.publicKey);
  const artifact = {
    artifactType: BUNDLE,
    config: EMPTY,
    layers: [{ mediaType: BUNDLE, bytes: await bundleOf(subject, key, keyId) }],
    annotations: {
      "org.opencontainers.image.created": timeOf(ports),
      "dev.sigstore.bundle.content": "dsse-envelope",
      "dev.sigstore.bundle.predicateType": PREDICATE,
      ...madeWith(keyId),
    },
  };
  await attach(ports, subject, artifact, { caller });
  return "sealed";
}

/** Whether it has a bundle by the key of the moment. */
export async function hasOurBundle(ports: SealPorts, subject: SealSubject): Promise<boolean> {
  const { publicKey } = await ports.keys.cosign();
  const filter = { artifactType: BUNDLE, key: cosignKeyId(publicKey) };
  for await (const bytes of layersMadeWith(ports, subject, filter)) {
    if (isSignedBy(bytes, subject, publicKey)) return true;
  }
  return false;
}

/** RFC 3339, whole seconds. */
export function timeOf({ now }: Pick<SealPorts, "now">): string {
  return now()
    .toISOString()
    .replace(/\.\d+Z$/, "Z");
}

async function bundleOf(
  { digest }: SealSubject,
  key: CosignKey,
  hint: string,
): Promise<Uint8Array> {
  const [algorithm = "", hex = ""] = digest.split(":");
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ digest: { [algorithm]: hex } }],
    predicateType: PREDICATE,
    predicate: {},
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const signature = Buffer.from(await key.sign(preAuthenticated(payload)));
  const bundle = {
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint } },
    dsseEnvelope: {
      payload: payload.toString("base64"),
      payloadType: STATEMENT,
      signatures: [{ sig: signature.toString("base64") }],
    },
  };
  return Buffer.from(JSON.stringify(bundle));
}

/** PAE of DSSE: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body. */
function preAuthenticated(payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${STATEMENT.length} ${STATEMENT} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function isSignedBy(bytes: Uint8Array, { digest }: SealSubject, key: KeyObject): boolean {
  const envelope = objectIn(parseJson(bytes), "dsseEnvelope");
  const payload = Buffer.from(textIn(envelope, "payload") ?? "", "base64");
  const [first] = listIn(envelope, "signatures").filter(isObject);
  const signature = Buffer.from(textIn(first, "sig") ?? "", "base64");
  const statement = parseJson(payload);
  const [subject] = listIn(statement, "subject").filter(isObject);
  const [algorithm = "", hex = ""] = digest.split(":");
  return (
    textIn(statement, "predicateType") === PREDICATE &&
    textIn(objectIn(subject, "digest"), algorithm) === hex &&
    verify("sha256", preAuthenticated(payload), key, signature)
  );
}
