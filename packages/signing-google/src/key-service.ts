import { setTimeout as pause } from "node:timers/promises";
import type { HashName } from "@sealhouse/repo-signing";
import { untilAborted } from "@sealhouse/repo-signing";
import { crc32c } from "./crc32c.ts";
import type { Endpoint, ServiceAccount } from "./kms-client.ts";
import { openKmsClient } from "./kms-client.ts";
import { damagedAnswer, kmsErrorOf } from "./kms-error.ts";

export type KeyVersion = {
  /** Full resource name. */
  readonly name: string;
  /** A value of `CryptoKeyVersionAlgorithm`. */
  readonly algorithm: string;
};

export type PublicKey = {
  /** SubjectPublicKeyInfo, PEM. */
  readonly pem: string;
  /** A value of `CryptoKeyVersionAlgorithm`. */
  readonly algorithm: string;
  /** A value of `ProtectionLevel`. */
  readonly protectionLevel: string;
};

/** The calls of Cloud KMS that signing needs, each within a time limit and with its checksums
 * checked. All throw KmsError. */
export type KeyService = AsyncDisposable & {
  /** Resource name of the device that the versions of a key live in; empty for shared ones. */
  backendOf(key: string): Promise<string>;
  /** In no order. */
  enabledVersions(key: string): Promise<readonly KeyVersion[]>;
  publicKey(version: string): Promise<PublicKey>;
  /** The signature of a digest. */
  sign(version: string, digest: Uint8Array, how: SigningCall): Promise<Uint8Array>;
};

export type SigningCall = { readonly hash: HashName; readonly signal: AbortSignal };

const VERSIONS_MAX = 1000;
/** Between the attempts at a call that failed in passing. */
const PAUSES_MS = [100, 400];

/** @throws KmsError when there are no credentials */
export async function openKeyService(options: {
  readonly endpoint: Endpoint;
  /** Undefined = application default credentials. */
  readonly account: ServiceAccount | undefined;
  /** Timeout of one call in milliseconds. */
  readonly callTimeoutMs: number;
}): Promise<KeyService> {
  const { callTimeoutMs } = options;
  const client = await openKmsClient({ ...options, signal: AbortSignal.timeout(callTimeoutMs) });
  const how = (signal: AbortSignal) => ({ timeout: callTimeoutMs, retry: null, signal });
  const ask = <Answer>(
    doing: string,
    call: (signal: AbortSignal) => Promise<Answer>,
    whole: readonly AbortSignal[] = [],
  ) =>
    attempts(doing, () => {
      const signal = AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...whole]);
      return untilAborted(signal, call);
    });
  return {
    backendOf: (key) =>
      ask(`describe the key ${key}`, async (signal) => {
        const [cryptoKey] = await client.getCryptoKey({ name: key }, how(signal));
        return cryptoKey.cryptoKeyBackend ?? "";
      }),
    enabledVersions: (key) =>
      ask(`list the versions of the key ${key}`, async (signal) => {
        const request = { parent: key, filter: "state=ENABLED" };
        const [versions] = await client.listCryptoKeyVersions(request, {
          ...how(signal),
          maxResults: VERSIONS_MAX,
        });
        return versions.map((version) => ({
          name: version.name ?? "",
          algorithm: nameOf(version.algorithm),
        }));
      }),
    publicKey(version) {
      const doing = `give the public key of ${version}`;
      return ask(doing, async (signal) => {
        const [answer] = await client.getPublicKey({ name: version }, how(signal));
        const { pem, algorithm, protectionLevel } = answer;
        if (!pem) throw damagedAnswer("the answer has no key", doing);
        checkName(answer.name, { requestedName: version, doing });
        checkSum(answer.pemCrc32c, Buffer.from(pem), doing);
        return { pem, algorithm: nameOf(algorithm), protectionLevel: nameOf(protectionLevel) };
      });
    },
    sign(version, digest, { hash, signal: whole }) {
      const doing = `sign with ${version}`;
      const request = {
        name: version,
        digest: { [hash.toLowerCase()]: digest },
        digestCrc32c: { value: crc32c(digest) },
      };
      const call = async (signal: AbortSignal) => {
        const [answer] = await client.asymmetricSign(request, how(signal));
        const signature = Buffer.from(answer.signature ?? "");
        if (answer.verifiedDigestCrc32c !== true) {
          throw damagedAnswer("the checksum of the digest did not get there", doing);
        }
        checkName(answer.name, { requestedName: version, doing });
        checkSum(answer.signatureCrc32c, signature, doing);
        return signature;
      };
      return ask(doing, call, [whole]);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Asks again at once when that may help, as Google wants it for damaged answers, too. */
async function attempts<Answer>(
  doing: string,
  call: () => Promise<Answer>,
  [pauseMs, ...morePausesMs]: readonly number[] = PAUSES_MS,
): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    const error = kmsErrorOf(cause, doing);
    if (!error.transient || pauseMs === undefined) throw error;
    await pause(pauseMs);
    return attempts(doing, call, morePausesMs);
  }
}

function checkName(
  name: string | null | undefined,
  { requestedName, doing }: { readonly requestedName: string; readonly doing: string },
): void {
  if (name !== requestedName)
    throw damagedAnswer(`it answered for ${name || "no key at all"}`, doing);
}

/** Both transports give values of enumerations by name, except those newer than the client. */
function nameOf(value: string | number | null | undefined): string {
  return typeof value === "string" ? value : `number ${value}`;
}

/** A `google.protobuf.Int64Value`, whichever number the transport makes of it. */
type Int64Value = { readonly value?: { toString(): string } | null };

function checkSum(sent: Int64Value | null | undefined, bytes: Uint8Array, doing: string): void {
  const sum = sent?.value?.toString();
  if (sum === undefined) throw damagedAnswer("the answer has no checksum", doing);
  if (sum !== crc32c(bytes).toString()) {
    throw damagedAnswer("the answer was changed on its way (CRC32C)", doing);
  }
}
