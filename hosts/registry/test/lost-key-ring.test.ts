import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { spawnHost } from "../src/testing/index.ts";

const LOST = /The key ring .* held no key, so a new one was made\. .*restore the folder/;
const UNSET = /Host__DataProtection__KeyPath is not set, so the key ring is in/;

test("serve warns about a key ring that is lost and one that is not set", async () => {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-keys-"));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  // No NuGet certificate: npm's key is all that the key ring encrypts.
  const env = {
    ASPNETCORE_ENVIRONMENT: "Production",
    Host__TokenHashPepper: "3f9c1d7be25a48069ec4d2a17b60f5839c1d7be25a48069e",
    Signing__Mode: "",
    Feed__Npm__Enabled: "true",
  };
  {
    await using host = await spawnHost({ folder, env });
    expect(host.output()).toMatch(UNSET);
    expect(host.output()).not.toMatch(LOST);
    const rotated = await host.cli("npm", "keys", "rotate");
    expect(rotated.stderr + rotated.stdout).not.toMatch(LOST);
    expect(rotated.code).toBe(0);
  }
  const keys = join(folder, "dataprotection-keys");
  await rm(keys, { recursive: true });
  await using host = await spawnHost({
    folder,
    env: { ...env, Host__DataProtection__KeyPath: keys },
  });
  expect(host.output()).toMatch(LOST);
  expect(host.output()).not.toMatch(UNSET);
  await expectKeyError(() => host.output());
}, 120_000);

/** The first version that is published needs the key; without a stack, one line has the remedy. */
async function expectKeyError(output: () => string): Promise<void> {
  await vi.waitFor(() => expect(output()).toMatch(/"level":"error".*npm signatures/), 20_000);
  const line = output()
    .split("\n")
    .find((text) => text.includes("npm signatures"));
  expect(line).toContain("SigningKeyError");
  expect(line).not.toContain("stack");
}
