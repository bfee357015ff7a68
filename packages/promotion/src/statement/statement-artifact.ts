import { createHash } from "node:crypto";
import type { Digest } from "@sealhouse/oci-distribution";
import type { SourceManifest } from "@sealhouse/oci-distribution/client";
import { STATEMENT_TYPE } from "./release-statement.ts";
import type { SignedStatement } from "./release-statement.ts";
import { PAYLOAD_TYPE } from "./sign-statement.ts";

const BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const EMPTY = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };

type Blob = { readonly digest: Digest; readonly bytes: Uint8Array };

/** A statement as a referrer of an image, in the form in which `cosign` looks for it. Equal input
 * gives equal bytes, so that a repetition finds the first. */
export function statementArtifact(
  subject: SourceManifest,
  signed: SignedStatement,
): { readonly manifest: SourceManifest; readonly blobs: readonly Blob[] } {
  const bundle = Buffer.from(bundleOf(signed));
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    artifactType: BUNDLE,
    config: descriptorOf(EMPTY.bytes, EMPTY.mediaType),
    layers: [descriptorOf(bundle, BUNDLE)],
    subject: {
      mediaType: subject.mediaType,
      digest: subject.digest,
      size: subject.bytes.length,
    },
    annotations: {
      "dev.sigstore.bundle.content": "dsse-envelope",
      "dev.sigstore.bundle.predicateType": STATEMENT_TYPE,
    },
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return {
    manifest: { digest: digestOf(bytes), mediaType: MANIFEST, bytes },
    blobs: [EMPTY.bytes, bundle].map((content) => ({ digest: digestOf(content), bytes: content })),
  };
}

function descriptorOf(bytes: Uint8Array, mediaType: string) {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}` as Digest;
}

/** The files of a statement by name, for stock verifiers; those of its outcome likewise. */
export function statementFiles(
  signed: SignedStatement,
  name: "release" | "outcome" = "release",
): ReadonlyMap<string, string> {
  return new Map([
    [`${name}.sigstore.json`, bundleOf(signed)],
    [`${name}.dsse.json`, JSON.stringify(envelopeOf(signed))],
    [`${name}.json`, signed.statement],
    [`${name}.json.sig`, signed.plainSignature],
    [`${name}.pub`, signed.publicKey],
  ]);
}

/** A Sigstore bundle v0.3 with one signature, for `cosign verify-blob-attestation --bundle`. */
export function bundleOf(signed: SignedStatement): string {
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: signed.keyId }, tlogEntries: [] },
    dsseEnvelope: envelopeOf(signed),
  });
}

function envelopeOf({ statement, envelopeSignature: sig }: SignedStatement) {
  return {
    payload: Buffer.from(statement).toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ sig }],
  };
}
