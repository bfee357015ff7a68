import type { KeyObject } from "node:crypto";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { HashName } from "@sealhouse/repo-signing";
import { signDigest } from "@sealhouse/repo-signing/testing";
import type { grpc } from "google-gax";
import { crc32c } from "../crc32c.ts";

/** The key that a stand-in holds. */
export const TEST_KEY = "projects/acme/locations/europe-west1/keyRings/feeds/cryptoKeys/nuget";

export type TestVersion = {
  readonly algorithm: string;
  readonly state: "ENABLED" | "DISABLED" | "DESTROYED";
  readonly protectionLevel: "SOFTWARE" | "HSM" | "HSM_SINGLE_TENANT";
  readonly key: KeyObject;
};

export type KmsMethod =
  | "getCryptoKey"
  | "listCryptoKeyVersions"
  | "getPublicKey"
  | "asymmetricSign";

/** A value of `google.rpc.Code`. */
export type KmsStatus = keyof typeof grpc.status;

/** Failure of the stand-in from now on, or for a number of calls. */
export type Misbehaviour = {
  readonly on: KmsMethod;
  readonly how:
    | "damages-the-answer"
    | "damages-the-request"
    | "ignores-the-checksum"
    | "leaves-checksums-out"
    | "answers-for-another-key"
    | "signs-with-another-key"
    | "hangs"
    | { readonly status: KmsStatus; readonly message: string };
  /** Undefined = until told otherwise. */
  readonly times?: number;
};

/** Fields of a request, as both transports decode it. */
export type KmsRequest = {
  readonly name?: string;
  readonly parent?: string;
  readonly filter?: string;
  readonly pageToken?: string;
  readonly digest?: Readonly<Record<string, unknown>>;
  readonly digestCrc32c?: { readonly value: string } | null;
};

/** A refusal as `google.rpc.Status`. */
export class KmsRefusal extends Error {
  override readonly name = "KmsRefusal";
  readonly status: KmsStatus;

  constructor(status: KmsStatus, message: string) {
    super(message);
    this.status = status;
  }
}

export type KmsState = {
  /** By number; may change while the stand-in runs. */
  readonly versions: Map<number, TestVersion>;
  /** Resource name of the single-tenant HSM instance that the key lives in. */
  backend: string;
  misbehaviour: Misbehaviour | undefined;
};

/** A version with a separate key, enabled and in an HSM by default. */
export function testVersion(options: Partial<TestVersion> = {}): TestVersion {
  const { algorithm = "RSA_SIGN_PKCS1_2048_SHA256" } = options;
  return {
    algorithm,
    state: "ENABLED",
    protectionLevel: "HSM",
    key: newKey(algorithm),
    ...options,
  };
}

function newKey(algorithm: string): KeyObject {
  if (algorithm.startsWith("EC_")) {
    return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  }
  const modulusLength = Number(/\d{4}/.exec(algorithm)?.[0] ?? 2048);
  return generateKeyPairSync("rsa", { modulusLength }).privateKey;
}

/**
 * Answers of Cloud KMS: enum values by name, bytes as buffers, 64-bit numbers as text. Undefined
 * for no answer.
 *
 * @throws KmsRefusal
 */
export function kmsAnswer(
  state: KmsState,
  method: KmsMethod,
  request: KmsRequest,
): Readonly<Record<string, unknown>> | undefined {
  const how = misbehaviourOn(state, method);
  if (how === "hangs") return undefined;
  if (typeof how === "object") throw new KmsRefusal(how.status, how.message);
  const answer = plainAnswer(state, method, { request, how });
  if (how === "answers-for-another-key") return { ...answer, name: `${TEST_KEY}-2` };
  if (how !== "leaves-checksums-out") return answer;
  return { ...answer, pemCrc32c: null, signatureCrc32c: null };
}

type KmsCall = { readonly request: KmsRequest; readonly how: Misbehaviour["how"] | undefined };

function misbehaviourOn(state: KmsState, method: KmsMethod): Misbehaviour["how"] | undefined {
  const { misbehaviour } = state;
  if (misbehaviour?.on !== method) return undefined;
  const { times } = misbehaviour;
  if (times !== undefined) {
    state.misbehaviour = times > 1 ? { ...misbehaviour, times: times - 1 } : undefined;
  }
  return misbehaviour.how;
}

function plainAnswer(
  state: KmsState,
  method: KmsMethod,
  call: KmsCall,
): Readonly<Record<string, unknown>> {
  switch (method) {
    case "getCryptoKey":
      if (call.request.name !== TEST_KEY) throw notFound(call.request.name);
      return { name: TEST_KEY, purpose: "ASYMMETRIC_SIGN", cryptoKeyBackend: state.backend };
    case "listCryptoKeyVersions":
      if (call.request.parent !== TEST_KEY) throw notFound(call.request.parent);
      return page(state, call.request);
    case "getPublicKey":
      return publicKey(state, call);
    case "asymmetricSign":
      return signature(state, call);
  }
}

/** Two per page, so that clients must request the next page. */
function page(
  { versions }: KmsState,
  { filter, pageToken }: KmsRequest,
): Readonly<Record<string, unknown>> {
  const from = Number(pageToken || 0);
  const all = [...versions].filter(([, { state }]) => !filter || filter === `state=${state}`);
  const shown = all.slice(from, from + 2).map(([number, { key: _key, ...facts }]) => ({
    name: `${TEST_KEY}/cryptoKeyVersions/${number}`,
    ...facts,
  }));
  const nextPageToken = from + 2 < all.length ? String(from + 2) : "";
  return { cryptoKeyVersions: shown, nextPageToken, totalSize: all.length };
}

function publicKey(state: KmsState, { request, how }: KmsCall): Readonly<Record<string, unknown>> {
  const { algorithm, protectionLevel, key } = enabledVersion(state, request.name);
  const pem = createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
  return {
    pem: how === "damages-the-answer" ? pem.replace("A", "B") : pem,
    pemCrc32c: { value: crc32c(Buffer.from(pem)).toString() },
    name: request.name,
    algorithm,
    protectionLevel,
  };
}

function signature(state: KmsState, { request, how }: KmsCall): Readonly<Record<string, unknown>> {
  const { algorithm, protectionLevel, key } = enabledVersion(state, request.name);
  const [hash, sent] = digestIn(request.digest ?? {});
  if (!algorithm.endsWith(hash)) throw refusal(`the key does not sign ${hash}`);
  const digest = how === "damages-the-request" ? sent.map((byte) => byte ^ 1) : sent;
  const sum = request.digestCrc32c?.value;
  if (sum !== undefined && sum !== crc32c(digest).toString()) {
    throw refusal("the checksum in field digest_crc32c did not match the data in field digest");
  }
  const own = how === "signs-with-another-key" ? newKey(algorithm) : key;
  const scheme = algorithm.includes("PSS") ? "pss" : "pkcs1";
  const made = signDigest(digest, { key: own, hash, scheme });
  return {
    signature: how === "damages-the-answer" ? made.map((byte) => byte ^ 1) : made,
    signatureCrc32c: { value: crc32c(made).toString() },
    verifiedDigestCrc32c: sum !== undefined && how !== "ignores-the-checksum",
    name: request.name,
    protectionLevel,
  };
}

function digestIn(digests: object): readonly [HashName, Uint8Array] {
  for (const [name, bytes] of Object.entries(digests)) {
    const hash = DIGESTS.find((hashName) => hashName.toLowerCase() === name);
    if (hash !== undefined && bytes instanceof Uint8Array) return [hash, bytes];
  }
  throw refusal("no digest");
}

const DIGESTS: readonly HashName[] = ["SHA256", "SHA384", "SHA512"];

function enabledVersion({ versions }: KmsState, name = ""): TestVersion {
  const prefix = `${TEST_KEY}/cryptoKeyVersions/`;
  const version = versions.get(Number(name.startsWith(prefix) ? name.slice(prefix.length) : ""));
  if (!version) throw notFound(name);
  if (version.state === "ENABLED") return version;
  throw new KmsRefusal(
    "FAILED_PRECONDITION",
    `${name} is not enabled, current state is: ${version.state}.`,
  );
}

function notFound(name: string | undefined): KmsRefusal {
  return new KmsRefusal("NOT_FOUND", `${name} not found.`);
}

function refusal(why: string): KmsRefusal {
  return new KmsRefusal("INVALID_ARGUMENT", `Request is malformed: ${why}.`);
}
