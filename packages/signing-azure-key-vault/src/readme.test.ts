import { join } from "node:path";
import { pemOf, runReadmeExample, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { openVaultWithCertificate, settingsFor } from "./testing/index.ts";

test("the README's example signs a package", async () => {
  await using vault = await openVaultWithCertificate();
  const output = await runReadmeExample(join(import.meta.dirname, ".."), {
    env: { ...settingsFor(vault), NODE_EXTRA_CA_CERTS: "root.pem" },
    files: { "root.pem": pemOf(await testRootCertificate()) },
  });
  expect(output).toBe("sealed\n");
});
