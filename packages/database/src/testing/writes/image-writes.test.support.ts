import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { Digest } from "@sealhouse/oci-distribution";
import { blobOf } from "@sealhouse/oci-distribution/testing";
import type { Database } from "../../database.ts";
import { OPERATOR, plainWrite, write } from "./write.test.support.ts";
import type { Write } from "./write.test.support.ts";

function newBlob(content: string) {
  const { digest, bytes } = blobOf(content);
  return { digest, key: `oci/${digest.slice(7)}.1`, size: bytes.length };
}

function manifestOf(name: string, tags: readonly string[]) {
  const { digest, bytes } = blobOf(`manifest of ${name}`);
  const repository = parseRepositoryName(name);
  return { repository, digest, bytes, mediaType: "application/json", edges: [], tags };
}

/** Pushes an image with the tag 1.0, and returns its digest. */
function image(name: string) {
  return async ({ oci: { manifests } }: Database): Promise<Digest> => {
    const manifest = manifestOf(name, ["1.0"]);
    await manifests.record(manifest, OPERATOR);
    return manifest.digest;
  };
}

/** Links a blob. */
function blob(name: string) {
  return async ({ oci: { blobs } }: Database): Promise<Digest> => {
    const stored = newBlob(`layer of ${name}`);
    await blobs.link(parseRepositoryName(name), stored, OPERATOR);
    return stored.digest;
  };
}

export const OCI_WRITES: readonly Write[] = [
  plainWrite({
    name: "links a blob",
    outcome: { isDuplicate: false },
    run: ({ oci: { blobs } }, caller) =>
      blobs.link(parseRepositoryName("w/linked"), newBlob("w/linked"), caller),
  }),
  write({
    name: "mounts a blob",
    outcome: true,
    prepare: blob("w/mounted-from"),
    run: ({ oci: { blobs } }, caller, digest) =>
      blobs.mount(parseRepositoryName("w/mounted-to"), digest, { mayPull: () => true, caller }),
  }),
  write({
    name: "unlinks a blob",
    outcome: "unlinked",
    again: "absent",
    prepare: blob("w/unlinked"),
    run: ({ oci: { blobs } }, caller, digest) =>
      blobs.unlink(parseRepositoryName("w/unlinked"), digest, caller),
  }),
  plainWrite({
    name: "pushes an image",
    event: "package.published",
    outcome: { status: "recorded" },
    again: { status: "unchanged" },
    run: ({ oci: { manifests } }, caller) => manifests.record(manifestOf("w/image", ["1"]), caller),
  }),
  write({
    name: "moves a tag",
    event: "package.published",
    outcome: { status: "recorded" },
    again: { status: "unchanged" },
    prepare: image("w/moved"),
    run({ oci: { manifests } }, caller) {
      const { digest, bytes } = blobOf("another manifest");
      return manifests.record({ ...manifestOf("w/moved", ["1.0"]), digest, bytes }, caller);
    },
  }),
  write({
    name: "deletes a tag",
    event: "package.deleted",
    outcome: "deleted",
    again: "absent",
    prepare: image("w/untagged"),
    run: ({ oci: { manifests } }, caller) =>
      manifests.deleteTag(parseRepositoryName("w/untagged"), "1.0", caller),
  }),
  write({
    name: "deletes a manifest",
    event: "package.deleted",
    outcome: "deleted",
    again: "absent",
    prepare: image("w/deleted"),
    run: ({ oci: { manifests } }, caller, digest) =>
      manifests.deleteManifest(parseRepositoryName("w/deleted"), digest, caller),
  }),
  write({
    name: "removes a tag by a retention rule",
    event: "package.deleted",
    outcome: "deleted",
    again: "kept",
    async prepare(database) {
      await image("w/retained")(database);
      const repository = parseRepositoryName("w/retained");
      const [record] = await database.oci.tags.tagRecords(repository, { limit: 1 });
      if (!record) throw new Error("the image has no tag");
      return record;
    },
    run: ({ oci: { tags } }, caller, record) =>
      tags.removeTag(parseRepositoryName("w/retained"), record, { rule: "few", caller }),
  }),
  plainWrite({
    name: "protects a digest from deletion",
    event: "hold.changed",
    run: ({ oci: { holds } }, caller) =>
      holds.hold([blobOf("w/held").digest], "w-operator", undefined, caller),
  }),
];
