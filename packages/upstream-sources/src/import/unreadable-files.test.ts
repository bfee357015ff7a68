import { unlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { ImageSource } from "@sealhouse/oci-distribution/client";
import { afterAll, expect, test } from "vitest";
import { SourceError } from "../source-error.ts";
import type { OpenCandidate } from "./nuget/candidate.ts";
import { folderGroups } from "./nuget/folder-source.ts";
import { openVerdaccioFolder } from "./npm/verdaccio-folder.ts";
import { openLayoutFolder } from "./oci/layout-folder.ts";
import type { OciSource } from "./oci/oci-source.ts";
import { storageFolder } from "./oci/storage-folder.ts";

const root = await mkdtemp(join(tmpdir(), "sealhouse-unreadable-"));
afterAll(() => rm(root, { recursive: true }));

const { signal } = new AbortController();
const hex = "a".repeat(64);
const digest = `sha256:${hex}` as const;

async function write(path: string, content = ""): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Path of a file in a source folder, and how to open it. */
type Kind = {
  readonly file: string;
  readonly opener: (folder: string) => Promise<() => Promise<OpenCandidate | undefined>>;
};

async function imagesOf(source: OciSource): Promise<ImageSource> {
  for await (const { images } of source.repositories(signal)) return images;
  throw new Error("The source has no repository");
}

const descriptor = { digest, size: 4, mediaType: "application/octet-stream" };

const verdaccio: Kind = {
  file: "widgets/widgets-1.0.0.tgz",
  async opener(folder) {
    const version = { name: "widgets", version: "1.0.0", dist: { tarball: "widgets-1.0.0.tgz" } };
    const document = { name: "widgets", versions: { "1.0.0": version } };
    await write(join(folder, "widgets/package.json"), JSON.stringify(document));
    const sourcePackage = await openVerdaccioFolder(folder, true).open("widgets", signal);
    const [only] = sourcePackage?.packument.versions ?? [];
    if (!only) throw new Error("The packument has no version");
    return async () => sourcePackage?.tarball(only, signal);
  },
};
const layout: Kind = {
  file: `blobs/sha256/${hex}`,
  async opener(folder) {
    await write(join(folder, "index.json"), '{"manifests":[]}');
    const images = await imagesOf(await openLayoutFolder(folder, "app"));
    return () => images.blob(descriptor, {});
  },
};
const storage: Kind = {
  file: `blobs/sha256/aa/${hex}/data`,
  async opener(folder) {
    await mkdir(join(folder, "repositories/app/_manifests"), { recursive: true });
    const images = await imagesOf(storageFolder(folder, { withUntagged: false }));
    return () => images.blob(descriptor, {});
  },
};
const packages: Kind = {
  file: "widgets.nupkg",
  async opener(folder) {
    const [group] = await Array.fromAsync(folderGroups(folder, "package"));
    const [candidate] = (await group?.load(signal, () => undefined)) ?? [];
    return async () => candidate?.open(signal);
  },
};

const kinds: readonly (readonly [string, Kind])[] = [
  ["a folder of packages", packages],
  ["a Verdaccio", verdaccio],
  ["an image layout", layout],
  ["a docker-registry", storage],
];

test.each(kinds)(
  "a file of %s that is deleted before it is read fails with a SourceError",
  async (...on) => {
    const [, { file, opener }] = on;
    const folder = await mkdtemp(join(root, "of-"));
    await write(join(folder, file), "1234");
    await using opened = await (await opener(folder))();
    // Deletes it synchronously, before anything can open it.
    unlinkSync(join(folder, file));
    // An error event without a listener would end the process here.
    for (let turn = 0; turn < 20; turn++) await stat(folder).then(() => yieldToEventLoop());
    const read = Array.fromAsync(opened?.body ?? []);
    await expect(read).rejects.toThrow(SourceError);
    await expect(read).rejects.toThrow("ENOENT");
  },
);

test.each(kinds.slice(1))(
  "a file of %s that cannot be opened fails with a SourceError",
  async (...on) => {
    const [, { file, opener }] = on;
    const folder = await mkdtemp(join(root, "of-"));
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await symlink(join(folder, file), join(folder, file));
    const open = await opener(folder);
    await expect(open()).rejects.toThrow(SourceError);
  },
);
