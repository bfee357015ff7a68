import { randomBytes } from "node:crypto";
import type { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type * as repoSigning from "../index.ts";
import type { Signer } from "../index.ts";
import type {
  FeedSigningOptions,
  SharedFiles,
  SigningConfig,
  SigningOn,
  SigningTools,
} from "./feed-options.ts";
import { createWatchedCertificate } from "./watched-certificate.ts";

// The signer of each mode.

type Library = typeof repoSigning;
type Mode<Name extends SigningOn["mode"]> = Extract<SigningConfig, { readonly mode: Name }>;

/** A replaced certificate is noticed within this time. */
const REOPEN_EVERY_MS = 60 * 60 * 1000;
const FILES_REOPENED_EVERY_MS = 60 * 1000;

/** Opens nothing yet. What is opened belongs to `opened`. */
export function signerOf(
  parts: FeedSigningOptions,
  signing: SigningOn,
  { library, opened }: { readonly library: Library; readonly opened: AsyncDisposableStack },
): () => Promise<Signer> {
  if (signing.mode === "SelfSigned") return selfSignedSigner(parts, signing, library);
  const report = (error: unknown) =>
    parts.log.warn({ err: error }, "could not check the signing certificate for changes");
  const openRefreshing = (brought: Brought) =>
    opened.use(library.createRefreshingSigner({ ...brought, now: parts.now, report })).signer;
  const current = openRefreshing(broughtSigner(parts, signing, library));
  const successor = successorSource(signing);
  if (!successor) return current;
  const next = openRefreshing(broughtSigner(parts, successor, library));
  return library.withSuccessor({ current, next, report }, rotationOf(parts));
}

/** Key and certificate that an operator brings, opened once. */
export function openOnce(
  parts: Pick<FeedSigningOptions, "extensions" | "files" | "log" | "now">,
  signing: Exclude<SigningOn, Mode<"SelfSigned">>,
  library: Library,
): ReturnType<repoSigning.SigningMode["open"]> {
  if (signing.mode === "Extension") return openExtension(parts, signing);
  return createWatchedCertificate(signing, { ...parts, library }).open();
}

/** The same mode with the certificate that replaces the current one. */
export function successorSource(signing: SigningOn): Mode<"StoredCertificate"> | undefined {
  if (signing.mode !== "StoredCertificate" || !signing.next) return undefined;
  return { ...signing, source: signing.next };
}

/** Opens the certificate that replaces the current one. */
export function successorOf(
  parts: FeedSigningOptions,
  signing: SigningOn,
  library: Library,
): (() => Promise<Signer>) | undefined {
  const next = successorSource(signing);
  return next && (() => openOnce(parts, next, library));
}

/** Rotation from a certificate that can still sign to another. */
export function rotationOf({ ledger, now }: FeedSigningOptions): repoSigning.RotationOptions {
  return { ledger, now };
}

type Brought = Pick<
  Parameters<Library["createRefreshingSigner"]>[0],
  "open" | "version" | "reopenEveryMs" | "signsFrom"
>;

/** A certificate that no client would accept is not taken: the one that is open stays. */
function broughtSigner(
  parts: FeedSigningOptions,
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
  parts: FeedSigningOptions,
  signing: Exclude<SigningOn, Mode<"SelfSigned">>,
  library: Library,
): Brought {
  if (signing.mode === "Extension") {
    // A service returns a new certificate while the key of the open one still signs.
    const signsFrom = (next: Signer, predecessor: Signer) =>
      library.takesOverAt(next, predecessor, rotationOf(parts));
    return { open: () => openExtension(parts, signing), signsFrom, reopenEveryMs: REOPEN_EVERY_MS };
  }
  const stored = createWatchedCertificate(signing, { ...parts, library });
  // A thumbprint always names the same certificate; reading a store costs more than a file.
  const isFile = signing.source.type === "file";
  return { ...stored, reopenEveryMs: isFile ? FILES_REOPENED_EVERY_MS : REOPEN_EVERY_MS };
}

function selfSignedSigner(
  parts: FeedSigningOptions,
  signing: Mode<"SelfSigned">,
  { createSelfSigned }: Library,
): () => Promise<Signer> {
  return createSelfSigned(selfSignedOptions(parts, signing), (error) =>
    parts.log.warn({ err: error }, "could not renew the certificate or check it for changes"),
  );
}

/** Makes a new certificate of the host's own. */
export function rotateOwnCertificate(
  parts: FeedSigningOptions,
  signing: Mode<"SelfSigned">,
  { rotateSelfSigned }: Library,
): NonNullable<SigningTools["rotate"]> {
  return (how) => rotateSelfSigned(selfSignedOptions(parts, signing), how);
}

function selfSignedOptions(
  parts: FeedSigningOptions,
  signing: Mode<"SelfSigned">,
): repoSigning.SelfSignedOptions {
  const { complete, commonName, ...rest } = signing.subject;
  const { files, ledger, now } = parts;
  return {
    file: files.file(signing.certificatePath),
    next: files.file(`${signing.certificatePath}.next`),
    ledger,
    password: signing.password ?? parts.derivedPassword(),
    subject:
      complete === undefined ? { serverName: commonName, ...rest } : { subjectName: complete },
    keySize: signing.keySize,
    validityInDays: signing.validityInDays,
    hash: signing.hash,
    now,
    randomBytes,
  };
}

function openExtension(
  { extensions, log, now }: Pick<FeedSigningOptions, "extensions" | "log" | "now">,
  { name, values, named }: Mode<"Extension">,
): ReturnType<repoSigning.SigningMode["open"]> {
  const warn = (message: string) => log.warn({ mode: name }, message);
  return modeOf(extensions, name).open({ values, named, warn, now });
}

/** @throws TypeError when no extension brings it, which the settings rule out */
export function modeOf(
  extensions: FeedSigningOptions["extensions"],
  name: string,
): repoSigning.SigningMode {
  const modes = extensions.map((extension) => extension.signingModes?.[name]);
  const mode = modes.find((candidate) => candidate !== undefined);
  if (!mode) throw new TypeError(`no extension brings the signing mode ${name}`);
  return mode;
}

export async function certificateExists(
  files: SharedFiles,
  { certificatePath }: { readonly certificatePath: string },
): Promise<boolean> {
  return (await files.version(certificatePath)) !== undefined;
}
