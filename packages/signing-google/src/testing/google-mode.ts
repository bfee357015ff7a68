import { createPublicKey } from "node:crypto";
import type { SigningMode } from "@sealhouse/repo-signing";
import {
  issueTestCertificate,
  pemOf,
  testModeContext,
  testRootCertificate,
} from "@sealhouse/repo-signing/testing";
import type { TestModeContext } from "@sealhouse/repo-signing/testing";
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
): { readonly mode: SigningMode; readonly context: TestModeContext } {
  const { elsewhere = {}, ...rest } = options;
  const mode = googleSigning(rest).signingModes[name];
  if (!mode) throw new RangeError(`no mode ${name}`);
  const own = Object.entries({ ...KEY_SETTINGS, ...settings }).map(
    ([key, value]) => [`Signing__${name}__${key}`, value] as const,
  );
  return { mode, context: testModeContext(mode, Object.fromEntries(own), elsewhere) };
}

/** Opens a mode as a host does. */
export function openMode(...how: Parameters<typeof modeWith>): {
  readonly opening: ReturnType<SigningMode["open"]>;
  readonly warnings: readonly string[];
} {
  const { mode, context } = modeWith(...how);
  return { opening: mode.open(context), warnings: context.warnings };
}
