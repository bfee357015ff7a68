import { join } from "node:path";
import { runReadmeExample } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { certificateOf, KEY_SETTINGS, openStandIn, testVersion } from "./testing/index.ts";

test("the README's example signs a package", async () => {
  const version = testVersion();
  await using kms = await openStandIn({ versions: [version] });
  const settings = Object.entries({
    ...KEY_SETTINGS,
    ...kms.settings,
    CertificatePath: "feed.pem",
  }).map(([key, text]) => [`Signing__GcpKms__${key}`, text]);
  const output = await runReadmeExample(join(import.meta.dirname, ".."), {
    env: Object.fromEntries(settings),
    files: { "feed.pem": await certificateOf(version) },
  });
  expect(output).toBe("sealed\n");
});
