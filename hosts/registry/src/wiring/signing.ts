import type { PackageContent, Sealer } from "@sealhouse/nuget-protocol";
import type * as repoSigning from "@sealhouse/repo-signing";
import type { Signer } from "@sealhouse/repo-signing";
import type { Config } from "../settings/config.ts";
import { signedPackages, signOnDemand } from "./on-demand-signing.ts";
import type { Job } from "@sealhouse/jobs";
import { createStateLog, signingWatchJob } from "./signing-state.ts";
import { checkOwnSubject, checkSigner, SigningSetupError } from "./signer-check.ts";
import { certificateExists, rotateOwnCertificate, signerOf, successorOf } from "./signers.ts";
import { timestampOf } from "./timestamps.ts";
import type { SigningTools, SigningParts, SigningOn } from "./signing-parts.ts";

/** Signing as the NuGet feed sees it: it decides at upload, and wraps what is served. */
export type Signing = AsyncDisposable & {
  readonly sealer: Sealer;
  signed(stored: PackageContent): PackageContent;
  /** Opens key and certificate where an operator brings them, and checks them.
   * @throws SigningSetupError */
  open(): Promise<void>;
  /** The same before the host listens: it fails only where a setting or a file has to be corrected.
   * Whatever else is in the way is in `state`, and is looked at again.
   * @throws SigningSetupError */
  start(): Promise<void>;
  /** Whether packages can be signed; undefined while nobody has looked, or signing is off. */
  state(): repoSigning.SignerState | undefined;
  /** Looks at it from time to time; undefined while signing is off. */
  readonly job: Job | undefined;
  /** Makes the host's own certificate when there is none yet. */
  prepare(): Promise<void>;
  /** For commands and jobs that look after certificates; undefined while signing is off. */
  tools(): Promise<SigningTools | undefined>;
};

/**
 * Nothing of the signing library is loaded before the first package asks for it, or `prepare`: the
 * host calls that once it listens, because making a certificate for the first time takes seconds.
 */
export function createSigning(parts: SigningParts): Signing {
  const { signing } = parts.config;
  if (signing.mode === "off") return SIGNING_OFF;
  const opened = new AsyncDisposableStack();
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    // A key service that was out once must not stay out until the next restart.
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
    sealer: {
      async seal(file, named) {
        const { id, version, origin = "Published" } = named;
        const from = origin === "Published" ? "published" : "mirrored";
        const outcome = await (await load()).sealer.seal(file, { id, version, origin: from });
        const trouble = troubleOf(outcome);
        if (trouble !== undefined) parts.log.warn({ id, version, status: outcome.status }, trouble);
        return outcome;
      },
    },
    signed: (stored) => signedPackages(stored, load),
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
      if (!(await certificateExists(parts, signing))) await (await watched()).look();
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

const SIGNING_OFF: Signing = {
  sealer: { seal: async () => ({ status: "unsealed" }) },
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

/** What an operator should know although, or because, the client was told. */
function troubleOf(outcome: repoSigning.SealOutcome): string | undefined {
  switch (outcome.status) {
    case "sealed":
    case "unsealed":
      return outcome.warning;
    // A failure is in the log once, for all pushes: see the state.
    case "failed":
    case "refused":
      return undefined;
  }
}

async function loadSigning(
  parts: SigningParts,
  signing: SigningOn,
  opened: AsyncDisposableStack,
): Promise<Loaded> {
  const library = await import("@sealhouse/repo-signing");
  const { config, database, now } = parts;
  const selfSigned = signing.mode === "SelfSigned";
  const signer = library.refuseRetired(signerOf(parts, signing, { library, opened }), {
    ledger: database.certificates,
    now,
  });
  const timestamp = timestampOf(parts, signing, library);
  const watch = library.createSignerWatch({
    signer,
    ledger: database.certificates,
    now,
    ...(timestamp?.onFailure === "fail" && {
      tryMore: async () => void (await timestamp.stamp(TRIAL)),
    }),
    onChange: createStateLog({ ...parts, failedPush: selfSigned ? "stored unsigned" : "refused" }),
  });
  const sealer = lookedAfter(
    library.createSealer({
      signer,
      ledger: database.certificates,
      serviceIndexUrl: `${secureBaseUrl(config).url}/v3/index.json`,
      policy: signing.policy,
      ...(timestamp && { timestamp }),
      onFailure: selfSigned ? "let-pass" : "fail",
      promisesAllSigned: signing.advertiseAllRepositorySigned,
      now,
    }),
    watch,
  );
  const sealOnDemand = signOnDemand(parts, sealer, library);
  return { library, signer, watch, sealer, sealOnDemand };
}

/** A failure, and a signature of another certificate or after a failure, is looked into at once. */
function lookedAfter(
  sealer: repoSigning.Sealer,
  watch: repoSigning.SignerWatch,
): repoSigning.Sealer {
  const after = (outcome: repoSigning.SealOutcome): repoSigning.SealOutcome => {
    if (hasNews(outcome, watch.state())) void watch.look({ thorough: outcome.status !== "sealed" });
    return outcome;
  };
  return {
    seal: async (file, named) => after(await sealer.seal(file, named)),
    sealOnDownload: async (file, named) => after(await sealer.sealOnDownload(file, named)),
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

/** Stamped, to see whether a time-stamp server answers. */
const TRIAL = Buffer.from("Sealhouse tries its time-stamp server.");
/** A start waits so long for a key service. */
const START_WAITS_MS = 10_000;

function withinStart(work: Promise<unknown>): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, START_WAITS_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

async function unlessPassing(error: unknown): Promise<void> {
  const { isMisconfigured } = await import("@sealhouse/repo-signing");
  if (!(error instanceof SigningSetupError) || isMisconfigured(error.cause)) throw error;
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
