import { isDigest, isRepositoryName, isTag } from "@sealhouse/oci-distribution";
import { SourceError } from "../source-error.ts";
import type { WantedEntries } from "./wanted-entries.ts";

/** A host has a dot or a port, or is `localhost`; other first parts belong to the repository. */
const HOST =
  /^(?:localhost|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+|[a-zA-Z0-9-]+(?=:\d+\/))(?::\d{1,5})?\//;
const PARTS = /^([^:@]+)(?::([^:@]+))?(?:@(.+))?$/;
const LINE_LENGTH_MAX = 1_000;

/** Reads one image reference per line. `#` begins a comment. */
export function readImageList(text: string, from: string, entries: WantedEntries): void {
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const reference = line.replace(/(?:^|\s)#.*$/, "").trim();
    if (reference === "") continue;
    const image = line.length > LINE_LENGTH_MAX ? undefined : parseImage(reference);
    if (!image) {
      throw new SourceError(
        `${from}, line ${index + 1} is not an image reference. Write team/app:1.0, ` +
          "team/app@sha256:… or registry.example/team/app:1.0.",
      );
    }
    entries.add({ protocol: "oci", ...image, from });
  }
}

function parseImage(text: string) {
  const [host = ""] = HOST.exec(text) ?? [];
  const [, name = "", tag, digest] = PARTS.exec(text.slice(host.length)) ?? [];
  if (!isRepositoryName(name) || (tag !== undefined && !isTag(tag))) return undefined;
  const found = { ...(host !== "" && { host: host.slice(0, -1) }), name };
  if (digest === undefined) return { ...found, reference: tag ?? "latest" };
  if (!isDigest(digest)) return undefined;
  return { ...found, reference: digest, ...(tag !== undefined && { tag }) };
}
