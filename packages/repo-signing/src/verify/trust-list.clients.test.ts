import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SigningError } from "../errors.ts";
import { author, authority, repository } from "../testing/forged-identities.ts";
import { pemOf } from "../testing/test-signer.ts";
import { clientTrust, readTrustList } from "./trust-list.ts";

const folder = await mkdtemp(join(tmpdir(), "sealhouse-trust-"));
afterAll(() => rm(folder, { recursive: true }));

const der = { author: author.certificate.der, time: authority.certificate.der };
const system = join(folder, "bundle.pem");

async function installSdk(version: string, code: Uint8Array): Promise<void> {
  const lists = join(folder, "sdk", version, "trustedroots");
  await mkdir(lists, { recursive: true });
  await writeFile(join(lists, "codesignctl.pem"), `# roots\n${pemOf(code)}`);
  await writeFile(join(lists, "timestampctl.pem"), pemOf(der.time));
}

test("a list is PEM with anything around it, or one certificate", () => {
  const pem = `A heading\n${pemOf(der.author)}between\n${pemOf(der.time)}`;
  expect(readTrustList(Buffer.from(pem)).map((bytes) => Buffer.from(bytes))).toEqual([
    Buffer.from(der.author),
    Buffer.from(der.time),
  ]);
  expect(readTrustList(der.author)).toEqual([der.author]);
});

test.each([
  ["nothing", ""],
  ["something else", "PK and more"],
  ["a second one that is broken", pemOf(der.author) + pemOf(der.time.subarray(0, 90))],
])("a list of %s is refused", (_what, text) => {
  expect(() => readTrustList(Buffer.from(text))).toThrow(SigningError);
});

test("the newest SDK's lists count, and the system's for signatures if it has one", async () => {
  const path = ["/nowhere", "", folder].join(delimiter);
  expect(await clientTrust(path, system)).toBeUndefined();
  await writeFile(join(folder, "dotnet"), "");
  await chmod(join(folder, "dotnet"), 0o755);
  expect(await clientTrust(path, system)).toBeUndefined();
  await installSdk("9.0.300", repository.certificate.der);
  await installSdk("10.0.100", der.author);
  const own = await clientTrust(path, system);
  expect(own?.roots.map((root) => Buffer.from(root))).toEqual([Buffer.from(der.author)]);
  expect(own?.files[0]).toContain(join("10.0.100", "trustedroots", "codesignctl.pem"));
  await writeFile(system, "");
  expect((await clientTrust(path, system))?.files).toEqual(own?.files);
  await writeFile(system, pemOf(repository.certificate.der));
  const bundled = await clientTrust(path, system);
  expect(bundled?.files).toEqual([system, own?.files[1]]);
  expect(bundled?.timestampRoots).toHaveLength(1);
});
