import { randomBytes } from "node:crypto";
import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import type { PackageContent, Sealer, StoredPackage } from "@sealhouse/nuget-protocol";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { CertificateFile, Signer } from "@sealhouse/repo-signing";
import type { ObjectStore } from "@sealhouse/storage-providers";
import { parseObjectKey } from "@sealhouse/storage-providers";
import type { Extension } from "../extension.ts";
import { createOutgoingFetch } from "../http/outgoing-fetch.ts";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import type { SigningConfig } from "../settings/signing.ts";

/** Signing as the NuGet feed sees it: it decides at upload, and wraps what is served. */
export type Signing = {
  readonly sealer: Sealer;
  signed(stored: PackageContent): PackageContent;
  /** Makes the certificate when there is none yet. */
  prepare(): Promise<void>;
};

export type SigningParts = {
  readonly config: Config;
  readonly extensions: readonly Extension[];
  readonly store: ObjectStore;
  readonly keyRing: KeyRing;
  readonly database: Pick<Database, "certificates" | "nuget">;
  readonly log: Log;
  readonly now: () => Date;
};

type SigningOn = Exclude<SigningConfig, { readonly mode: "off" }>;

const PFX_BYTES_MAX = 1024 * 1024;

/**
 * Nothing of the signing library is loaded before the first package asks for it, or `prepare`: the
 * host calls that once it listens, because making a certificate for the first time takes seconds.
 */
export function createSigning(parts: SigningParts): Signing {
  const { signing } = parts.config;
  if (signing.mode === "off") return SIGNING_OFF;
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    // A key service that was out once must not stay out until the next restart.
    loading ??= loadSigning(parts, signing).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    sealer: {
      async seal(file, named) {
        const outcome = await (await load()).sealer.seal(file, named);
        const trouble = troubleOf(outcome);
        if (trouble !== undefined) parts.log.warn({ ...named, status: outcome.status }, trouble);
        return outcome;
      },
    },
    signed: (stored) => ({
      async open(found) {
        const { signedContent, sealOnDemand } = await load();
        return signedContent<StoredPackage>(stored, sealOnDemand).open(found);
      },
    }),
    async prepare() {
      if (signing.mode === "SelfSigned" && (await certificateExists(parts, signing))) return;
      await (await load()).signer();
    },
  };
}

const SIGNING_OFF: Signing = {
  sealer: { seal: async () => ({ status: "unsealed" }) },
  signed: (stored) => stored,
  prepare: async () => undefined,
};

type Library = typeof repoSigning;
type Loaded = {
  readonly signer: () => Promise<Signer>;
  readonly sealer: repoSigning.Sealer;
  readonly sealOnDemand: ReturnType<Library["createOnDemandSealing"]>;
  readonly signedContent: Library["signedContent"];
};

/** What an operator should know although, or because, the client was told. */
function troubleOf(outcome: repoSigning.SealOutcome): string | undefined {
  switch (outcome.status) {
    case "sealed":
    case "unsealed":
      return outcome.warning;
    case "failed":
      return outcome.reason;
    case "refused":
      return undefined;
  }
}

async function loadSigning(parts: SigningParts, signing: SigningOn): Promise<Loaded> {
  const library = await import("@sealhouse/repo-signing");
  const { config, database, log, now } = parts;
  const selfSigned = signing.mode === "SelfSigned";
  const signer = selfSigned
    ? selfSignedSigner(parts, signing, library)
    : await extensionSigner(parts.extensions, signing);
  const url = signing.timestampServerUrl;
  const { allowPrivateAddresses: allowPrivate } = config.host;
  const fetch = createOutgoingFetch({ allowPrivate });
  const stamp = url === undefined ? undefined : { url, fetch, randomBytes, now };
  const sealer = library.createSealer({
    signer,
    ledger: database.certificates,
    serviceIndexUrl: `${secureBaseUrl(config).url}/v3/index.json`,
    policy: signing.policy,
    ...(stamp && {
      timestamp: {
        stamp: library.createTimestamper(stamp),
        onFailure: selfSigned ? "sign-without" : "fail",
      },
    }),
    onFailure: selfSigned ? "let-pass" : "fail",
    now,
  });
  const sealOnDemand = library.createOnDemandSealing({
    sealer,
    keeper: database.nuget.seals,
    report: (warning, named) => log.warn({ ...named }, warning),
  });
  return { signer, sealer, sealOnDemand, signedContent: library.signedContent };
}

function selfSignedSigner(
  parts: SigningParts,
  signing: Extract<SigningConfig, { readonly mode: "SelfSigned" }>,
  { createSelfSigned }: Library,
): () => Promise<Signer> {
  const { complete, commonName, ...rest } = signing.subject;
  const derived = () => Buffer.from(parts.keyRing.derive("signing/certificate-password"));
  return createSelfSigned({
    file: certificateFile(parts.store, signing.certificatePath),
    password: signing.password ?? derived().toString("base64url"),
    subject:
      complete === undefined ? { serverName: commonName, ...rest } : { subjectName: complete },
    keySize: signing.keySize,
    validityInDays: signing.validityInDays,
    hash: signing.hash,
    now: parts.now,
    randomBytes,
  });
}

/** Opened once; an extension that can renew its certificate does so behind the signer. */
async function extensionSigner(
  extensions: readonly Extension[],
  signing: Extract<SigningConfig, { readonly mode: "Extension" }>,
): Promise<() => Promise<Signer>> {
  const modes = extensions.map((one) => one.signingModes?.[signing.name]);
  const mode = modes.find((one) => one !== undefined);
  if (!mode) throw new TypeError(`no extension brings the signing mode ${signing.name}`);
  const signer = await mode.open(signing.values);
  return async () => signer;
}

/** The certificate lives in the storage, beside what it signs. */
function certificateFile(store: ObjectStore, path: string): CertificateFile {
  const key = parseObjectKey(path);
  return {
    async read() {
      const found = await store.read(key);
      if (!found) return undefined;
      if (found.info.size > PFX_BYTES_MAX) throw new RangeError(`${path} is far too large`);
      return Buffer.concat(await Array.fromAsync(found.body));
    },
    async write(pfx, existing) {
      const { status } = await store.write(key, bodyOf(pfx), { existing });
      return status;
    },
  };
}

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function certificateExists(
  { store }: SigningParts,
  { certificatePath }: { readonly certificatePath: string },
): Promise<boolean> {
  return (await store.stat(parseObjectKey(certificatePath))) !== undefined;
}

/**
 * The address that signatures name, which must be https and must not depend on a request. `assumed`
 * tells that nobody configured one, so an operator should.
 */
export function secureBaseUrl(config: Config): { readonly url: string; readonly assumed: boolean } {
  const [first] = config.feed.publicBaseUrls;
  const secure = config.feed.publicBaseUrls.find((url) => url.startsWith("https://"));
  if (secure !== undefined) return { url: secure, assumed: false };
  if (first !== undefined) return { url: first.replace(/^http:/, "https:"), assumed: true };
  const [address] = config.host.addresses;
  const host = address?.hosts.length === 1 ? (address.hosts[0] ?? "localhost") : "localhost";
  const port = address && ![80, 443].includes(address.port) ? `:${address.port}` : "";
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: `https://${name}${port}`, assumed: true };
}
