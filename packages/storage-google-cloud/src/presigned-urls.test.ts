import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { connectGoogle } from "./google-client.ts";
import { startGoogleStorage } from "./testing/google-storage-stand-in.ts";

const folder = await mkdtemp(join(tmpdir(), "google-account-"));
afterAll(() => rm(folder, { recursive: true }));

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { format: "pem", type: "spki" },
  privateKeyEncoding: { format: "pem", type: "pkcs8" },
});
const ACCOUNT = join(folder, "account.json");
await writeFile(
  ACCOUNT,
  JSON.stringify({
    type: "service_account",
    project_id: "acme",
    private_key: privateKey,
    client_email: "registry@acme.iam.gserviceaccount.com",
  }),
);

const HOUR_MS = 60 * 60 * 1000;

/** An address at the stand-in: only the host name of the signed one is replaced. */
async function signed(url: string, name: string, timeMs: number): Promise<string> {
  const client = await connectGoogle({
    bucket: "artifacts",
    credentialsPath: ACCOUNT,
    endpoint: url,
  });
  expect(await client.canSign()).toBe(true);
  return client.presign(name, new Date(Date.now() + timeMs));
}

test("a presigned URL gives access to its object, and to no other", async () => {
  await using service = await startGoogleStorage({ publicKey });
  for (const name of ["oci/@scope/x+y~1:2", "other"]) {
    const content = Buffer.from(name);
    service.state.put("artifacts", { name, chunks: [content], size: content.length, metadata: {} });
  }
  const url = await signed(service.url, "oci/@scope/x+y~1:2", HOUR_MS);
  const answer = await fetch(url);
  expect([answer.status, await answer.text()]).toEqual([200, "oci/@scope/x+y~1:2"]);
  const changed = url.replace(/artifacts\/[^?]+/, "artifacts/other");
  const other = await fetch(changed);
  expect(other.status).toBe(403);
  await other.body?.cancel();
});

test("a presigned URL ends at its time", async () => {
  await using service = await startGoogleStorage({ publicKey });
  const url = new URL(await signed(service.url, "x", 90_000));
  expect(Number(url.searchParams.get("X-Goog-Expires"))).toBeGreaterThan(80);
  expect(Number(url.searchParams.get("X-Goog-Expires"))).toBeLessThanOrEqual(90);
  url.searchParams.set("X-Goog-Expires", "604800");
  const answer = await fetch(url);
  expect(answer.status).toBe(403);
  await answer.body?.cancel();
});

test("credentials without a key have no presigned URLs", async () => {
  const path = join(folder, "user.json");
  const user = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
  await writeFile(path, JSON.stringify(user));
  const client = await connectGoogle({ bucket: "artifacts", credentialsPath: path });
  expect(await client.canSign()).toBe(false);
});

test.each([
  ["no.json", undefined, /no\.json cannot be read$/],
  ["text.json", "a secret text", /text\.json is not a JSON file with credentials/],
  ["list.json", '["a secret text"]', /list\.json is not a JSON file with credentials/],
])("the file of credentials %s is an error of its setting", async (name, text, words) => {
  const credentialsPath = join(folder, name);
  if (text !== undefined) await writeFile(credentialsPath, text);
  const opening = connectGoogle({ bucket: "artifacts", credentialsPath });
  await expect(opening).rejects.toMatchObject({
    key: "Storage__CredentialsPath",
    message: expect.stringMatching(words),
  });
  await expect(opening).rejects.not.toThrow("secret");
});
