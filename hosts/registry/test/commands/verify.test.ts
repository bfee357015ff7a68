import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runInProcess } from "../../src/testing/index.ts";

const vectors = new URL("../../../../vectors/nuget-signatures/", import.meta.url);
const vector = (name: string) => fileURLToPath(new URL(`packages/${name}.nupkg`, vectors));
const roots = fileURLToPath(new URL("certs/trust-all.pem", vectors));
const TRUST = ["--trust", roots, "--timestamp-trust", roots];

/** No folder of this PATH has an SDK, and no setting is there: files need none. */
function verify(...words: readonly string[]) {
  return runInProcess(["verify", ...words], { folder: "/", env: { PATH: "/nowhere" } });
}

async function verifyJson(...words: readonly string[]) {
  const { code, printed, stderr } = await verify("--json", ...words);
  return { code, stderr, reports: JSON.parse(printed) as Record<string, unknown>[] };
}

test("prints one line for a valid package, with its warnings", async () => {
  const outcome = await verify(vector("repo"), ...TRUST);
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toBe(
    "Trusted are the roots that were named.\n" +
      "Verified 1: 1 valid, 0 not. Warnings: NU3027 (1).",
  );
  const [first, ...others] = outcome.printed.split("\n");
  expect(first).toBe(
    `valid    ${vector("repo")}  Repository  ` +
      "CN=registry.test Repository, OU=Sign, O=Acme Registry, C=DE",
  );
  expect(others).toEqual([expect.stringMatching(/^ {2}warning NU3027: /)]);
});

test("ends with 1 and the reason when one of several packages is invalid", async () => {
  const files = ["repo", "repo-tampered", "author-counter-ts"].map(vector);
  const outcome = await verify(...files, ...TRUST);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain("Verified 3: 2 valid, 1 not.");
  expect(outcome.printed).toMatch(/INVALID .*repo-tampered\.nupkg .*\n {2}error NU3008: /);
  expect(outcome.printed).toMatch(/valid .*author-counter-ts.*timestamped 2026-11-20T.*counter/);
});

test("prints an array of all findings as JSON", async () => {
  const { code, reports, stderr } = await verifyJson(vector("author-counter-ts"), ...TRUST);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const manifest = JSON.parse(
    await readFile(new URL("manifest.json", vectors), "utf8"),
  ) as readonly { file: string; contentHash: string }[];
  const time = "2026-11-20T23:44:39.000Z";
  expect(reports).toEqual([
    {
      file: vector("author-counter-ts"),
      valid: true,
      signatureType: "Author",
      contentHash: manifest.find(({ file }) => file === "author-counter-ts.nupkg")?.contentHash,
      errors: [],
      warnings: [],
      signer: expect.objectContaining({ subject: "CN=Author, O=Acme", serviceIndex: null }),
      timestamp: { time, accuracyMs: 0, authority: "CN=TSA, O=Acme" },
      countersigner: expect.objectContaining({
        serviceIndex: "https://registry.test/v3/index.json",
        owners: ["alice"],
        timestamp: { time, accuracyMs: 0, authority: "CN=TSA, O=Acme" },
      }),
    },
  ]);
});

test("--trust covers timestamps unless --timestamp-trust is given", async () => {
  const covered = await verify(vector("repo-ts"), "--trust", roots);
  expect(covered).toMatchObject({ code: 0 });
  const other = fileURLToPath(new URL("certs/oroot.crt", vectors));
  const separate = await verify(vector("repo-ts"), "--trust", roots, "--timestamp-trust", other);
  expect(separate.code).toBe(1);
  expect(separate.printed).toContain("error NU3028: ");
  expect(separate.printed).not.toContain("error NU3018: ");
});

test("without roots an unknown root is an error, and the message names the option", async () => {
  const { code, printed, stderr } = await verify(vector("repo-ts"));
  expect(code).toBe(1);
  expect(stderr).toContain("name some with --trust");
  expect(printed).toContain("error NU3018: ");
  expect(printed).toContain("error NU3028: ");
});

test.each([
  ["unsigned", "none", ["NU3004"]],
  ["repo-nourl", null, ["NU3000"]],
  ["c-ec", "Repository", ["NU3013", "NU3014"]],
  ["gap", null, ["NOT_A_PACKAGE"]],
])("%s is %s and has the errors %j", async (name, signatureType, codes) => {
  const { code, reports } = await verifyJson(vector(name), ...TRUST);
  expect(code).toBe(1);
  expect(reports).toEqual([
    expect.objectContaining({
      valid: false,
      signatureType,
      errors: codes.map((errorCode) => ({
        code: errorCode,
        message: expect.any(String) as string,
      })),
    }),
  ]);
});

test("a file that is not there is a finding, not the end", async () => {
  const { code, reports } = await verifyJson("/nowhere/a.nupkg", vector("repo"), ...TRUST);
  expect(code).toBe(1);
  expect(reports.map(({ valid }) => valid)).toEqual([false, true]);
  expect(reports[0]).toMatchObject({ errors: [{ code: "UNREADABLE" }], contentHash: null });
});

test.each([
  [[], /Name package files/],
  [["--all", "a.nupkg"], /Name package files/],
  [["--everything"], /unknown option/],
  [[vector("repo"), "--trust", "/nowhere/roots.pem"], /roots\.pem: It cannot be read \(ENOENT\)/],
  [[vector("repo"), "--trust", vector("repo")], /repo\.nupkg: The certificate cannot be read/],
])("the words %j make no sense and end with 2", async (words, message) => {
  const { code, stderr } = await verify(...words);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
