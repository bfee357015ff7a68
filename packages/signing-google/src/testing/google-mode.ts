import { createPublicKey } from "node:crypto";
import type { SigningMode } from "@sealhouse/repo-signing";
import { issueTestCertificate, pemOf, testRootCertificate } from "@sealhouse/repo-signing/testing";
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

export type OpenedMode = {
  readonly opening: ReturnType<SigningMode["open"]>;
  readonly warnings: readonly string[];
};

/** Opens a mode as a host does; names are those in the section. */
export function openMode(
  mode: "GcpKms" | "GcpHsm",
  settings: Readonly<Record<string, string>>,
  options: {
    readonly callTimeoutMs?: number;
    readonly elsewhere?: Readonly<Record<string, string>>;
  } = {},
): OpenedMode {
  const { elsewhere = {}, ...rest } = options;
  const found = googleSigning(rest).signingModes[mode];
  if (!found) throw new RangeError(`no mode ${mode}`);
  const warnings: string[] = [];
  const named = Object.entries({ ...KEY_SETTINGS, ...settings });
  const fallbacks = Object.entries(found.settings).flatMap(([key, { fallback }]) =>
    fallback === undefined ? [] : [[key, fallback] as const],
  );
  const opening = found.open({
    values: Object.fromEntries([
      ...fallbacks,
      ...named.map(([name, value]) => [`Signing__${mode}__${name}`, value] as const),
    ]),
    named: (name) => elsewhere[name],
    warn: (message) => warnings.push(message),
    now: () => new Date(),
  });
  return { opening, warnings };
}
