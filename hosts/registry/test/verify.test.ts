import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startHost } from "../src/testing/index.ts";
import type { CliResult, TestHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";

type Report = {
  readonly file: string;
  readonly valid: boolean;
  readonly signatureType: string | null;
  readonly contentHash: string | null;
  readonly errors: readonly { readonly code: string }[];
  readonly warnings: readonly { readonly code: string }[];
};

const large = Buffer.alloc(700_000, "0123456789");
const pushed = new Map(
  ["Acme.One", "Acme.Two", "Acme.Three"].map((id) => [
    id,
    buildNupkg({ id, version: "1.0.0-RC", files: { "lib/net8.0/a.bin": large } }),
  ]),
);

let folder: Awaited<ReturnType<typeof openFolder>> | undefined;
let host: TestHost | undefined;

beforeAll(async () => {
  folder = await openFolder();
  host = await startHost({ folder: folder.path });
  const key = await host.makeToken({ scopes: "write" });
  for (const body of pushed.values()) {
    const headers = { "x-nuget-apikey": key };
    const answer = await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
    expect(answer.status).toBe(201);
  }
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function cli(...words: readonly string[]): Promise<CliResult> {
  if (!host) throw new Error("the host did not start");
  return host.cli("verify", ...words);
}

async function verifyAll(): Promise<{ code: number; reports: readonly Report[] }> {
  const { code, stdout } = await cli("--all", "--json");
  return { code, reports: JSON.parse(stdout) as Report[] };
}

/** The stored file of a package: the store names it by its digest. */
async function storedFile(id: string): Promise<string> {
  const bytes = pushed.get(id) ?? Buffer.of();
  const digest = createHash("sha256").update(bytes).digest("hex");
  const files = await readdir(folder?.path ?? "", { recursive: true });
  const storedPath = files.find((file) => file.includes(digest));
  if (storedPath === undefined) throw new Error(`${id} is not in the store`);
  return join(folder?.path ?? "", storedPath);
}

test("verifies all stored packages while the host runs, with the trust of the feed", async () => {
  const { code, reports } = await verifyAll();
  expect(code).toBe(0);
  const names = ["acme.one", "acme.three", "acme.two"].map((id) => `${id}.1.0.0-rc.nupkg`);
  expect(reports.map(({ file }) => file)).toEqual(names);
  for (const report of reports) {
    expect(report).toMatchObject({ valid: true, signatureType: "Repository", errors: [] });
    expect(report.warnings.map((warning) => warning.code)).toEqual(["NU3027"]);
  }
  const [bytes] = pushed.values();
  const contentHash = createHash("sha512")
    .update(bytes ?? Buffer.of())
    .digest("base64");
  expect(reports[0]?.contentHash).toBe(contentHash);
});

test("takes one version by id and version, in any casing", async () => {
  const result = await cli("ACME.Two", "1.0-rc");
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(/^valid {4}acme\.two\.1\.0\.0-rc\.nupkg {2}Repository {2}CN=/);
  const absent = await cli("Acme.Two", "9.9.9");
  expect(absent).toMatchObject({ code: 1, stdout: "" });
  expect(absent.stderr).toContain("There is no Acme.Two 9.9.9.");
});

test("trusts only the named roots", async () => {
  const sdkRoots = new URL(
    "../../../vectors/nuget-signatures/certs/trust-all.pem",
    import.meta.url,
  );
  const result = await cli("Acme.One", "1.0.0-rc", "--trust", sdkRoots.pathname);
  expect(result.code).toBe(1);
  expect(result.stdout).toContain("error NU3018: ");
});

test("finds one changed byte in the store", async () => {
  const path = await storedFile("Acme.Two");
  const bytes = await readFile(path);
  bytes[200_000 % bytes.length] = (bytes[200_000 % bytes.length] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const { code, reports } = await verifyAll();
  expect(code).toBe(1);
  const [bad, ...others] = reports.filter(({ valid }) => !valid);
  expect(others).toEqual([]);
  expect(bad?.file).toBe("acme.two.1.0.0-rc.nupkg");
  const codes = new Set(bad?.errors.map(({ code: errorCode }) => errorCode));
  expect([...codes]).toEqual(["DIGEST_MISMATCH", "NU3008"]);
  const text = await cli("--all");
  expect(text.code).toBe(1);
  expect(text.stdout).toMatch(/^INVALID {2}acme\.two.*\n {2}error DIGEST_MISMATCH: /m);
  expect(text.stderr).toContain("Verified 3: 2 valid, 1 not.");
});

test("finds a truncated or lost file, and verifies the rest", async () => {
  const cut = await storedFile("Acme.One");
  await writeFile(cut, (await readFile(cut)).subarray(0, -30));
  await rm(await storedFile("Acme.Three"));
  const { code, reports } = await verifyAll();
  expect(code).toBe(1);
  const errors = Object.fromEntries(
    reports.map((report) => [report.file, report.errors.map((error) => error.code)]),
  );
  expect(errors).toMatchObject({
    "acme.one.1.0.0-rc.nupkg": expect.arrayContaining(["DIGEST_MISMATCH", "NOT_A_PACKAGE"]),
    "acme.three.1.0.0-rc.nupkg": ["BYTES_MISSING"],
  });
});

test("a feed that does not sign has nothing to say about unsigned versions", async () => {
  await using other = await openFolder();
  const env = { Signing__Mode: "" };
  {
    await using unsigned = await startHost({ folder: other.path, env });
    const headers = { "x-nuget-apikey": await unsigned.makeToken({ scopes: "write" }) };
    const body = pushed.get("Acme.One") ?? null;
    await unsigned.fetch("/api/v2/package/", { method: "PUT", headers, body });
  }
  const plain = await runCli(["verify", "--all", "--json"], { folder: other.path, env });
  expect(JSON.parse(plain.stdout)).toMatchObject([
    { valid: true, signatureType: "none", errors: [], warnings: [] },
  ]);
  const signing = await runCli(["verify", "--all", "--json"], { folder: other.path });
  expect(JSON.parse(signing.stdout)).toMatchObject([
    { valid: true, warnings: [{ code: "NU3004" }] },
  ]);
});
