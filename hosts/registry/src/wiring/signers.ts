import { randomBytes } from "node:crypto";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import { parseObjectKey } from "@sealhouse/storage-providers";
import type { Extension } from "../extension.ts";
import type { SigningConfig } from "../settings/signing.ts";
import { certificateFile } from "./certificate-file.ts";
import type { SigningOn, SigningParts, SigningTools } from "./signing-parts.ts";
import { createStoredCertificate } from "./stored-certificate.ts";

// Who signs, in each mode.

type Library = typeof repoSigning;
type Mode<Name extends SigningOn["mode"]> = Extract<SigningConfig, { readonly mode: Name }>;

/** So long after a certificate was replaced it is noticed at the latest. */
const REOPEN_EVERY_MS = 60 * 60 * 1000;
const FILES_REOPENED_EVERY_MS = 60 * 1000;

/** Opens nothing yet. What is opened belongs to `opened`. */
export function signerOf(
  parts: SigningParts,
  signing: SigningOn,
  { library, opened }: { readonly library: Library; readonly opened: AsyncDisposableStack },
): () => Promise<Signer> {
  if (signing.mode === "SelfSigned") return selfSignedSigner(parts, signing, library);
  const report = (error: unknown) =>
    parts.log.warn({ err: error }, "the signing certificate could not be looked at again");
  const kept = (brought: Brought) =>
    opened.use(library.keepSigner({ ...brought, now: parts.now, report })).signer;
  const current = kept(broughtSigner(parts, signing, library));
  const successor = successorSource(signing);
  if (!successor) return current;
  const next = kept(broughtSigner(parts, successor, library));
  return library.withSuccessor({ current, next, report }, rotationOf(parts));
}

/** Key and certificate that an operator brings, opened once. */
export function openOnce(
  parts: Pick<SigningParts, "extensions" | "log" | "now" | "store">,
  signing: Exclude<SigningOn, Mode<"SelfSigned">>,
  library: Library,
): ReturnType<repoSigning.SigningMode["open"]> {
  if (signing.mode === "Extension") return openExtension(parts, signing);
  return createStoredCertificate(signing, { ...parts, library }).open();
}

/** The same mode with the certificate that is set to take over. */
export function successorSource(signing: SigningOn): Mode<"StoredCertificate"> | undefined {
  if (signing.mode !== "StoredCertificate" || !signing.next) return undefined;
  return { ...signing, source: signing.next };
}

/** The certificate that is set to take over. */
export function successorOf(
  parts: SigningParts,
  signing: SigningOn,
  library: Library,
): (() => Promise<Signer>) | undefined {
  const next = successorSource(signing);
  return next && (() => openOnce(parts, next, library));
}

/** How a certificate takes over from another that can still sign. */
export function rotationOf({ database, now }: SigningParts): repoSigning.RotationOptions {
  return { ledger: database.certificates, now };
}

type Brought = Pick<
  Parameters<Library["keepSigner"]>[0],
  "open" | "version" | "reopenEveryMs" | "signsFrom"
>;

/** A certificate that no client would accept is not taken: the one that is open stays. */
function broughtSigner(
  parts: SigningParts,
  signing: Exclude<SigningOn, Mode<"SelfSigned">>,
  library: Library,
): Brought {
  const { open, ...rest } = sourceOf(parts, signing, library);
  return {
    ...rest,
    async open() {
      const signer = await open();
      try {
        library.usableCertificate(signer, parts.now());
        return signer;
      } catch (error) {
        await signer[Symbol.asyncDispose]?.();
        throw error;
      }
    },
  };
}

function sourceOf(
  parts: SigningParts,
  signing: Exclude<SigningOn, Mode<"SelfSigned">>,
  library: Library,
): Brought {
  if (signing.mode === "Extension") {
    // A service gives out a new certificate while the key of the one that is open still signs.
    const signsFrom = (next: Signer, held: Signer) =>
      library.takesOverAt(next, held, rotationOf(parts));
    return { open: () => openExtension(parts, signing), signsFrom, reopenEveryMs: REOPEN_EVERY_MS };
  }
  const stored = createStoredCertificate(signing, { ...parts, library });
  // A thumbprint names one certificate for ever; asking a store for it costs more than a look.
  const isFile = signing.source.type === "file";
  return { ...stored, reopenEveryMs: isFile ? FILES_REOPENED_EVERY_MS : REOPEN_EVERY_MS };
}

function selfSignedSigner(
  parts: SigningParts,
  signing: Mode<"SelfSigned">,
  { createSelfSigned }: Library,
): () => Promise<Signer> {
  return createSelfSigned(selfSignedOptions(parts, signing), (error) =>
    parts.log.warn({ err: error }, "the certificate could not be renewed, or looked at again"),
  );
}

/** Makes a new certificate of the host's own. */
export function rotateOwnCertificate(
  parts: SigningParts,
  signing: Mode<"SelfSigned">,
  { rotateSelfSigned }: Library,
): NonNullable<SigningTools["rotate"]> {
  return (how) => rotateSelfSigned(selfSignedOptions(parts, signing), how);
}

function selfSignedOptions(
  parts: SigningParts,
  signing: Mode<"SelfSigned">,
): repoSigning.SelfSignedOptions {
  const { complete, commonName, ...rest } = signing.subject;
  const derived = () => Buffer.from(parts.keyRing.derive("signing/certificate-password"));
  return {
    file: certificateFile(parts.store, signing.certificatePath),
    next: certificateFile(parts.store, `${signing.certificatePath}.next`),
    ledger: parts.database.certificates,
    password: signing.password ?? derived().toString("base64url"),
    subject:
      complete === undefined ? { serverName: commonName, ...rest } : { subjectName: complete },
    keySize: signing.keySize,
    validityInDays: signing.validityInDays,
    hash: signing.hash,
    now: parts.now,
    randomBytes,
  };
}

function openExtension(
  { extensions, log, now }: Pick<SigningParts, "extensions" | "log" | "now">,
  { name, values, named }: Mode<"Extension">,
): ReturnType<repoSigning.SigningMode["open"]> {
  const warn = (message: string) => log.warn({ mode: name }, message);
  return modeOf(extensions, name).open({ values, named, warn, now });
}

/** @throws TypeError when no extension brings it, which the settings rule out */
export function modeOf(extensions: readonly Extension[], name: string): repoSigning.SigningMode {
  const modes = extensions.map((one) => one.signingModes?.[name]);
  const mode = modes.find((one) => one !== undefined);
  if (!mode) throw new TypeError(`no extension brings the signing mode ${name}`);
  return mode;
}

export async function certificateExists(
  { store }: SigningParts,
  { certificatePath }: { readonly certificatePath: string },
): Promise<boolean> {
  return (await store.stat(parseObjectKey(certificatePath))) !== undefined;
}
