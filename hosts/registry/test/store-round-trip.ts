import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";

const MIB = 1024 * 1024;

/** Settings of a host of a round trip, apart from its storage. */
export const ROUND_TRIP_SETTINGS = {
  Feed__Oci__Default__Enabled: "true",
  Feed__Authentication__AllowAnonymousPull: "true",
};

/**
 * Publishes a NuGet package, an npm package and an image with a layer of 20 MiB, reads them back,
 * and expects that the health and the check of the storage find no fault.
 */
export async function expectRoundTrip(host: TestHost): Promise<void> {
  const token = await host.makeToken({ scopes: "read,write" });
  const artifacts = [
    nugetArtifact("Acme.Stored", randomBytes(MIB)),
    npmArtifact("acme-stored", randomBytes(MIB)),
    ociArtifact("acme/stored", randomBytes(20 * MIB)),
  ];
  for (const artifact of artifacts) {
    expect(await artifact.push(host, token), artifact.name).toBe(true);
    expect(await artifact.check(host), artifact.name).toBe("whole");
  }
  expect((await host.fetch("/health")).status).toBe(200);
  const check = await host.cli("check", "--scrub");
  expect(check.stdout).toBe("");
  expect(check.code, check.stderr).toBe(0);
  expect(check.stderr).toContain("0 damaged");
}
