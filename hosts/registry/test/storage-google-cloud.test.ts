import { afterAll, expect, test } from "vitest";
import { startGoogleStorage } from "../../../packages/storage-google-cloud/src/testing/index.ts";
import { isExtended, runCli, spawnHost } from "../src/testing/index.ts";
import { openFolder } from "./clients/client.ts";
import { parseIni, readManual, textsOf } from "./manual-page.ts";
import { expectRoundTrip, ROUND_TRIP_SETTINGS } from "./store-round-trip.ts";

const PAGE = await readManual("../../../docs/storage/google-cloud.md");
const service = await startGoogleStorage();
afterAll(() => service[Symbol.asyncDispose]());

/** The settings of a block of the page, without credentials, for a bucket of the stand-in. */
function settingsOf(block: string): Readonly<Record<string, string>> {
  service.state.buckets.set("acme-registry", new Map());
  const { Storage__CredentialsPath: _, ...settings } = parseIni(
    textsOf(PAGE, `ini ${block}`).join(""),
  );
  const { ConnectionStrings__Artifacts: address } = settings;
  if (address === undefined) return { ...settings, Storage__EmulatorHost: service.url };
  const url = encodeURIComponent(service.url);
  return {
    ...settings,
    ConnectionStrings__Artifacts: address.replace(/credentialsPath=.*$/, `emulatorHost=${url}`),
  };
}

test.each(["connection", "file", ...(isExtended ? ["default", "emulator"] : [])])(
  "a host with the settings %s of docs/storage/google-cloud.md stores and serves all artifacts",
  async (block) => {
    const env = { ...ROUND_TRIP_SETTINGS, ...settingsOf(block) };
    await using host = await spawnHost({ env });
    await expectRoundTrip(host);
    const { code, stderr } = await host.cli("config", "check");
    expect(code, stderr).toBe(0);
    const names = [...(service.state.buckets.get("acme-registry")?.keys() ?? [])];
    expect(names.every((name) => name.startsWith("feeds/acme/"))).toBe(block === "connection");
  },
);

test.each([
  ["Storage__Bucket", "missing", /Storage__Bucket: there is no bucket "missing"/],
  ["Storage__Bucket", "", /Storage__Bucket: is required/],
])("a host with %s=%s does not start", async (key, value, reason) => {
  await using folder = await openFolder();
  const env = { ...settingsOf("emulator"), [key]: value, ASPNETCORE_ENVIRONMENT: "Development" };
  const { code, stderr } = await runCli(["serve"], { folder: folder.path, env });
  expect(stderr).toMatch(reason);
  expect(code).toBe(78);
});
