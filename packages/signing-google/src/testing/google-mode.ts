import { createHash, createPublicKey } from "node:crypto";
import { packageBytesOf, signPackage, spliced } from "@sealhouse/repo-signing";
import type { ModeContext, Signer, SigningMode } from "@sealhouse/repo-signing";
import {
  buildTestPackage,
  bytesOf,
  issueTestCertificate,
  pemOf,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import { googleSigning } from "../google-signing.ts";
import type { GoogleKmsStandIn, StandInOptions } from "./google-kms-stand-in.ts";
import { openGoogleKmsStandIn } from "./google-kms-stand-in.ts";
import type { TestVersion } from "./kms-answers.ts";
import { testVersion } from "./kms-answers.ts";

/** The settings that name the key of the stand-in, without their section. */
export const KEY_SETTINGS = {
  ProjectId: "acme",
  Location: "europe-west1",
  KeyRing: "feeds",
  KeyName: "nuget",
} as const;

/** The instance of the stand-in, where it has one. */
export const TEST_INSTANCE =
  "projects/acme/locations/europe-west1/singleTenantHsmInstances/vault-1";

/** PEM of a certificate from the test root for the key of a version, and of the root. */
export async function certificateOf({ key }: TestVersion): Promise<string> {
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const certificate = await issueTestCertificate({ publicKey });
  return pemOf(certificate) + pemOf(await testRootCertificate());
}

/** A stand-in with one version, or those given. */
export async function openStandIn(
  options: Partial<Omit<StandInOptions, "versions">> & {
    readonly versions?: readonly TestVersion[];
  } = {},
): Promise<GoogleKmsStandIn> {
  const { transport = "grpc", versions = [testVersion()], tls } = options;
  return openGoogleKmsStandIn({
    transport,
    versions: versions.map((version, index) => [index + 1, version] as const),
    ...(tls && { tls }),
  });
}

type Settings = Readonly<Record<string, string>>;

/** A mode and what a host would open it with; names are those in the section. */
export function modeWith(
  name: "GcpKms" | "GcpHsm",
  settings: Settings,
  options: { readonly callTimeoutMs?: number; readonly elsewhere?: Settings } = {},
): {
  readonly mode: SigningMode;
  readonly context: ModeContext;
  readonly warnings: readonly string[];
} {
  const { elsewhere = {}, ...rest } = options;
  const mode = googleSigning(rest).signingModes[name];
  if (!mode) throw new RangeError(`no mode ${name}`);
  const warnings: string[] = [];
  const fallbacks = Object.entries(mode.settings).flatMap(([key, { fallback }]) =>
    fallback === undefined ? [] : [[key, fallback] as const],
  );
  const own = Object.entries({ ...KEY_SETTINGS, ...settings }).map(
    ([key, value]) => [`Signing__${name}__${key}`, value] as const,
  );
  const context: ModeContext = {
    values: Object.fromEntries([...fallbacks, ...own]),
    named: (key) => elsewhere[key],
    warn: (message) => warnings.push(message),
    now: () => new Date(),
  };
  return { mode, context, warnings };
}

/** Opens a mode as a host does. */
export function openMode(...how: Parameters<typeof modeWith>): {
  readonly opening: ReturnType<SigningMode["open"]>;
  readonly warnings: readonly string[];
} {
  const { mode, context, warnings } = modeWith(...how);
  return { opening: mode.open(context), warnings };
}

/** A package of its own, signed as a feed signs what is pushed. */
export async function signedPackage(signer: Signer): Promise<Buffer> {
  const bytes = buildTestPackage("Acme.Kms", "1.0.0");
  const file = packageBytesOf(bytes);
  const outcome = await signPackage({
    file,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    signer,
    serviceIndexUrl: "https://feed.example/v3/index.json",
    now: new Date(),
    policy: "ReSign",
    moment: "upload",
  });
  if (outcome.status !== "sealed") throw new Error(JSON.stringify(outcome));
  return bytesOf(spliced(file, outcome.plan));
}
