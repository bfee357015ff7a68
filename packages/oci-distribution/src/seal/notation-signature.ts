import { X509Certificate, constants, createHash, verify } from "node:crypto";
import { attach, layersMadeWith, madeWith } from "./artifact.ts";
import { listIn, objectIn, parseJson, textIn } from "./json.ts";
import type {
  NotationAlgorithm,
  NotationKey,
  SealOptions,
  SealPorts,
  SealSubject,
} from "./ports.ts";
import { timeOf } from "./sigstore-bundle.ts";

// The Notary Project's signature: a JWS of the subject's descriptor, with the certificate chain of
// its key (signature-specification, signature-envelope-jws).

export const NOTATION_ARTIFACT = "application/vnd.cncf.notary.signature";
const ENVELOPE = "application/jose+json";
const PAYLOAD = "application/vnd.cncf.notary.payload.v1+json";
const THUMBPRINTS = "io.cncf.notary.x509chain.thumbprint#S256";

export async function sealForNotation(
  ports: SealPorts,
  subject: SealSubject,
  { agent, caller }: Pick<SealOptions, "agent" | "caller">,
): Promise<"sealed" | "there"> {
  const key = await ports.keys.notation();
  if (await isSealedForNotation(ports, subject)) return "there";
  const thumbprints = thumbprintsOf(key);
  const [keyId = ""] = thumbprints;
  const created = timeOf(ports);
  const envelope = await envelopeOf(subject, key, { created, agent });
  const artifact = {
    artifactType: NOTATION_ARTIFACT,
    config: { mediaType: NOTATION_ARTIFACT, bytes: Buffer.from("{}") },
    layers: [{ mediaType: ENVELOPE, bytes: envelope }],
    annotations: {
      [THUMBPRINTS]: JSON.stringify(thumbprints),
      "org.opencontainers.image.created": created,
      ...madeWith(keyId),
    },
  };
  await attach(ports, subject, artifact, { caller });
  return "sealed";
}

/** Whether it is signed so with the certificate of the moment. */
export async function isSealedForNotation(
  ports: SealPorts,
  subject: SealSubject,
): Promise<boolean> {
  const key = await ports.keys.notation();
  const filter = { artifactType: NOTATION_ARTIFACT, key: thumbprintsOf(key)[0] ?? "" };
  for await (const bytes of layersMadeWith(ports, subject, filter)) {
    if (isSignedBy(bytes, subject, key)) return true;
  }
  return false;
}

function thumbprintsOf({ chain }: NotationKey): readonly string[] {
  return chain.map((der) => createHash("sha256").update(der).digest("hex"));
}

const SCHEME = "io.cncf.notary.signingScheme";

async function envelopeOf(
  { mediaType, digest, size }: SealSubject,
  key: NotationKey,
  { created, agent }: { readonly created: string; readonly agent: string },
): Promise<Uint8Array> {
  const header = {
    alg: key.algorithm,
    cty: PAYLOAD,
    crit: [SCHEME],
    [SCHEME]: "notary.x509",
    "io.cncf.notary.signingTime": created,
  };
  const protectedHeader = encode(header);
  const payload = encode({ targetArtifact: { mediaType, digest, size } });
  const signature = await key.sign(Buffer.from(`${protectedHeader}.${payload}`));
  const envelope = {
    payload,
    protected: protectedHeader,
    header: {
      x5c: key.chain.map((der) => Buffer.from(der).toString("base64")),
      "io.cncf.notary.signingAgent": agent,
    },
    signature: Buffer.from(signature).toString("base64url"),
  };
  return Buffer.from(JSON.stringify(envelope));
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function isSignedBy(
  bytes: Uint8Array,
  subject: SealSubject,
  { chain, algorithm }: NotationKey,
): boolean {
  const envelope = parseJson(bytes);
  const payload = textIn(envelope, "payload") ?? "";
  const protectedHeader = textIn(envelope, "protected") ?? "";
  const signature = Buffer.from(textIn(envelope, "signature") ?? "", "base64url");
  const [leaf = new Uint8Array()] = chain;
  const [certificate] = listIn(objectIn(envelope, "header"), "x5c");
  const target = objectIn(parseJson(Buffer.from(payload, "base64url")), "targetArtifact");
  const header = parseJson(Buffer.from(protectedHeader, "base64url"));
  return (
    certificate === Buffer.from(leaf).toString("base64") &&
    textIn(target, "digest") === subject.digest &&
    textIn(header, "alg") === algorithm &&
    verify(
      HASHES[algorithm],
      Buffer.from(`${protectedHeader}.${payload}`),
      { key: new X509Certificate(leaf).publicKey, ...ENCODINGS[algorithm] },
      signature,
    )
  );
}

const HASHES: Readonly<Record<NotationAlgorithm, string>> = {
  ES256: "sha256",
  PS256: "sha256",
  PS384: "sha384",
  PS512: "sha512",
};
const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;
const ENCODINGS = {
  ES256: { dsaEncoding: "ieee-p1363" },
  PS256: PSS,
  PS384: PSS,
  PS512: PSS,
} as const;
