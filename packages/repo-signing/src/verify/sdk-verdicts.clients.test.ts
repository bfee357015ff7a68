import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFileBytes } from "../archive/open-package-bytes.ts";
import { packageBytesOf } from "../archive/package-bytes.ts";
import type { ForgedCase } from "../testing/forged-case.ts";
import { forgedCases, forgedFile } from "../testing/signature-seeds.ts";
import { forgedRoots } from "../testing/forged-identities.ts";
import type { SdkVerdict } from "../testing/sdk-verdicts.ts";
import { sdkVerdicts } from "../testing/sdk-verdicts.ts";
import { pemOf } from "../testing/test-signer.ts";
import { hasSdk, installedSdk, trustingSdk } from "../testing/trusting-sdk.ts";
import { clientTrust, readTrustList } from "./trust-list.ts";
import { verifyPackage } from "./verify-package.ts";

const isInstalled = await hasSdk("no real client was asked for its verdicts");

const vectors = new URL("../../../../vectors/nuget-signatures/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", vectors), "utf8")) as {
  readonly file: string;
}[];
const pem = readFileSync(new URL("certs/trust-all.pem", vectors));
const roots = [...readTrustList(pem), ...forgedRoots];

const REAL_PACKAGES_MAX = 5;
const NO_CODE = "it ends with an error that has no code before it verifies";

/** Differences between the SDK and NuGet's verification code, with the reason. */
const SDK_DIFFERS: ReadonlyMap<string, NonNullable<ForgedCase["sdk"]>> = new Map([
  ["repo-utf8flag.nupkg", { codes: [], why: NO_CODE }],
  ["two-sigfiles.nupkg", { codes: [], why: NO_CODE }],
  ...forgedCases.flatMap(({ name, sdk }) => (sdk ? [[name, sdk] as const] : [])),
]);

type VerdictCase = { readonly name: string; readonly path: string };

const listedVerdicts = new Map<string, SdkVerdict>();
let folder = "";
const cases: readonly VerdictCase[] = [
  ...manifest.map(({ file }) => ({
    name: file,
    path: fileURLToPath(new URL(`packages/${file}`, vectors)),
  })),
  ...forgedCases.map(({ name }, index) => ({ name, path: `forged-${index}.nupkg` })),
];

beforeAll(async () => {
  if (!isInstalled) return;
  folder = await mkdtemp(join(tmpdir(), "sealhouse-sdk-"));
  await Promise.all(
    forgedCases.map((forgedCase, index) =>
      writeFile(join(folder, `forged-${index}.nupkg`), forgedFile(forgedCase)),
    ),
  );
  const trusted = [pem.toString("utf8"), ...forgedRoots.map(pemOf)];
  const lists = { codeSigning: trusted, timestamping: trusted };
  const sdk = await trustingSdk(lists, join(folder, "dotnet"));
  const paths = cases.map(({ path }) => join(path.startsWith("/") ? "/" : folder, path));
  const verdicts = await sdkVerdicts(sdk, paths);
  for (const [index, verdict] of verdicts.entries()) {
    listedVerdicts.set(cases[index]?.name ?? "", verdict);
  }
}, 180_000);

afterAll(async () => {
  if (folder !== "") await rm(folder, { recursive: true, force: true });
});

test.skipIf(!isInstalled).each(cases)(
  "the SDK has our verdict on $name",
  async ({ name, path }) => {
    const verdict = listedVerdicts.get(name);
    const bytes = readFileSync(path.startsWith("/") ? path : join(folder, path));
    const ours = await verifyPackage(packageBytesOf(bytes), {
      roots,
      timestampRoots: roots,
      now: new Date(),
    });
    const codes = ours.issues.map(
      ({ level, code }) => `${level === "error" ? "Error" : "Warning"} ${code}`,
    );
    const differs = SDK_DIFFERS.get(name);
    expect({ codes: verdict?.codes, valid: verdict?.valid }, verdict?.output).toEqual({
      codes: differs?.codes ?? [...new Set(codes)].toSorted(),
      valid: differs?.valid ?? ours.valid,
    });
    const { contentHash, signatureType } = verdict ?? {};
    if (contentHash !== undefined) expect(ours.contentHash).toBe(contentHash);
    if (signatureType !== undefined) expect(ours.signatureType).toBe(signatureType);
  },
);

test.skipIf(!isInstalled)(
  "packages of the SDK are valid by its lists, with their real timestamps",
  async () => {
    const installed = (await installedSdk()) ?? "";
    const trust = await clientTrust(installed);
    if (!trust) throw new Error("the SDK has no lists");
    const files = (await readdir(installed, { recursive: true }))
      .filter((file) => file.endsWith(".nupkg"))
      .slice(0, REAL_PACKAGES_MAX);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      await using source = await packageFileBytes(join(installed, file));
      const packageVerification = await verifyPackage(source, { ...trust, now: new Date() });
      expect(packageVerification).toMatchObject({
        valid: true,
        signatureType: "Author",
        issues: [],
      });
      expect(packageVerification.signer?.timestamps).toHaveLength(1);
    }
  },
);
