import { randomBytes } from "node:crypto";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { Job } from "@sealhouse/jobs";
import type * as repoSigning from "../index.ts";
import type { HashedBytes, Named, Signer } from "../index.ts";
import { signOnDemand } from "./on-demand-signing.ts";
import { createStateLog, signingWatchJob } from "./signing-state.ts";
import { checkOwnSubject, checkSigner, SigningSetupError } from "./signer-check.ts";
import { certificateExists, rotateOwnCertificate, signerOf, successorOf } from "./signers.ts";
import type { FeedSigningOptions, SigningOn, SigningTools } from "./feed-options.ts";

/** Opens stored packages. */
type Content<Found> = {
  open(sealablePackage: Found, signal?: AbortSignal): Promise<repoSigning.ServedFile>;
};

/** Origin of a package in the feed. */
export type PackageOrigin = "Published" | "Mirrored" | "Cached";

/** The signing of a feed: it signs packages when they are pushed or first served. */
export type FeedSigning = AsyncDisposable & {
  /** Whether packages get signatures. */
  readonly isEnabled: boolean;
  /** Whether stored packages are signed again after a change of the certificate. */
  readonly resignsAfterRotation: boolean;
  /** Signs a pushed package; "unsealed" while signing is off. */
  seal(
    file: HashedBytes & { readonly sha256: string },
    identity: Named & {
      readonly origin?: PackageOrigin | undefined;
      /** Names of the owners, when they are known. */
      readonly owners?: readonly string[] | undefined;
    },
  ): Promise<repoSigning.SealOutcome>;
  /** Wraps stored packages so that they are served signed. */
  signed<Stored extends repoSigning.SealablePackage>(stored: Content<Stored>): Content<Stored>;
  /** Opens and checks key and certificate of an operator.
   * @throws SigningSetupError */
  open(): Promise<void>;
  /** Does the same before a host listens. It fails only for errors in settings or files; `state`
   * has the others, and they are checked again.
   * @throws SigningSetupError */
  start(): Promise<void>;
  /** Whether packages can be signed; undefined before the first check and while signing is off. */
  state(): repoSigning.SignerState | undefined;
  /** Checks the certificate every minute; undefined while signing is off. */
  readonly job: Job | undefined;
  /** Creates the self-signed certificate if it does not exist. */
  prepare(): Promise<void>;
  /** Undefined while signing is off. */
  tools(): Promise<SigningTools | undefined>;
};

/**
 * Opens the signing of a feed. The signing code is loaded by the first package or by `prepare`,
 * which a host calls after it listens: creating a certificate takes seconds.
 */
export function createFeedSigning(parts: FeedSigningOptions): FeedSigning {
  const { signing } = parts;
  if (signing.mode === "off") return SIGNING_OFF;
  const opened = new AsyncDisposableStack();
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    // The next package tries a failed key service again.
    loading ??= loadSigning(parts, signing, opened).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  let watch: repoSigning.SignerWatch | undefined;
  const watched = async () => (watch = (await load()).watch);
  const check = () => checkSigner(parts, signing, async () => (await load()).signer());
  return {
    isEnabled: true,
    resignsAfterRotation: signing.resignAfterRotation,
    async seal(file, pushedPackage) {
      const { id, version, origin = "Published", owners } = pushedPackage;
      const from = origin === "Published" ? "published" : "mirrored";
      const arrived = { id, version, origin: from, owners } as const;
      const outcome = await (await load()).sealer.seal(file, arrived);
      const warning = warningOf(outcome);
      if (warning !== undefined) parts.log.warn({ id, version, status: outcome.status }, warning);
      return outcome;
    },
    signed: (stored) => ({
      async open(storedPackage, signal) {
        const { library, sealOnDemand } = await load();
        return library.signedContent(stored, sealOnDemand).open(storedPackage, signal);
      },
    }),
    async open() {
      await (signing.mode === "SelfSigned" ? checkOwnSubject(signing) : check());
    },
    async start() {
      if (signing.mode === "SelfSigned") return checkOwnSubject(signing);
      const look = async () => void (await (await watched()).look());
      await withinStart(check().catch(unlessPassing).then(look));
    },
    state: () => watch?.state(),
    job: signingWatchJob(watched, parts.now),
    async prepare() {
      if (signing.mode !== "SelfSigned") return;
      if (!(await certificateExists(parts.files, signing))) await (await watched()).look();
    },
    async tools() {
      const { signer, sealer, library } = await load();
      const rotate =
        signing.mode === "SelfSigned" ? rotateOwnCertificate(parts, signing, library) : undefined;
      return { signer, sealer, rotate, successor: successorOf(parts, signing, library) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const SIGNING_OFF: FeedSigning = {
  isEnabled: false,
  resignsAfterRotation: false,
  seal: async () => ({ status: "unsealed" }),
  signed: (stored) => stored,
  open: async () => undefined,
  start: async () => undefined,
  state: () => undefined,
  job: undefined,
  prepare: async () => undefined,
  tools: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

type Library = typeof repoSigning;
type Loaded = {
  readonly library: Library;
  readonly watch: repoSigning.SignerWatch;
  readonly signer: () => Promise<Signer>;
  readonly sealer: repoSigning.Sealer;
  readonly sealOnDemand: ReturnType<Library["createOnDemandSealing"]>;
};

/** A warning about a signature, for the log. */
function warningOf(outcome: repoSigning.SealOutcome): string | undefined {
  switch (outcome.status) {
    case "sealed":
    case "unsealed":
      return outcome.warning;
    // The state log has failures, once for all pushes.
    case "failed":
    case "refused":
      return undefined;
  }
}

async function loadSigning(
  parts: FeedSigningOptions,
  signing: SigningOn,
  opened: AsyncDisposableStack,
): Promise<Loaded> {
  const library = await import("../index.ts");
  const { ledger, now } = parts;
  const selfSigned = signing.mode === "SelfSigned";
  const signer = library.refuseRetired(signerOf(parts, signing, { library, opened }), {
    ledger,
    now,
  });
  const timestamp = timestampOf(parts, signing, library);
  const watch = library.createSignerWatch({
    signer,
    ledger,
    now,
    ...(timestamp?.onFailure === "fail" && {
      tryMore: async () => void (await timestamp.stamp(TRIAL)),
    }),
    onChange: createStateLog({ ...parts, failedPush: selfSigned ? "stored unsigned" : "refused" }),
  });
  const watched = watchedSealer(
    library.createSealer({
      signer,
      ledger,
      serviceIndexUrl: parts.serviceIndexUrl,
      policy: signing.policy,
      ...(timestamp && { timestamp }),
      onFailure: selfSigned ? "let-pass" : "fail",
      promisesAllSigned: signing.advertiseAllRepositorySigned,
      ...(parts.noteKept && { noteKept: parts.noteKept }),
      now,
    }),
    watch,
  );
  const sealer = withOwners(mirrorAware(watched, parts.mirrorSignatures), parts.ownersOf);
  const sealOnDemand = signOnDemand(parts, sealer, library);
  return { library, signer, watch, sealer, sealOnDemand };
}

/** Treats the signatures of package sources as their policies say. */
function mirrorAware(
  sealer: repoSigning.Sealer,
  mirrorSignatures: FeedSigningOptions["mirrorSignatures"],
): repoSigning.Sealer {
  if (!mirrorSignatures) return sealer;
  const withPolicy = async <Sealed extends repoSigning.StoredIdentity>(sealed: Sealed) => ({
    ...sealed,
    mirror: await mirrorSignatures(sealed.id),
  });
  return {
    seal: async (file, pushed) => sealer.seal(file, await withPolicy(pushed)),
    sealOnDownload: async (file, stored) => sealer.sealOnDownload(file, await withPolicy(stored)),
  };
}

/** States the owners of packages in their signatures. */
function withOwners(
  sealer: repoSigning.Sealer,
  ownersOf: FeedSigningOptions["ownersOf"],
): repoSigning.Sealer {
  if (!ownersOf) return sealer;
  const stated = async <Sealed extends repoSigning.StoredIdentity>(sealed: Sealed) => ({
    ...sealed,
    owners: sealed.owners ?? (await ownersOf(sealed.id)),
  });
  return {
    seal: async (file, pushed) => sealer.seal(file, await stated(pushed)),
    sealOnDownload: async (file, stored) => sealer.sealOnDownload(file, await stated(stored)),
  };
}

/** Checks the signer at once after a failure and after a signature with another certificate. */
function watchedSealer(
  sealer: repoSigning.Sealer,
  watch: repoSigning.SignerWatch,
): repoSigning.Sealer {
  const after = (outcome: repoSigning.SealOutcome): repoSigning.SealOutcome => {
    if (hasNews(outcome, watch.state())) void watch.look({ thorough: outcome.status !== "sealed" });
    return outcome;
  };
  return {
    seal: async (file, pushedPackage) => after(await sealer.seal(file, pushedPackage)),
    sealOnDownload: async (file, storedPackage) =>
      after(await sealer.sealOnDownload(file, storedPackage)),
  };
}

function hasNews(
  outcome: repoSigning.SealOutcome,
  state: repoSigning.SignerState | undefined,
): boolean {
  const isReady = state?.status === "ready";
  if (outcome.status === "sealed") {
    return !isReady || state.certificate.fingerprint !== outcome.seal.fingerprint;
  }
  const hasFailed = outcome.status === "failed" || outcome.status === "unsealed";
  return hasFailed && (outcome.status === "failed" || outcome.because === "failure");
}

/** Data for a trial timestamp. */
const TRIAL = Buffer.from("Sealhouse tries its timestamp server.");
/** Time that a start waits for a key service. */
const START_WAITS_MS = 10_000;

function withinStart(work: Promise<unknown>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, START_WAITS_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

async function unlessPassing(error: unknown): Promise<void> {
  const { isMisconfigured } = await import("../index.ts");
  if (!(error instanceof SigningSetupError) || isMisconfigured(error.cause)) throw error;
}

/** Undefined = signatures get no timestamps. */
export function timestampOf(
  { fetch, now }: Pick<FeedSigningOptions, "fetch" | "now">,
  { mode, timestamps }: Pick<SigningOn, "mode" | "timestamps">,
  { createTimestamper, stampInOrder }: typeof repoSigning,
): repoSigning.SealerOptions["timestamp"] {
  if (timestamps.servers.length === 0) return undefined;
  const servers = timestamps.servers.map((url) =>
    createTimestamper({ url, fetch, randomBytes, now }),
  );
  const usual = mode === "SelfSigned" ? "SignWithoutTimestamp" : "Fail";
  const policy = timestamps.failurePolicy ?? usual;
  return {
    stamp: stampInOrder(servers),
    onFailure: policy === "Fail" ? "fail" : "sign-without",
  };
}
