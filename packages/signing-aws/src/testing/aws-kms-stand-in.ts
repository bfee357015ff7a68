import type { KeyObject } from "node:crypto";
import { createPublicKey } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { signDigest } from "@sealhouse/repo-signing/testing";
import type { StandInAnswer } from "./http-stand-in.ts";
import { startStandIn } from "./http-stand-in.ts";
import { authorizationProblem } from "./sigv4.ts";
import type { StandInAccount } from "./sigv4.ts";

export type KmsOperation = "GetPublicKey" | "Sign";

/** A failure instead of the answer to a call. */
export type KmsFault =
  | { readonly type: "error"; readonly name: string; readonly status?: number }
  /** Signs, but with this key. */
  | { readonly type: "other-key"; readonly key: KeyObject }
  | { readonly type: "silence" }
  /** The answer of a proxy in between. */
  | { readonly type: "page"; readonly status: number };

export type KmsStandIn = AsyncDisposable & {
  readonly url: string;
  /** For the settings of the mode. */
  readonly account: StandInAccount & { readonly region: string };
  readonly keyId: string;
  readonly keyArn: string;
  /** Authorized calls in order: `Sign <key>`. */
  readonly calls: readonly string[];
  /** For the next `times` calls, or until `recover`. */
  fail(operation: KmsOperation, fault: KmsFault, times?: number): void;
  recover(): void;
  /** Gives the alias to a new key; the old one stays, under its ARN. */
  moveAlias(key: KeyObject): void;
};

const REGION = "eu-west-1";
const ARN = `arn:aws:kms:${REGION}:111122223333:key/6a51ad27-0b0c-4ea8-94d6-5dc1ef0fb5d2`;
const ARN_OF_NEXT = `arn:aws:kms:${REGION}:111122223333:key/90f1c3f8-6d4e-4a55-a1b4-3f0f6b2b8c07`;
const ALIAS = "alias/feed";
export const STAND_IN_ACCOUNT: StandInAccount = {
  accessKeyId: "AKIASTANDIN00000TEST",
  secretAccessKey: "stand-in/secret+of/the=test",
};

/**
 * AWS KMS with one key, as far as signing goes: the wire protocol (JSON 1.1) and the refusals of
 * the real one, and a real key. It is not AWS KMS.
 */
export async function startKmsStandIn(options: {
  /** RSA, or EC to see that refused. */
  readonly key: KeyObject;
  readonly usage?: "SIGN_VERIFY" | "ENCRYPT_DECRYPT";
  readonly algorithms?: readonly string[];
  readonly account?: StandInAccount;
}): Promise<KmsStandIn> {
  const { account = STAND_IN_ACCOUNT } = options;
  const calls: string[] = [];
  const keys = new Map([[ARN, options.key]]);
  let aliased = ARN;
  const faults = new Map<string, { readonly fault: KmsFault; left: number }>();
  const faultOf = (operation: string): KmsFault | undefined => {
    const entry = faults.get(operation);
    if (!entry || entry.left === 0) return undefined;
    entry.left -= 1;
    return entry.fault;
  };
  const server = await startStandIn((request, body) => {
    const expected = { ...account, region: REGION, service: "kms" };
    const problem = authorizationProblem(request, body, expected);
    if (problem !== undefined) return error(problem);
    const operation = operationOf(request);
    const fields = fieldsOf(body);
    calls.push(`${operation} ${fields["KeyId"]}`);
    const fault = faultOf(operation);
    if (fault?.type === "silence") return "silence";
    if (fault?.type === "error") return error(fault.name, "by the test", fault.status);
    if (fault?.type === "page") return { status: fault.status, body: "<html>Bad gateway</html>" };
    const arn = arnOf(fields["KeyId"], aliased);
    const key = keys.get(arn);
    if (!key) return error("NotFoundException");
    if (operation === "GetPublicKey") return json(200, publicKeyOf(arn, { ...options, key }));
    if (operation === "Sign") return signed(arn, fields, fault?.key ?? key);
    return error("UnknownOperationException");
  });
  return {
    url: server.url,
    account: { ...account, region: REGION },
    keyId: ALIAS,
    keyArn: ARN,
    calls,
    fail: (operation, fault, times = Infinity) =>
      void faults.set(operation, { fault, left: times }),
    recover: () => faults.clear(),
    moveAlias(key) {
      keys.set(ARN_OF_NEXT, key);
      aliased = ARN_OF_NEXT;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const SCHEMES = { PKCS1_V1_5: "pkcs1", PSS: "pss" } as const;
const HASHES = { 256: "SHA256", 384: "SHA384", 512: "SHA512" } as const;

/** Scheme and hash of a key by the name of the algorithm. */
const ALGORITHMS = new Map(
  Object.entries(SCHEMES).flatMap(([name, scheme]) =>
    Object.entries(HASHES).map(([bits, hash]) => {
      const algorithm: string = `RSASSA_${name}_SHA_${bits}`;
      return [algorithm, { scheme, hash, bytes: Number(bits) / 8 }] as const;
    }),
  ),
);

function operationOf({ method, headers }: IncomingMessage): string {
  const isJson = headers["content-type"] === "application/x-amz-json-1.1";
  const target = String(headers["x-amz-target"]);
  return method === "POST" && isJson ? target.replace(/^TrentService\./, "") : "";
}

/** Keys are called by id, ARN or alias. */
function arnOf(keyId = "", aliased: string): string {
  if (keyId === ALIAS) return aliased;
  return keyId.startsWith("arn:") ? keyId : `${ARN.slice(0, ARN.indexOf("/") + 1)}${keyId}`;
}

function publicKeyOf(
  arn: string,
  options: Parameters<typeof startKmsStandIn>[0],
): Record<string, unknown> {
  const { key, usage = "SIGN_VERIFY", algorithms = [...ALGORITHMS.keys()] } = options;
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  const bits = key.asymmetricKeyDetails?.modulusLength;
  return {
    KeyId: arn,
    PublicKey: der.toString("base64"),
    KeySpec: bits === undefined ? "ECC_NIST_P256" : `RSA_${bits}`,
    KeyUsage: usage,
    ...(usage === "SIGN_VERIFY" && { SigningAlgorithms: algorithms }),
  };
}

function signed(
  arn: string,
  fields: Readonly<Record<string, string>>,
  key: KeyObject,
): StandInAnswer {
  const { Message = "", MessageType, SigningAlgorithm = "" } = fields;
  const digest = Buffer.from(Message, "base64");
  if (MessageType !== "DIGEST") return error("ValidationException", "only digests in this test");
  const how = ALGORITHMS.get(SigningAlgorithm);
  if (digest.length !== how?.bytes) {
    const words = `Digest is invalid length for algorithm ${SigningAlgorithm}.`;
    return error("ValidationException", words);
  }
  const signature = signDigest(digest, { ...how, key });
  return json(200, { KeyId: arn, SigningAlgorithm, Signature: signature.toString("base64") });
}

function fieldsOf(body: Buffer): Readonly<Record<string, string>> {
  const parsed: unknown = JSON.parse(body.toString("utf8"));
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
}

function error(name: string, message = "", status = 400): StandInAnswer {
  return json(status, { __type: name, message });
}

function json(status: number, body: unknown): StandInAnswer {
  const headers = { "content-type": "application/x-amz-json-1.1" };
  return { status, headers, body: JSON.stringify(body) };
}
