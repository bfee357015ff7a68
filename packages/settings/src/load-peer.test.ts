import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPeerMissing, loadPeer, PeerMissingError } from "./load-peer.ts";

let folder: string;
let manifest: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-peers-"));
  const file = join(folder, "package.json");
  const peerDependencies = { archiver: "8.0.0", "tar-stream": "workspace:^" };
  await writeFile(file, JSON.stringify({ peerDependencies }));
  manifest = pathToFileURL(file).href;
});
afterAll(() => rm(folder, { recursive: true }));

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /x/index.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });
const bundles = () => ({
  feature: "Writing a bundle",
  packages: ["archiver", "tar-stream"],
  manifest,
});

test("a missing peer is named with its version and the command that installs it", async () => {
  const loading = loadPeer(bundles(), () => Promise.reject(missing("archiver")));
  await expect(loading).rejects.toThrow(PeerMissingError);
  await expect(loading).rejects.toThrow(
    "Writing a bundle needs packages that are not installed. " +
      "Run: npm install archiver@8.0.0 tar-stream",
  );
  const error: unknown = await loading.catch((reason: unknown) => reason);
  expect(isPeerMissing(error)).toBe(true);
});

test.each([
  ["another missing package", missing("left-pad")],
  ["another error", new Error("'archiver' is broken")],
])("%s is not an error of the peer", async (_name, error) => {
  await expect(loadPeer(bundles(), () => Promise.reject(error))).rejects.toBe(error);
  expect(isPeerMissing(error)).toBe(false);
});

test("a peer that is installed after a failure is loaded", async () => {
  let isInstalled = false;
  const load = () =>
    isInstalled ? Promise.resolve("loaded") : Promise.reject(missing("archiver"));
  await expect(loadPeer(bundles(), load)).rejects.toThrow("npm install archiver@8.0.0");
  isInstalled = true;
  await expect(loadPeer(bundles(), load)).resolves.toBe("loaded");
});
